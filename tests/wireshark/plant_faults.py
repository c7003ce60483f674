#!/usr/bin/env python3
"""Copies a capture with ten faults in it, in blocks of bytes that are a second apart or more, and
prints their times, for check_capture.py --near.

    plant_faults.py CAPTURE COPY"""

import struct
import sys

HEADER = 12  # of RTAC serial


def flip(at):
    return lambda data: data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 if at != -1 else len(data):]


FAULTS = [
    flip(-1),                              # the checksum
    flip(5),                               # in the body
    flip(0),                               # the first byte of the head
    lambda data: data[:6] + data[7:],      # a byte lost
    lambda data: data[:-1],                # the last byte lost
    lambda data: data[1:],                 # the first byte lost
    lambda data: data[:6] + b"\0" + data[6:],  # a byte too many
    lambda data: b"\x01\x02" + data,       # noise before a frame
    lambda data: data + b"\x03",           # and behind one
    lambda data: data[:2] + b"\0" + data[3:],  # a length that cannot be
]


def pad(data):
    return data + b"\0" * (-len(data) % 4)


def main():
    with open(sys.argv[1], "rb") as file:
        capture = file.read()
    out = bytearray()
    at, due_s, times = 0, 1.0, []
    while at < len(capture):
        kind, size = struct.unpack_from("<II", capture, at)
        block = capture[at:at + size]
        at += size
        if kind == 6 and len(times) < len(FAULTS):
            interface, high, low, length, _ = struct.unpack_from("<IIIII", block, 8)
            packet = block[28:28 + length]
            time_s = (high << 32 | low) / 1e9
            if time_s >= due_s and packet[8] in (1, 2) and length >= HEADER + 8:
                packet = packet[:HEADER] + FAULTS[len(times)](packet[HEADER:])
                body = struct.pack("<IIIII", interface, high, low, len(packet), len(packet))
                body += pad(packet)
                block = struct.pack("<II", 6, len(body) + 12) + body
                block += struct.pack("<I", len(body) + 12)
                times.append(time_s)
                due_s = time_s + 1
        out += block
    if len(times) < len(FAULTS):
        sys.exit(f"only {len(times)} faults found a place")
    with open(sys.argv[2], "wb") as file:
        file.write(out)
    print(",".join(f"{time_s:.6f}" for time_s in times))


main()
