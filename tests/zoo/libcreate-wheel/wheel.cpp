// Drives straight on until libcreate reports one meter, and stops.
#include <cstdio>
#include <unistd.h>

#include "create/create.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    create::Create robot;
    if (!robot.connect(argv[1], 115200))
        return 1;
    robot.setMode(create::MODE_FULL);
    usleep(200000);
    while (robot.getPose().x < 1) {
        robot.drive(0.2, 0);
        usleep(20000);
    }
    robot.drive(0, 0);
    usleep(500000);
    return 0;
}
