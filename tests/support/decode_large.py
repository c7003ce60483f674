#!/usr/bin/env python3
"""What `ptybot decode` needs of memory for recordings of any size: the blocks of one over and over, up
to so many megabytes. Prints the peak of each, and ends with 1 where the largest needs more than the
smallest.

    decode_large.py PTYBOT CAPTURE MEGABYTES..."""

import os
import sys

SPARE_KB = 1024  # chosen: what the allocator and the kernel may do from run to run


def decode(ptybot, flags, blocks, wanted):
    """Peak in kB, and seconds of CPU, of one run."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(read, 0)
        os.close(write)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(ptybot, [ptybot, "decode", *flags, "-"])
    os.close(read)
    sent = 0
    with os.fdopen(write, "wb", buffering=0) as out:
        while sent < wanted:
            sent += out.write(blocks)
    _, status, used = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"decode ended with {status}")
    return used.ru_maxrss, used.ru_utime + used.ru_stime


def main():
    ptybot, capture, *sizes = sys.argv[1:]
    with open(capture, "rb") as file:
        once = file.read()
    blocks = once * (1 + (1 << 22) // len(once))  # whole files, so that sections begin anew
    failed = False
    for flags in [], ["--json"], ["--summary"]:
        peaks = []
        for megabytes in map(int, sizes):
            peak, took = decode(ptybot, flags, blocks, megabytes * 1000000)
            peaks.append(peak)
            print(f"decode {' '.join(flags):9} {megabytes:5} MB: {peak} kB at most, {megabytes / took:.0f} MB/s",
                  flush=True)
        failed = failed or max(peaks) > min(peaks) + SPARE_KB
    sys.exit(failed)


main()
