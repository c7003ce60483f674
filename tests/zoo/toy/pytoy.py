"""A toy driver: twenty commands a second. The broken version stops too early."""

import termios
import time
import tty

IS_BROKEN = False
FORWARD = bytes.fromhex("aa55060104c8000000cb")


def drive(path, seconds):
    with open(path, "wb", buffering=0) as port:
        tty.setraw(port)
        settings = termios.tcgetattr(port)
        settings[4] = settings[5] = termios.B115200
        termios.tcsetattr(port, termios.TCSANOW, settings)
        for _ in range(int((10 if IS_BROKEN else 20) * seconds)):
            port.write(FORWARD)
            time.sleep(0.05)
