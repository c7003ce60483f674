"""Scans with a pause between two series, as a robot that stands does. Ends with an error if the library reports one."""

import sys
import time

from rplidar import RPLidar, RPLidarException
from serial import SerialException

try:
    lidar = RPLidar(sys.argv[1])
    for _ in range(4):
        for number, _scan in enumerate(lidar.iter_scans()):
            if number == 10:
                break
        lidar.stop()
        time.sleep(0.1)
        lidar.clear_input()
        lidar.get_health()
    lidar.stop_motor()
    lidar.disconnect()
except (RPLidarException, SerialException) as error:
    print(error, file=sys.stderr)
    sys.exit(1)
