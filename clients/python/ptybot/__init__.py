"""Virtual robots for tests of host drivers: starts ptybot, and talks to a running one.

    import ptybot

    with ptybot.run("kobuki") as sim:
        print(sim.port())                       # the serial port that a driver opens
        sim.do("kobuki.press", bumper="left")
        sim.wait("kobuki.bumper == 4", within_s=5)

`ptybot.aio` has the same for asyncio, `pytest` finds the fixture `ptybot_sim` automatically.
"""

from ._calls import Found, Link, Step, Value
from ._errors import (
    Ended,
    ExpectationFailed,
    InvalidRequest,
    NoReply,
    NotHeld,
    PtybotError,
    Refused,
    RequestError,
    StartError,
    TooMany,
    Unknown,
    Unreachable,
    WaitTimeout,
)
from ._run import Channel, Launch, Robot, Run, find_program
from ._sim import Simulation, Watch, connect, run

__version__ = "0.2.0"

__all__ = [
    "Channel",
    "Ended",
    "ExpectationFailed",
    "Found",
    "InvalidRequest",
    "Launch",
    "Link",
    "NoReply",
    "NotHeld",
    "PtybotError",
    "Refused",
    "RequestError",
    "Robot",
    "Run",
    "Simulation",
    "StartError",
    "Step",
    "TooMany",
    "Unknown",
    "Unreachable",
    "Value",
    "WaitTimeout",
    "Watch",
    "connect",
    "find_program",
    "run",
]
