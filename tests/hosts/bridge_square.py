"""Drives a robot with ros_arduino_bridge around a square of 1 m by its encoders. bridge_square.py PORT [SIDES]"""
import math
import os
import sys
import termios
import time

COUNTS_A_TURN, RADIUS_M, TRACK_M = 3436, 0.034, 0.332


class Board:
    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        mode = termios.tcgetattr(self.fd)
        mode[0] = mode[1] = mode[3] = 0
        mode[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
        mode[4] = mode[5] = termios.B57600
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 0, 10
        termios.tcsetattr(self.fd, termios.TCSANOW, mode)

    def ask(self, line):
        os.write(self.fd, line.encode() + b"\r")
        reply = b""
        while not reply.endswith(b"\n"):
            byte = os.read(self.fd, 1)
            if not byte:
                sys.exit(f"no reply to {line!r}")
            reply += byte
        return reply.decode().strip()

    def order(self, line):
        if self.ask(line) != "OK":
            sys.exit(f"{line!r} was refused")

    def drive(self, left_m, right_m, speed):
        """Until both wheels have gone so far, slower towards the end."""
        a_m = COUNTS_A_TURN / (2 * math.pi * RADIUS_M)
        goal = [left_m * a_m, right_m * a_m]
        start = [int(n) for n in self.ask("e").split()]
        while True:
            left = [g - int(n) + s for g, n, s in zip(goal, self.ask("e").split(), start)]
            if max(map(abs, left)) < 12:
                break
            self.order("m " + " ".join(str(math.ceil(max(-speed, min(speed, n / 8)))) for n in left))
            time.sleep(0.02)
        self.order("m 0 0")
        time.sleep(0.2)


def main():
    board = Board(sys.argv[1])
    board.order("u 20:12:0:50")
    for side in range(int(sys.argv[2]) if len(sys.argv) > 2 else 4):
        board.drive(1, 1, 60)
        board.drive(-TRACK_M * math.pi / 4, TRACK_M * math.pi / 4, 30)


if __name__ == "__main__":
    main()
