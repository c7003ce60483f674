// Reads scans, and starts the driver again after a timeout, as a node that runs for days does. Ends
// with an error if a timeout of 1.5 s occurs earlier than 1 s after the scanner was found.
#include <cstdio>
#include <unistd.h>

#include "ldlidar_driver.h"

static uint64_t now_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    for (;;) {
        ldlidar::LDLidarDriver driver;
        driver.RegisterGetTimestampFunctional(now_ns);
        driver.EnableFilterAlgorithnmProcess(true);
        if (!driver.Start(ldlidar::LDType::LD_19, argv[1], 230400, ldlidar::COMM_SERIAL_MODE) ||
            !driver.WaitLidarCommConnect(3000)) {
            driver.Stop();
            usleep(500000);
            continue;
        }
        uint64_t begin_ns = now_ns();
        ldlidar::Points2D points;
        ldlidar::LidarStatus status;
        while ((status = driver.GetLaserScanData(points, 1500)) !=
               ldlidar::LidarStatus::DATA_TIME_OUT) {
            if (status == ldlidar::LidarStatus::NORMAL)
                std::printf("%zu points\n", points.size());
            usleep(50000);
        }
        std::printf("timeout after %.3f s\n", (now_ns() - begin_ns) * 1e-9);
        std::fflush(stdout);
        if (now_ns() - begin_ns < 1000000000)
            _exit(1);
        driver.Stop();
    }
}
