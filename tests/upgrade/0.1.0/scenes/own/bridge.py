"""The firmware of ros_arduino_bridge in Python: the same bytes as the built-in robot of that name."""
import math
from ptybot.firmware import Firmware

PID_MS, AUTO_STOP_MS, PWM_MAX, COUNTS_A_TURN = 33, 2000, 255, 3436


def wrap(n, bits):
    """As an AVR does with what is too large."""
    return (n + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def atoi(text):
    text = text.lstrip(b"\t\n\v\f")
    sign = -1 if text[:1] == b"-" else 1
    digits = text[1:] if text[:1] in (b"-", b"+") else text
    return wrap(sign * int(b"0" + digits[: len(digits) - len(digits.lstrip(b"0123456789"))]), 16)


def limit(n):
    return max(-PWM_MAX, min(PWM_MAX, n))


class Wheel:
    count = previous = target = output = pwm = last = i_term = 0
    origin = None

    def reset_pid(self):
        self.target = self.output = self.last = self.i_term = 0
        self.previous = self.count

    def do_pid(self, kp, kd, ki, ko):
        moved = wrap(self.count - self.previous, 16)
        error = self.target - moved
        total = kp * error - wrap(kd * wrap(moved - self.last, 16), 16) + self.i_term
        change = abs(total) // abs(ko) * (1 if (total < 0) == (ko < 0) else -1) if ko else 0
        output = change + self.output
        if abs(output) < PWM_MAX:
            self.i_term = wrap(self.i_term + ki * error, 16)
        self.previous, self.last, self.output = self.count, moved, limit(output)


class Bridge(Firmware):
    def start(self):
        self.line, self.both, self.gains = b"", (Wheel(), Wheel()), [20, 12, 0, 50]
        self.is_moving, self.pins = False, set()
        self.next_pid, self.command_ms = PID_MS, 0

    def drive(self, letter, speeds):
        self.command_ms = self.now_ms
        self.is_moving = letter == b"m" and speeds != [0, 0]
        for wheel, speed in zip(self.both, speeds):
            if not self.is_moving:
                wheel.reset_pid()
                wheel.pwm = limit(speed)
            if letter == b"m":
                wheel.target = speed

    def obey(self, letter, words):
        one, two = map(atoi, words)
        if letter in (b"e", b"b"):
            return b"%d %d" % tuple(wheel.count for wheel in self.both) if letter == b"e" else b"57600"
        if letter == b"a":
            volts = 9 + self.battery_charge * (12.6 - 9.0)
            return b"%d" % (int(volts / 3 / 5 * 1023) if one == 0 else 0)
        if letter == b"d":
            return b"%d" % (one in self.pins)
        if letter == b"p":
            distance_m = self.sensors["sonar"].distance_m
            return b"%d" % (int(distance_m * 100) if distance_m < 4 else 0)
        if letter == b"r":
            for wheel in self.both:
                wheel.origin, wheel.count = wrap(wheel.origin + wheel.count, 32), 0
                wheel.reset_pid()
        elif letter in (b"m", b"o"):
            self.drive(letter, [one, two])
        elif letter == b"u":
            given = [atoi(word) for word in words[0].split(b":") if word][:4]
            self.gains[: len(given)] = given
        elif letter == b"w" and two in (0, 1) and 0 <= one < 64:
            (self.pins.add if two else self.pins.discard)(one)
        elif letter not in (b"w", b"x", b"c"):
            return b"Invalid Command"
        return b"OK"

    def serve(self, line):
        letters, *rest = line.split(b" ", 2)
        words = [word.replace(b" ", b"")[:15] for word in rest] + [b"", b""]
        self.send("uart", self.obey(letters[-1:], words[:2]) + b"\r\n")

    def tick(self):
        self.now_ms = (self.time_us - self.power_us) // 1000
        for wheel, angle in zip(self.both, self.wheel_rad):
            raw = wrap(math.floor(angle * (COUNTS_A_TURN / (2 * math.pi))), 32)
            wheel.origin = raw if wheel.origin is None else wheel.origin
            wheel.count = wrap(raw - wheel.origin, 32)
        *lines, self.line = (self.line + self.received("uart")).split(b"\r")
        for line in lines:
            self.serve(line)
        for _ in range(self.next_pid, self.now_ms, PID_MS):
            self.next_pid += PID_MS
            must_reset = any(wheel.last for wheel in self.both)
            for wheel in self.both:
                if self.is_moving:
                    wheel.do_pid(*self.gains)
                    wheel.pwm = wheel.output
                elif must_reset:
                    wheel.reset_pid()
        if self.now_ms - self.command_ms > AUTO_STOP_MS:
            self.is_moving = False
            for wheel in self.both:
                wheel.pwm = 0
        self.motor = [wheel.pwm / PWM_MAX for wheel in self.both]
        for name, value in zip(self.signals, (self.both[0].count, self.both[1].count, self.is_moving)):
            self.signal(name, value)
        self.wait_us = self.power_us + (self.next_pid + 1) * 1000 - self.time_us


Bridge().run()
