// Scans with the Slamtec SDK as its ROS node does. After three scans without data, or any other error, it opens the port again.
// Stops the motor on SIGINT and SIGTERM.
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include "sl_lidar.h"
#include "sl_lidar_driver.h"

namespace
{

volatile std::sig_atomic_t is_over = 0;

void stop(int)
{
    is_over = 1;
}

// Returns at the end, or if the scanner does not answer any more.
void scan(sl::ILidarDriver &driver, sl::IChannel &channel)
{
    sl_lidar_response_device_info_t about;
    if (SL_IS_FAIL(driver.connect(&channel)) || SL_IS_FAIL(driver.getDeviceInfo(about)))
        return;
    driver.setMotorSpeed();
    driver.startScan(false, true);
    for (int failures = 0; failures < 3 && !is_over;) {
        sl_lidar_response_measurement_node_hq_t nodes[8192];
        size_t count = sizeof nodes / sizeof *nodes;
        failures = SL_IS_FAIL(driver.grabScanDataHq(nodes, count)) ? failures + 1 : 0;
    }
    driver.stop();
    driver.setMotorSpeed(0);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    std::signal(SIGINT, stop);
    std::signal(SIGTERM, stop);
    while (!is_over) {
        sl::ILidarDriver *driver = *sl::createLidarDriver();
        sl::IChannel *channel = *sl::createSerialPortChannel(argv[1], 115200);
        scan(*driver, *channel);
        driver->disconnect();
        delete driver;
        delete channel;
        usleep(500000);
    }
    return 0;
}
