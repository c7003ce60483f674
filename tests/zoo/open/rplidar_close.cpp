// Starts a scan, and closes the connection while samples arrive. Build the SDK and this with
// -fsanitize=address.
#include <unistd.h>

#include "sl_lidar.h"
#include "sl_lidar_driver.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    sl::ILidarDriver *driver = *sl::createLidarDriver();
    sl::IChannel *channel = *sl::createSerialPortChannel(argv[1], 115200);
    for (int round = 0; round < 20; round++) {
        if (SL_IS_FAIL(driver->connect(channel)))
            return 3;
        driver->setMotorSpeed();
        driver->startScan(false, true);
        usleep(500000 + 1300 * round);
        driver->disconnect();
    }
    return 0;
}
