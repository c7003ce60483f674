"""A driver's test with pyserial: drives a Kobuki half a meter by its encoders, and stops.

Takes the port from the environment, as `ptybot test` sets it. Exit 0 only if it got there, every
packet was whole, and the modem lines of the port answer.
"""
import os
import struct
import sys

import serial

TICK_MM = 0.085292  # Kobuki's public documentation, Conversion: 85.292 um of travel a tick
GOAL_MM = 500


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


def base_control(speed_mm_s):
    payload = struct.pack("<BBhh", 1, 4, speed_mm_s, 0)
    checksum = len(payload)
    for byte in payload:
        checksum ^= byte
    return b"\xaa\x55" + bytes([len(payload)]) + payload + bytes([checksum])


def main():
    with serial.Serial(os.environ["PTYBOT_PORT_KOBUKI"], 115200, timeout=10) as port:
        port.dtr = True
        if not (port.cts and port.dsr):
            sys.exit("the robot is not ready")
        first = None
        while True:
            # Basic sensor data is the first sub-payload: head, time, bumper, drop, cliff, encoders.
            left, = struct.unpack_from("<H", read_packet(port), 7)
            first = left if first is None else first
            if (left - first) % 65536 * TICK_MM >= GOAL_MM:
                break
            port.write(base_control(200))
        port.write(base_control(0))
        port.flush()
    print(f"drove {(left - first) % 65536 * TICK_MM:.0f} mm")


if __name__ == "__main__":
    main()
