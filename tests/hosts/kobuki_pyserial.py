"""Reads Kobuki packets with pyserial, as Python clients do.

usage: kobuki_pyserial.py PORT|URL COUNT     exit 0 only if all packets were whole and 20 ms apart
"""
import struct
import sys

import serial


def read_packet(port):
    header = port.read(3)
    if len(header) < 3:
        sys.exit("the robot is silent")
    if header[:2] != b"\xaa\x55":
        sys.exit(f"not a header: {header.hex(' ')}")
    payload = port.read(header[2] + 1)
    total = header[2]
    for byte in payload:
        total ^= byte
    if len(payload) != header[2] + 1 or total:
        sys.exit(f"a damaged packet: {(header + payload).hex(' ')}")
    return payload[:-1]


def main(path, count):
    with serial.serial_for_url(path, 115200, timeout=10) as port:
        before = None
        for _ in range(count):
            payload = read_packet(port)
            if payload[:2] != b"\x01\x0f":
                sys.exit(f"basic sensor data is not first: {payload.hex(' ')}")
            stamp, = struct.unpack_from("<H", payload, 2)
            if before is not None and (stamp - before) % 65536 != 20:
                sys.exit(f"from {before} ms to {stamp} ms")
            before = stamp
    print(f"{count} packets")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
