// Reports whether libcreate knows that its port has hung up, three seconds after the hang-up.
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
    sleep(6);
    std::printf("connected: %d\n", robot.connected());
    std::fflush(stdout);
    _exit(robot.connected() ? 1 : 0);
}
