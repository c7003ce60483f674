"""Asks two boards with the protocol of ros_arduino_bridge the same random lines: their replies are the same.
bridge_differ.py PORT PORT LINES SEED

Counts of encoders are the same while the robots stand. While they drive, the one may be a pass of its PID (33 ms) ahead of the
other, and from then on the two are somewhere else: both count from 0 again after `r`, which is sent often."""
import random
import sys
import time

from bridge_square import Board

PASS_COUNTS = 9650 * 0.033  # of the fastest wheel, in a pass


def number(r):
    return r.choice(["", "0", "1", "-1", str(r.randint(-300, 300)), str(r.randint(-99999, 99999)), "36.7", "x", "+5", "--2", "0012"])


def line(r):
    """What a random host writes; pins are not those of wheels and sensors."""
    kind = r.choice("eeeeemmmoourbadwxcpzn")
    if kind == "m":
        return f"m {r.randint(-60, 60)} {r.randint(-60, 60)}"
    if kind == "o":
        return f"o {r.randint(-255, 255)} {r.randint(-255, 255)}"
    if kind == "u":
        return r.choice(["u 20:12:0:50", "u 20:12:0:50", "u 30:20:0:100", "u 10:5:0:40", "u 20:12", "u :20", "u", "u 20:12:0:50:9"])
    if kind == "a":
        return f"a {r.randint(0, 7)}"
    if kind == "w":
        return f"w {r.randint(30, 33)} {r.choice(['0', '1', '2', ''])}"
    if kind == "d":
        return f"d {r.randint(30, 33)}"
    if kind == "x":
        return f"x {r.randint(44, 46)} {r.randint(-10, 300)}"
    if kind == "c":
        return f"c {r.randint(34, 37)} {r.choice(['0', '1', '2', ''])}"
    if kind == "z":
        return "".join(r.choice("zqjv \n\t,.!") for _ in range(r.randint(0, 12)))
    if kind == "n":
        return f"{r.choice('ebzyr')} {number(r)} {number(r)} {number(r)}"
    return r.choice(["", "q", "\n"]) + kind


def counts_agree(a, b, tolerance):
    pairs = list(zip(map(int, a.split()), map(int, b.split())))
    return len(pairs) == 2 and all(abs(n - m) <= tolerance + 0.02 * max(abs(n), abs(m)) for n, m in pairs)


def main():
    boards = [Board(path) for path in sys.argv[1:3]]
    r = random.Random(int(sys.argv[4]))
    is_still, worst = True, 0
    for board in boards:
        for pin in range(30, 34):
            board.order(f"c {pin} 1")
    for i in range(int(sys.argv[3])):
        text = line(r)
        replies = [board.ask(text) for board in boards]
        letter = text.split(" ")[0].strip("\n\t")[-1:] if text.split(" ") else ""
        if letter == "e" and replies[0] != replies[1]:
            worst = max([worst] + [abs(int(n) - int(m)) for n, m in zip(*(reply.split() for reply in replies))])
            if is_still or not counts_agree(*replies, 2 * PASS_COUNTS):
                sys.exit(f"line {i} {text!r}: {replies}, {'standing' if is_still else 'driving'}")
        elif replies[0] != replies[1]:
            sys.exit(f"line {i} {text!r}: {replies}")
        if letter in ("m", "o"):
            is_still = False
        if i % 40 == 39:
            # Until both have stopped.
            for board in boards:
                board.order("o 0 0")
            time.sleep(0.5)
            for board in boards:
                board.order("r")
            is_still = True
        elif r.random() < 0.1:
            time.sleep(r.random() * 0.1)
    print(f"{sys.argv[3]} lines, the same replies; counts while driving differed by up to {worst}")


main()
