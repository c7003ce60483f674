"""Lockstep in Python, for `./dev bench wire.lockstep`: microseconds of a tick (a command, a step of 20 ms and its
packet) and of a step of 1 ms, by the page and by messages. Blocks take turns, as in wire_answer.c."""

import os
import tty
from time import perf_counter
from typing import List

import ptybot

COMMAND = bytes.fromhex("aa55 06 01 04 c8009001 5a")
BLOCKS, BLOCK = 100, 50


class Lockstep:
    def __init__(self, page: str) -> None:
        os.environ["PTYBOT_STEP_PAGE"] = page
        self.sim = ptybot.run("kobuki", lockstep=True)
        self.port = os.open(self.sim.port(), os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.port)
        self.sim.step(1)  # which finds the page
        self.ticks_us: List[float] = []
        self.steps_us: List[float] = []

    def read(self, size: int) -> None:
        while size > 0:
            size -= len(os.read(self.port, size))

    def block(self) -> None:
        sim, port = self.sim, self.port
        from_s = perf_counter()
        for _ in range(BLOCK):
            self.read(sim.step(20, after_writing=os.write(port, COMMAND)).new["kobuki.uart"])
        ticks_s = perf_counter()
        new = 0
        for _ in range(BLOCK):
            new += sim.step(1).new["kobuki.uart"]
        self.steps_us.append((perf_counter() - ticks_s) / BLOCK * 1e6)
        self.ticks_us.append((ticks_s - from_s) / BLOCK * 1e6)
        self.read(new)


def tenth(times_us: List[float]) -> float:
    return sorted(times_us)[BLOCKS // 10]


def main() -> None:
    kinds = [Lockstep("on"), Lockstep("off")]
    for _ in range(BLOCKS):
        for kind in kinds:
            kind.block()
    for kind in kinds:
        print(tenth(kind.ticks_us), tenth(kind.steps_us))
        os.close(kind.port)
        kind.sim.close()


if __name__ == "__main__":
    main()
