// Drives 0.3 m backward over the wrap of the encoders, and compares libcreate's distance.
#include <cmath>
#include <cstdio>
#include <unistd.h>

#include "create/create.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    create::Create robot;
    if (!robot.connect(argv[1], 115200))
        return 3;
    robot.setMode(create::MODE_FULL);
    usleep(200000);
    robot.drive(-0.1, 0);
    sleep(3);
    float left_m = robot.getLeftWheelDistance();
    std::printf("left wheel: %.3f m\n", left_m);
    return std::fabs(left_m) < 1 ? 0 : 1;
}
