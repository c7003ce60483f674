// A scanner may be plugged in late: connects again until the SDK reports success, and scans.
#include <cstdio>
#include <unistd.h>

#include "sl_lidar.h"
#include "sl_lidar_driver.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    usleep(200000); // until the scene has pulled the cable
    sl::ILidarDriver *driver = *sl::createLidarDriver();
    sl::IChannel *channel = *sl::createSerialPortChannel(argv[1], 115200);
    while (SL_IS_FAIL(driver->connect(channel)))
        usleep(500000);
    sl_lidar_response_device_info_t about;
    if (SL_IS_FAIL(driver->getDeviceInfo(about))) {
        std::fprintf(stderr, "connected, but no answer\n");
        return 1;
    }
    driver->setMotorSpeed();
    driver->startScan(false, true);
    for (;;) {
        sl_lidar_response_measurement_node_hq_t nodes[8192];
        size_t count = sizeof nodes / sizeof *nodes;
        if (SL_IS_FAIL(driver->grabScanDataHq(nodes, count)))
            driver->startScan(false, true);
    }
}
