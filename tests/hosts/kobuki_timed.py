#!/usr/bin/env python3
"""A driver's test that lives by its own clock, as most do: drives a Kobuki at 200 mm/s for 2.5 s, half
a meter, while a thread reads. Needs python3-serial. Exit 0 only if the encoders report that distance, packets came
50 times a second, and no packet was damaged."""
import os
import sys
import threading
import time

import serial

SECONDS, SPEED_MM_S, TICK_MM = 2.5, 200, 0.085292  # Kobuki's documentation: 85.292 um a tick


def base_control(speed):
    payload = bytes([1, 4]) + speed.to_bytes(2, "little", signed=True) + bytes(2)
    checksum = len(payload)
    for byte in payload:
        checksum ^= byte
    return bytes([0xAA, 0x55, len(payload)]) + payload + bytes([checksum])


class Reader(threading.Thread):
    """Takes packets apart and counts; others wait for its condition."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.packets, self.bad, self.left = port, 0, 0, None
        self.is_new = threading.Condition()

    def run(self):
        buffer = b""
        while True:
            buffer += self.port.read(max(1, self.port.in_waiting))
            while len(buffer) >= 3 and len(buffer) >= buffer[2] + 4:
                size = buffer[2] + 4
                self.take(buffer[:size])
                buffer = buffer[size:]

    def take(self, packet):
        checksum = 0
        for byte in packet[2:]:
            checksum ^= byte
        with self.is_new:
            self.bad += packet[:2] != b"\xaa\x55" or checksum != 0
            self.packets += 1
            self.left = int.from_bytes(packet[10:12], "little")
            self.is_new.notify_all()


def main():
    port = serial.Serial(os.environ["PTYBOT_PORT_KOBUKI"], 115200, timeout=1)
    reader = Reader(port)
    reader.start()
    with reader.is_new:
        if not reader.is_new.wait_for(lambda: reader.packets >= 5, timeout=10):
            sys.exit("the robot is silent")
        start, count = reader.left, reader.packets
    began = time.monotonic()
    while time.monotonic() - began < SECONDS:
        port.write(base_control(SPEED_MM_S))
        time.sleep(0.05)
    took = time.monotonic() - began
    port.write(base_control(0))
    time.sleep(1)
    with reader.is_new:
        driven = ((reader.left - start) & 0xFFFF) * TICK_MM
        rate = (reader.packets - count) / (time.monotonic() - began)
    print(f"drove {driven:.0f} mm in {took:.2f} s, {rate:.1f} packets a second, {reader.bad} damaged")
    # On a busy machine the last command is late.
    sys.exit(0 if 0.7 < driven / (SPEED_MM_S * took) < 1.3 and 35 < rate < 65 and not reader.bad else 1)


main()
