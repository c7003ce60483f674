"""Drives a square with pyserial over any URL: rfc2217://HOST:PORT, socket://HOST:PORT, or a path.

usage: kobuki_square_pyserial.py URL     exit 0 only if it came round and every packet was whole
"""
import math
import struct
import sys

import serial

TICK_M = 0.000085292  # Kobuki's public documentation, Conversion: 85.292 um of travel a tick
TRACK_M = 0.230  # the same, Hardware: distance between the wheels
SIDE_M = 0.5
SPEED_MM_S = 200


def read_packet(port):
    header = port.read(3)
    if header[:2] != b"\xaa\x55":
        sys.exit(f"not a header: {header.hex(' ')}")
    payload = port.read(header[2] + 1)
    total = header[2]
    for byte in payload:
        total ^= byte
    if len(payload) != header[2] + 1 or total:
        sys.exit(f"a damaged packet: {(header + payload).hex(' ')}")
    return payload[:-1]


def base_control(speed_mm_s, radius_mm):
    payload = struct.pack("<BBhh", 1, 4, speed_mm_s, radius_mm)
    checksum = len(payload)
    for byte in payload:
        checksum ^= byte
    return b"\xaa\x55" + bytes([len(payload)]) + payload + bytes([checksum])


class Wheels:
    """The travel of both wheels since the start, from counters of 16 bits."""

    def __init__(self, port):
        self.port = port
        self.before = self.read()
        self.left_m = self.right_m = 0.0

    def read(self):
        return struct.unpack_from("<HH", read_packet(self.port), 7)

    def follow(self):
        now = self.read()
        steps = [(b - a + 32768) % 65536 - 32768 for a, b in zip(self.before, now)]
        self.before = now
        self.left_m += steps[0] * TICK_M
        self.right_m += steps[1] * TICK_M


def drive(wheels, command, is_done):
    while not is_done():
        wheels.port.write(command)
        wheels.follow()


def check_lines(port):
    """As on a serial port: only RFC 2217 carries lines and settings over a network."""
    if not (port.cts and port.dsr and port.cd) or port.ri:
        sys.exit("the robot is not ready")
    port.dtr = False
    port.rts = False
    port.dtr = True
    port.rts = True
    port.baudrate = 9600
    port.baudrate = 115200


def main(url):
    with serial.serial_for_url(url, 115200, timeout=10) as port:
        if url.startswith("rfc2217:") and "?" not in url:
            check_lines(port)
        port.reset_input_buffer()
        while port.read(1) != b"\xaa":  # start at the next packet of the stream
            pass
        port.read(port.read(2)[1] + 1)
        wheels = Wheels(port)
        for side in range(4):
            goal_m = wheels.left_m + SIDE_M
            drive(wheels, base_control(SPEED_MM_S, 0), lambda goal=goal_m: wheels.left_m >= goal)
            goal_rad = (side + 1) * math.pi / 2
            drive(wheels, base_control(100, 1),
                  lambda goal=goal_rad: (wheels.right_m - wheels.left_m) / TRACK_M >= goal)
        port.write(base_control(0, 0))
        port.flush()
        wheels.follow()
    print(f"turned {math.degrees((wheels.right_m - wheels.left_m) / TRACK_M):.0f} degrees")


if __name__ == "__main__":
    main(sys.argv[1])
