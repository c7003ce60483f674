"""Express scans of an RPLIDAR A1. Ends with an error if the library reports one."""

import sys

from rplidar import RPLidar, RPLidarException
from serial import SerialException

try:
    lidar = RPLidar(sys.argv[1])
    for number, _scan in enumerate(lidar.iter_scans("express")):
        if number == 60:
            break
    lidar.stop()
    lidar.stop_motor()
    lidar.disconnect()
except (RPLidarException, SerialException) as error:
    print(error, file=sys.stderr)
    sys.exit(1)
