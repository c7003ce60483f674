"""Steps in memory that a run in lockstep shares: include/ptybot/step_page.h."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
from typing import Any, Dict, List, Mapping

from ._errors import from_reply
from ._protocol import Call

_FUTEX = 202
"""The system call on x86-64. Other processors may reorder the writes of Python."""
IS_KNOWN = os.uname().machine == "x86_64" and ctypes.sizeof(ctypes.c_void_p) == 8
_TENTH_S = (ctypes.c_int64 * 2)(0, 100000000)
"""A timespec. Chosen: until a dead run is noticed."""
_MS_MAX = 86400000
_LOOKS = 400
"""Chosen: about 0.05 ms, longer than most steps."""
_PENALTY_MAX = 1023
"""Steps without a look. Chosen: failed looks then take less than a thousandth of the time."""


class _Head(ctypes.Structure):
    _fields_ = [
        ("key", ctypes.c_uint64),
        ("asked", ctypes.c_uint32),
        ("answered", ctypes.c_uint32),
        ("ms", ctypes.c_uint32),
        ("code", ctypes.c_int32),
        ("time_us", ctypes.c_int64),
        ("text", ctypes.c_char * 764),
        ("is_awake", ctypes.c_uint32),
    ]


class _Link(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("wanted", "received", "written")]


class StepPage:
    """The page that a reply describes. OSError, TypeError or ValueError: there is none."""

    def __init__(self, about: Mapping[str, Any], links: List[str]) -> None:
        file = os.open(about["path"], os.O_RDWR)
        try:
            # In another container the path may be a different file.
            if os.pread(file, 8, 0) != about["key"].to_bytes(8, "little"):
                raise ValueError(about)
            memory = mmap.mmap(file, about["size"])
        finally:
            os.close(file)
        self._skips = self._penalty = 0
        self._head = _Head.from_buffer(memory)
        all_links = (_Link * len(links)).from_buffer(memory, ctypes.sizeof(_Head))
        self._links: Dict[str, Any] = dict(zip(links, all_links))
        self._answered = ctypes.c_void_p(ctypes.addressof(self._head) + _Head.answered.offset)
        self._system_call = ctypes.CDLL(None, use_errno=True).syscall

    def ask(self, call: Call[Any]) -> bool:
        """Requests a step; then the run must be woken. False: only a message can request this, or is refused."""
        params: Mapping[str, Any] = call.params
        if call.method != "step" or "until" in params:
            return False
        received = params.get("received", {})
        for number in (params["ms"], *received.values()):
            if type(number) is not int or number < 0:
                return False
        if params["ms"] > _MS_MAX:
            return False
        for name, link in self._links.items():
            link.wanted = received.get(name, 0)
        self._head.ms = params["ms"]
        self._head.asked = self._head.answered + 1
        return True

    def must_be_woken(self) -> bool:
        return bool(self._head.answered != self._head.asked and not self._head.is_awake)

    def is_under_way(self) -> bool:
        return bool(self._head.answered != self._head.asked)

    def _look(self) -> None:
        """Looks for a moment, since a sleeping processor takes longer to wake than a step takes. If looks fail, as
        on one processor, they become rare."""
        if self._skips > 0:
            self._skips -= 1
            return
        head = self._head
        for _ in range(_LOOKS):
            if head.answered == head.asked:
                self._penalty = self._penalty * 3 // 4
                return
        self._skips = self._penalty = min(2 * self._penalty + 1, _PENALTY_MAX)

    def wait(self) -> bool:
        """Waits for the end of the step, for a tenth of a second. False: it has not ended."""
        self._look()
        while self.is_under_way():
            before = ctypes.c_uint32(self._head.asked - 1)
            slept = self._system_call(_FUTEX, self._answered, 0, before, _TENTH_S, None, 0)
            if slept != 0 and ctypes.get_errno() == errno.ETIMEDOUT:
                return False
        return True

    def result(self) -> Dict[str, Any]:
        """As a reply has it; raises the error of the step."""
        head = self._head
        if head.code != 0:
            raise from_reply({"code": head.code, "message": head.text.decode()})
        return {
            "time_s": head.time_us / 1e6,
            "written": {name: link.written for name, link in self._links.items()},
            "received": {name: link.received for name, link in self._links.items()},
        }
