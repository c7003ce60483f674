"""The longer requests of the control socket, and the meaning of its replies. No input or output."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._errors import InvalidRequest
from ._protocol import REPLY_TIMEOUT_S, Call
from ._run import Run

Value = float
"""Value of a signal: a number; 0 or 1 for a switch, and nan for a value that is not finite."""

AfterWriting = Union[int, Mapping[str, int], None]
"""Bytes that the test has written since the last step that named some of this link, or since the start,
`connect` or `pause`: of the only link, or of several by `robot` or `robot.channel`."""


@dataclass(frozen=True)
class Found:
    """A condition that has come true."""

    time_s: float
    """Simulated time."""
    found: str
    """The values of its signals, in words."""


@dataclass(frozen=True)
class Step:
    """Time has gone on."""

    time_s: float
    written: Dict[str, int]
    """Bytes that each link's host was sent since the start: read until you have them all."""
    received: Dict[str, int]
    """Bytes that came from each link's host since the start."""
    new: Dict[str, int] = field(default_factory=dict)
    """Bytes that each link's host was sent since the step before."""
    holds: Optional[bool] = None
    """Whether `until` holds; None without it."""
    found: str = ""


@dataclass(frozen=True)
class Link:
    """A link as it is now."""

    name: str
    kind: str
    place: str
    plugged: bool
    host: bool
    baud: int
    host_baud: int
    received: int
    written: int
    dropped: int
    hosts: int


@dataclass(frozen=True)
class Row:
    """One report of a watch."""

    time_s: float
    values: Dict[str, Value]
    texts: Dict[str, str]
    dropped: int
    """Messages that were left out since the watch began, because they were not read in time."""


# ---- Replies ----


def _value(found: Any) -> Value:
    if found is not None and not isinstance(found, (int, float)):
        raise TypeError(found)
    return math.nan if found is None else found


def time_s(result: Any) -> float:
    return float(result["time_s"])


def values(result: Any) -> Dict[str, Value]:
    return {one["name"]: _value(one["value"]) for one in result["signals"]}


def texts(result: Any) -> Dict[str, str]:
    return {one["name"]: one.get("text", str(one["value"])) for one in result["signals"]}


def _step(result: Any) -> Step:
    return Step(
        float(result["time_s"]),
        dict(result["written"]),
        dict(result["received"]),
        holds=result.get("holds"),
        found=result.get("found", ""),
    )


def links(result: Any) -> Dict[str, Link]:
    keys = Link.__dataclass_fields__
    return {
        one["name"]: Link(**{key: value for key, value in one.items() if key in keys})
        for one in result
    }


def row(params: Dict[str, Any]) -> Row:
    """A notification of a watch."""
    return Row(
        float(params["time_s"]),
        {name: _value(value) for name, value in params["values"].items()},
        dict(params.get("texts", {})),
        int(params["dropped"]),
    )


# ---- Requests ----


def command(name: str, arguments: Mapping[str, object]) -> str:
    """A command and its arguments in one text."""
    return " ".join([name, *(f"{key.rstrip('_')}={_word(value)}" for key, value in arguments.items())])


def wait(condition: str, within_s: float) -> Call[Tuple[bool, Found]]:
    return Call(
        "wait",
        {"until": condition, "timeout_s": within_s},
        lambda result: (bool(result["holds"]), Found(time_s(result), str(result["found"]))),
        timeout_s=None,
    )


def step(
    ms: int, received: Mapping[str, int], until: Optional[str], timeout_s: float = REPLY_TIMEOUT_S
) -> Call[Step]:
    """Behind a fence it is given up after TIMEOUT_S and the time that it lets pass: the bytes may never
    come."""
    params: Dict[str, object] = {"ms": ms}
    if until is not None:
        params["until"] = until
    if not received:
        return Call("step", params, _step, timeout_s=None)
    params["received"] = dict(received)
    late = f"the step waits for the bytes of {dict(received)} in all from the host"
    return Call("step", params, _step, timeout_s + ms / 1000, late)


def _word(value: object) -> str:
    """A value as commands write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(float(value)) if isinstance(value, float) else str(value)
    if not re.search(r"[\s\"']", text) and text:
        return text
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}"


# ---- Bytes that must arrive before a step ----


class Fence:
    """Turns "the n bytes that I wrote" into the totals that a step waits for, and the totals of its
    reply into the new bytes. Only bytes that steps have named count: the bytes that a step without a
    fence takes along depend on the machine."""

    def __init__(self, run: Run) -> None:
        self._channels = run.links()
        self._named = {name: 0 for name in self._channels}
        self._written = {name: 0 for name in self._channels}

    def note(self, links: Mapping[str, Link]) -> None:
        """Counts from here on."""
        self._named = {name: link.received for name, link in links.items()}
        self._written = {name: link.written for name, link in links.items()}

    def totals(self, after_writing: AfterWriting) -> Dict[str, int]:
        if after_writing is None:
            return {}
        if isinstance(after_writing, int):
            if len(self._channels) != 1:
                raise InvalidRequest(
                    f"after_writing={after_writing}: which link? give a dict; there are "
                    f"{', '.join(self._channels) or 'none'}"
                )
            after_writing = {self._channels[0]: after_writing}
        return {
            link: self._named[link] + count
            for link, count in ((self._link(name), count) for name, count in after_writing.items())
        }

    def passed(self, step: Step, totals: Mapping[str, int]) -> Step:
        """The step that has waited for these totals."""
        for name, count in step.written.items():
            step.new[name] = count - self._written.get(name, 0)
        self._named.update(totals)
        self._written = dict(step.written)
        return step

    def _link(self, name: str) -> str:
        of_robot = [link for link in self._channels if link.split(".")[0] == name]
        if name not in self._channels and len(of_robot) != 1:
            raise InvalidRequest(
                f"after_writing: there is no link '{name}'; there are {', '.join(self._channels)}"
            )
        return name if name in self._channels else of_robot[0]
