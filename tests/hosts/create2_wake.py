"""Sends a Create 2 to sleep and wakes it by a pulse of RTS on its pin BRC, with pyserial.

usage: create2_wake.py PORT
"""
import sys
import time

import serial

START, POWER, SENSORS, MODE = 128, 133, 142, 35
TRIES = 60


def mode(port):
    """Its reported mode; None: no report."""
    port.reset_input_buffer()
    port.write(bytes([SENSORS, MODE]))
    said = port.read(1)
    return said[0] if said else None


def wait_for_mode(port, wanted, text):
    for _ in range(TRIES):
        if wanted is not None:
            port.write(bytes([START]))
        if mode(port) == wanted:
            return
    sys.exit(text)


def main(path):
    with serial.Serial(path, 115200, timeout=0.5) as port:
        port.rts = False
        wait_for_mode(port, 1, "it does not start")
        port.write(bytes([POWER]))
        wait_for_mode(port, None, "it does not go to sleep")
        port.write(bytes([START]))
        if mode(port) is not None:
            sys.exit("asleep it hears its port")
        port.rts = True
        time.sleep(0.2)
        port.rts = False
        wait_for_mode(port, 1, "a pulse of RTS does not wake it")


if __name__ == "__main__":
    main(sys.argv[1])
