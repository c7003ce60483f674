// A robot that drives on its battery discharges it: its current is negative and below 5 A.
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
    robot.drive(0.1, 0);
    sleep(1);
    double current_ma = robot.getCurrent();
    std::printf("%.0f mA\n", current_ma);
    return current_ma < 0 && current_ma > -5000 ? 0 : 1;
}
