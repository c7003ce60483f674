"""The control socket's protocol without any input or output: bytes in, messages out, and back.

Both the blocking and the asyncio connection are thin shells around `Protocol`.
"""

from __future__ import annotations

import json
import math
import os
import reprlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, TypeVar, Union

from ._errors import PtybotError, RequestError, from_reply

T = TypeVar("T")


def wall_s(seconds: float, warp: Optional[str] = os.environ.get("PTYBOT_WARP")) -> float:
    """So many seconds of wall time, by the clock of this process, which WARP lets run faster."""
    try:
        factor = float(warp or 1)
    except ValueError:
        factor = 1.0
    return seconds * factor if 1 <= factor < math.inf else seconds


REPLY_TIMEOUT_S = wall_s(30)
"""For replies that come at once. Chosen: three times what `ptybot ctl` allows."""


LINE_MAX = 1 << 26
"""Bytes of one message. Chosen: a picture of a large room has a tenth of it."""


@contextmanager
def foreign(said: object) -> Iterator[None]:
    """Turns every error in the received message SAID into a PtybotError."""
    try:
        yield
    except PtybotError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as wrong:
        raise PtybotError(f"the other side is not ptybot: it sent {reprlib.repr(said)}") from wrong


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, and how to read the result."""

    method: str
    params: Mapping[str, object]
    decode: Callable[[Any], T]
    timeout_s: Optional[float] = REPLY_TIMEOUT_S
    """How long to wait for a reply; None: it comes after a step, or when a condition holds."""
    late: str = "the simulation is stopped or very busy"
    """Why no reply may have come."""

    def read(self, result: Any) -> T:
        with foreign(result):
            return self.decode(result)


@dataclass(frozen=True)
class Reply:
    id: int
    result: Any = None
    error: Optional[RequestError] = None


@dataclass(frozen=True)
class Notification:
    method: str
    params: Dict[str, Any]


Message = Union[Reply, Notification]


@dataclass
class Protocol:
    """One connection."""

    _next_id: int = 1
    _partial: bytearray = field(default_factory=bytearray)

    def request(self, call: Call[T]) -> "tuple[int, bytes]":
        """The number of the request, and the line to send."""
        number = self._next_id
        self._next_id += 1
        line = {"jsonrpc": "2.0", "id": number, "method": call.method, "params": dict(call.params)}
        return number, json.dumps(line, separators=(",", ":")).encode() + b"\n"

    def feed(self, data: bytes) -> List[Message]:
        """The received whole messages; the rest is kept."""
        if b"\n" not in data:
            self._partial += data
            if len(self._partial) > LINE_MAX:
                raise PtybotError(f"the other side is not ptybot: it sent a line of more than {LINE_MAX} bytes")
            return []
        *lines, rest = (bytes(self._partial) + data).split(b"\n")
        self._partial = bytearray(rest)
        return [_message(line) for line in lines if line]


def _message(line: bytes) -> Message:
    with foreign(line):
        said = json.loads(line)
        if "method" in said:
            return Notification(str(said["method"]), dict(said.get("params", {})))
        if "error" in said:
            return Reply(int(said["id"] or 0), error=from_reply(said["error"]))
        return Reply(int(said["id"]), result=said["result"])
