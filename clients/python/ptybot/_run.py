"""A run of ptybot: its start, and its message when it is ready."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Ended, ExpectationFailed, StartError, Unknown
from ._protocol import foreign, wall_s

START_TIMEOUT_S = wall_s(30)
"""Chosen: far longer than a start takes on a busy machine."""
END_TIMEOUT_S = wall_s(10)
"""Chosen: an orderly end takes some milliseconds."""

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Channel:
    """A robot's own interface, and where a host connects to it."""

    name: str
    link: str
    """A kind that `ptybot list links` shows: "pty", "tcp", ..."""
    path: Optional[str] = None
    address: Optional[str] = None
    port: Optional[int] = None
    baud: Optional[int] = None

    @property
    def place(self) -> str:
        """The path, or HOST:PORT."""
        if self.path is not None:
            return self.path
        host = f"[{self.address}]" if ":" in str(self.address) else self.address
        return f"{host}:{self.port}"


@dataclass(frozen=True)
class Robot:
    name: str
    type: str
    channels: Tuple[Channel, ...]


@dataclass(frozen=True)
class Run:
    """The line that `ptybot run --json` prints, and the reply to `version`."""

    name: str
    version: str
    build: str
    pid: int
    folder: str
    control: str
    lockstep: bool
    robots: Tuple[Robot, ...]

    @staticmethod
    def from_json(said: Any) -> "Run":
        """From the object, whose unknown keys are left out."""
        robots = tuple(
            Robot(
                one["name"],
                one["type"],
                tuple(
                    Channel(**{key: channel[key] for key in _CHANNEL_KEYS if key in channel})
                    for channel in one["channels"]
                ),
            )
            for one in said["robots"]
        )
        texts = {key: said[key] or "" for key in ("name", "version", "build", "folder", "control")}
        return Run(pid=said["pid"], lockstep=said["lockstep"], robots=robots, **texts)

    def links(self) -> List[str]:
        """Their names, ROBOT.CHANNEL."""
        return [f"{robot.name}.{channel.name}" for robot in self.robots for channel in robot.channels]

    def only_robot(self) -> str:
        """Its name. A scene with several robots has none."""
        if len(self.robots) != 1:
            there = ", ".join(robot.name for robot in self.robots) or "none"
            raise Unknown(f"the scene has several robots, so name one; there are {there}")
        return self.robots[0].name

    def channel(self, robot: Optional[str], channel: Optional[str]) -> Channel:
        """The first channel that fits. A scene with several robots needs a name."""
        fits = [
            (one.name, candidate)
            for one in self.robots
            for candidate in one.channels
            if robot in (None, one.name) and channel in (None, candidate.name)
        ]
        there = ", ".join(self.links()) or "none"
        if not fits:
            wanted = f"{robot or 'any robot'}{'.' + channel if channel else ''}"
            raise Unknown(f"there is no link of {wanted}; there are {there}")
        if len({name for name, _ in fits}) > 1:
            raise Unknown(f"the scene has several robots, so name one; there are {there}")
        return fits[0][1]


_CHANNEL_KEYS = tuple(Channel.__dataclass_fields__)


def find_program() -> str:
    """$PTYBOT, or `ptybot` of $PATH, or the build of the checkout around this file."""
    named = os.environ.get("PTYBOT")
    if named:
        return named
    found = shutil.which("ptybot")
    built = Path(__file__).resolve().parents[3] / "build" / "release" / "app" / "ptybot"
    if found:
        return found
    if built.is_file():
        return str(built)
    raise StartError(
        "ptybot is not installed: install the package ptybot, or set PTYBOT to the path of the program"
    )


@dataclass
class Launch:
    """How to start a run. The defaults are those of `ptybot run`."""

    scene: PathLike = "kobuki"
    """A file, the name of an installed scene, or a robot type."""
    lockstep: bool = False
    """Advance time only by `step`."""
    speed: Optional[float] = None
    """Simulated seconds per second."""
    fast: bool = False
    seed: Optional[int] = None
    set: Optional[Mapping[str, object]] = None
    """Options of robots: {"kobuki.battery_v": 14.2}."""
    link: Optional[Mapping[str, str]] = None
    """Links instead of the scene's: {"kobuki": "tcp:auto"}."""
    journal: Optional[PathLike] = None
    capture: Optional[PathLike] = None
    log: Optional[PathLike] = None
    view: bool = False
    """With a window."""
    arguments: Sequence[str] = ()
    """Further words of the command line."""
    program: Optional[str] = None
    """The program; None: `find_program()`."""

    def words(self) -> List[str]:
        """The command line."""
        words = [self.program or find_program(), "run", os.fspath(self.scene)]
        words += ["--private", "--json", "--die-with-parent"]
        for key in ("lockstep", "fast", "view"):
            words += [f"--{key}"] if getattr(self, key) else []
        for key in ("speed", "seed", "journal", "capture", "log"):
            value = getattr(self, key)
            words += [f"--{key}", str(value)] if value is not None else []
        return words + self.changes()

    def changes(self) -> List[str]:
        """The part of the command line that changes the scene, and the further words."""
        words: List[str] = []
        for name, value in (self.set or {}).items():
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            words += ["--set", f"{name}={shown}"]
        for name, address in (self.link or {}).items():
            words += ["--link", f"{name}={address}"]
        return [*words, *self.arguments]


class Process:
    """A started run that is not ready yet: `ready_line` comes next."""

    def __init__(self, launch: Launch) -> None:
        self.words = launch.words()
        # A file, so that the output need not be read while the run continues.
        self._said: IO[bytes] = tempfile.TemporaryFile()
        try:
            self.popen = subprocess.Popen(
                self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said
            )
        except OSError as wrong:
            self._said.close()
            raise StartError(f"{self.words[0]}: {wrong.strerror}") from wrong

    def take_ready(self, line: bytes) -> Run:
        """What the first line says; without one, why it did not start."""
        if line.endswith(b"\n"):
            with foreign(line):
                self.ready = json.loads(line)
                return Run.from_json(self.ready)
        code = self.end()
        words = self.said().strip() or f"{self.words[0]} was not ready within {START_TIMEOUT_S:g} s"
        raise StartError(words.replace("ptybot: error: ", "", 1), max(code, 0))

    def said(self) -> str:
        """Everything that ptybot has printed so far."""
        if self._said.closed:
            return self._last_words
        # The program shares the file's position: seek would move its next output.
        size = os.fstat(self._said.fileno()).st_size
        return os.pread(self._said.fileno(), size, 0).decode(errors="replace")

    def end(self, timeout_s: float = END_TIMEOUT_S) -> int:
        """Ends it cleanly, and returns its exit code, or minus the signal that ended it. Safe
        to call again."""
        for stream in (self.popen.stdin, self.popen.stdout):
            if stream is not None:
                stream.close()
        try:
            code = self.popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            code = self.popen.wait()
        if not self._said.closed:
            self._last_words = self.said()
            self._said.close()
        return code

    def check_end(self) -> None:
        """Ends it; raises where the scene's expectations failed or it did not end well."""
        code = self.end()
        if code == 1:
            raise ExpectationFailed(f"an expectation of the scene failed\n{self.said()}")
        if code != 0:
            raise Ended(f"ptybot ended with {code}: {self.said().strip()}")

    ready: Dict[str, Any] = {}
    """Its line, unchanged."""
    _last_words = ""
