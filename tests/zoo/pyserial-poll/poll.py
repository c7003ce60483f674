"""Reads a Kobuki with pyserial's PosixPollSerial and a timeout, and drives. A timeout is not an error. After an error it opens the port again."""

import sys
import time

import serial

while True:
    try:
        with serial.serial_for_url("alt://" + sys.argv[1] + "?class=PosixPollSerial", 115200, timeout=0.1) as robot:
            while True:
                robot.read(100)
                robot.write(bytes.fromhex("aa55060104c8000000cb"))
    except serial.SerialException:
        time.sleep(0.2)
