"""Drives with pycreate2 in full mode, and asks for the mode once a second. Ends with an error if the port fails, and stops the robot on SIGTERM."""

import signal
import sys
import time

import pycreate2
import serial

signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
try:
    robot = pycreate2.Create2(sys.argv[1])
    robot.start()
    robot.full()
    for _ in range(12):
        robot.drive_direct(150, 100)
        robot.getMode()
        time.sleep(1)
    robot.drive_stop()
except serial.SerialException as error:
    print(error, file=sys.stderr)
    sys.exit(1)
