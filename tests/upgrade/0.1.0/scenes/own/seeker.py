"""Finds the red box: turns until it is in the middle of the picture, and drives up to it. Asks for a picture and five rays
twenty times a second; docs/own-robot.md shows it."""
from ptybot.firmware import Firmware


class Seeker(Firmware):
    def tick(self):
        if self.pictures:
            eye, ahead_m = self.pictures["eye"], min(self.scans["lidar"].distance_m)
            middle = [eye.pixel(x, eye.height // 2) for x in range(eye.width)]
            red = [x + 0.5 for x, (r, g, b) in enumerate(middle) if r > 60 and r > 3 * max(g, b)]
            aside = 1 - 2 * sum(red) / len(red) / eye.width if red else 1  # 1: at the left rim, -1: at the right one
            speed = 4 if red and ahead_m > 0.2 else 0
            self.motor = [speed - 4 * aside, speed + 4 * aside]  # rad/s
            self.signal("red", len(red))
            self.signal("ahead_m", ahead_m)
        self.look("eye", width=80)
        self.scan("lidar", rays=5, from_rad=-0.1, to_rad=0.1)
        self.wait_us = 50_000


Seeker().run()
