// Switches on the main brush, and then the side brush.
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
    robot.setMainMotor(1);
    usleep(500000);
    robot.setSideMotor(0.5);
    usleep(500000);
    _exit(0); // without the destructor, which stops the brushes
}
