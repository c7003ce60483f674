// Drives a circle with libcreate as a node does: twenty commands a second. Prints the driver's pose
// and speed.
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
        return 1;
    robot.setMode(create::MODE_FULL);
    usleep(200000);
    for (;;) {
        robot.drive(0.2, 0.5);
        create::Pose pose = robot.getPose();
        create::Vel speed = robot.getVel();
        std::printf(
            "ptybot estimate x_m=%.4f y_m=%.4f heading_deg=%.3f speed_m_s=%.4f turn_deg_s=%.3f\n",
            pose.x, pose.y, pose.yaw * 180 / M_PI, speed.x, speed.yaw * 180 / M_PI);
        std::fflush(stdout);
        usleep(50000);
    }
}
