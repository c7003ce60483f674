"""Steps in memory that a run in lockstep shares: include/ptybot/step_page.h."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
from typing import Any, Dict, List, Mapping

from ._calls import Step
from ._errors import from_reply
from ._protocol import Call

_FUTEX = 202
"""The system call on x86-64, whose order of memory accesses Python needs here."""
PAGES_ARE_KNOWN = os.uname().machine == "x86_64" and ctypes.sizeof(ctypes.c_void_p) == 8


class _Head(ctypes.Structure):
    _fields_ = [
        ("key", ctypes.c_uint64),
        ("asked", ctypes.c_uint32),
        ("answered", ctypes.c_uint32),
        ("ms", ctypes.c_uint32),
        ("code", ctypes.c_int32),
        ("time_us", ctypes.c_int64),
        ("text", ctypes.c_char * 768),
    ]


class _Link(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("wanted", "received", "written")]


def is_for_page(call: Call[Any]) -> bool:
    """Whether a page can ask for this; a step of more than a day is refused by a message."""
    if call.method != "step" or "until" in call.params:
        return False
    received: Any = call.params.get("received", {})
    numbers = [call.params["ms"], *received.values()]
    return all(isinstance(one, int) and one >= 0 for one in numbers) and numbers[0] <= 86400000


class StepPage:
    """The page that a reply ABOUT names, with its LINKS. OSError or ValueError: it is not there."""

    def __init__(self, about: Mapping[str, Any], links: List[str]) -> None:
        file = os.open(about["path"], os.O_RDWR)
        try:
            # In another container the path may lead elsewhere.
            if os.pread(file, 8, 0) != int(about["key"]).to_bytes(8, "little"):
                raise ValueError(about)
            memory = mmap.mmap(file, about["size"])
        finally:
            os.close(file)
        self._head = _Head.from_buffer(memory)
        self._links: Dict[str, Any] = dict(
            zip(links, (_Link * len(links)).from_buffer(memory, ctypes.sizeof(_Head)))
        )
        self._answered = ctypes.addressof(self._head) + _Head.answered.offset
        self._call = ctypes.CDLL(None, use_errno=True).syscall
        self._tenth_s = (ctypes.c_int64 * 2)(0, 100000000)

    def ask(self, params: Mapping[str, Any]) -> None:
        """Requests a step as a message would; then the run must be woken."""
        received = params.get("received", {})
        for name, link in self._links.items():
            link.wanted = received.get(name, 0)
        self._head.ms = params["ms"]
        self._head.asked = self._head.answered + 1

    def wait(self) -> bool:
        """Waits for the end of the step, for a tenth of a second. False: look whether the run lives."""
        head, wait = self._head, ctypes.c_void_p(self._answered)
        while head.answered != head.asked:
            slept = self._call(_FUTEX, wait, 0, ctypes.c_uint32(head.asked - 1), self._tenth_s, None, 0)
            if slept != 0 and ctypes.get_errno() == errno.ETIMEDOUT:
                return False
        return True

    def result(self) -> Step:
        if self._head.code != 0:
            raise from_reply({"code": self._head.code, "message": self._head.text.decode()})
        return Step(
            self._head.time_us / 1e6,
            {name: int(link.written) for name, link in self._links.items()},
            {name: int(link.received) for name, link in self._links.items()},
        )
