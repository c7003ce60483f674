"""Drivers of `ptybot test`: a command, or a function of a test module in a separate process. This module
calls the function there: `python3 -m ptybot._host FILE FUNCTION`."""

from __future__ import annotations

import inspect
import os
import runpy
import sys
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Union

Host = Union[Callable[..., object], Sequence[str]]


def command(host: Host) -> List[str]:
    """The words of the command line."""
    if not callable(host):
        return list(host)
    name = host.__qualname__
    if not name.isidentifier():
        raise TypeError(f"host: {name} is not a function of a module, so another process cannot import it")
    return [sys.executable, "-m", "ptybot._host", inspect.getfile(host), name]


def environment() -> Dict[str, str]:
    """The environment of the driver, with the search path of this process."""
    package = str(Path(__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [package, *sys.path]))}


def call(file: str, name: str) -> None:
    """Calls the function. Its parameters are names of robots; each gets the port of its robot."""
    function = runpy.run_path(file)[name]
    ports = {}
    for robot in inspect.signature(function).parameters:
        port = os.environ.get(f"PTYBOT_PORT_{robot.upper()}")
        if port is None:
            sys.exit(f"{name}: the scene has no robot {robot}")
        ports[robot] = port
    function(**ports)


if __name__ == "__main__":
    call(*sys.argv[1:])
