// Asks for safe mode, and compares the mode that libcreate reports.
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
    robot.setMode(create::MODE_SAFE);
    sleep(1);
    create::CreateMode mode = robot.getMode();
    std::printf("mode %d, safe is %d\n", static_cast<int>(mode),
                static_cast<int>(create::MODE_SAFE));
    return mode == create::MODE_SAFE ? 0 : 1;
}
