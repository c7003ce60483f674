"""The exceptions of the package. Each has the message of the program."""

from __future__ import annotations

from typing import Any, Dict, Type


class PtybotError(Exception):
    """All errors of this package."""


class NoReply(PtybotError):
    """The run has not answered in time; the request is cancelled."""


class StartError(PtybotError):
    """ptybot could not be started, or ended before it was ready."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code
        """Its exit code: 2 bad usage or scene, 3 environment; 0 where there is none."""


class ExpectationFailed(PtybotError, AssertionError):
    """An `expect` of the scene failed, or a command of its timeline was refused."""


class WaitTimeout(PtybotError, AssertionError):
    """A condition did not come true in time; `found` has the last values."""

    def __init__(self, condition: str, found: str, time_s: float) -> None:
        super().__init__(f"{condition}: did not come true by {time_s:.3f} s: {found}")
        self.found = found
        self.time_s = time_s


class RequestError(PtybotError):
    """A request was answered with an error."""

    code = 0


class InvalidRequest(RequestError, ValueError):
    """The request itself is wrong: an unknown method, a wrong parameter."""


class Refused(RequestError):
    """A command was refused; the message says why."""

    code = -32000


class Unknown(RequestError, LookupError):
    """There is no such signal, link or list; the message may know which was meant."""

    code = -32001


class NotHeld(RequestError):
    """A step was asked for while time runs, or time was let run or paused before it was done."""

    code = -32002


class Unreachable(RequestError):
    """The bytes to wait for do not fit before the next step."""

    code = -32003


class TooMany(RequestError):
    """All places for clients are taken."""

    code = -32004


class Ended(RequestError, ConnectionError):
    """The run has ended."""

    code = -32005


_BY_CODE: Dict[int, Type[RequestError]] = {
    kind.code: kind for kind in (Refused, Unknown, NotHeld, Unreachable, TooMany, Ended)
}


def from_reply(error: Dict[str, Any]) -> RequestError:
    """The exception for the `error` of a reply."""
    code = int(error.get("code", 0))
    made = _BY_CODE.get(code, InvalidRequest)(str(error.get("message", "no reason given")))
    made.code = code
    return made
