"""Drives a circle with pycreate2 and polls all sensors ten times a second. pycreate2 raises Exception for an incomplete
answer. After any error it opens the port again. Ends on SIGINT and SIGTERM."""

import signal
import sys
import time

import pycreate2

for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: sys.exit(0))


def poll(robot):
    """Returns at the first error."""
    robot.start()
    robot.safe()
    while True:
        robot.drive_direct(150, 100)
        robot.get_sensors()
        time.sleep(0.1)


while True:
    try:
        poll(pycreate2.Create2(sys.argv[1]))
    except Exception as error:  # pylint: disable=broad-except
        print(error, file=sys.stderr)
        time.sleep(0.5)
