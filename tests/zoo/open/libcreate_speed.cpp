// Drives at 0.2 m/s while frames are lost. Ends with an error if libcreate reports more than 0.4
// m/s.
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
    robot.drive(0.2, 0);
    for (int i = 0; i < 500; i++) {
        float speed_m_s = robot.getVel().x;
        if (speed_m_s > 0.4) {
            std::printf("libcreate reports %.2f m/s\n", speed_m_s);
            return 1;
        }
        usleep(5000);
    }
    return 0;
}
