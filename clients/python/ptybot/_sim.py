"""A simulation for programs that wait: blocking calls."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from types import TracebackType
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _calls
from ._calls import AfterWriting, Fence, Found, Link, Row, Step, Value
from ._errors import Ended, NoReply, NotHeld, PtybotError, WaitTimeout
from ._protocol import REPLY_PATIENCE_S, Call, Message, Notification, Protocol, Reply
from ._run import START_PATIENCE_S, Launch, PathLike, Process, Run

T = TypeVar("T")


class Connection:
    """One connection to a control socket."""

    def __init__(self, control: str) -> None:
        self._control = control
        self._lock = threading.Lock()
        self._open()

    def _open(self) -> None:
        self._protocol = Protocol()
        control = self._control
        host, colon, port = control.rpartition(":")
        try:
            if colon and port.isdigit() and "/" not in control:
                self._socket = socket.create_connection((host.strip("[]"), int(port)), REPLY_PATIENCE_S)
            else:
                self._socket = socket.socket(socket.AF_UNIX)
                self._socket.connect(control)
        except OSError as wrong:
            raise Ended(f"{control}: {wrong.strerror}; is the simulation running?") from wrong

    def ask(self, call: Call[T]) -> T:
        with self._lock:
            number, line = self._protocol.request(call)
            try:
                self._socket.settimeout(call.patience_s)
                self._socket.sendall(line)
            except OSError:
                pass  # it may have said why it closed
            try:
                return self._reply(call, number)
            except NoReply:
                # Who leaves takes a step along that has not begun.
                self.close()
                self._open()
                raise

    def _reply(self, call: Call[T], number: int) -> T:
        while True:
            for message in self.messages(call.patience_s, call.late):
                if isinstance(message, Reply) and message.error:
                    raise message.error
                if isinstance(message, Reply) and message.id == number:
                    return call.decode(message.result)

    def messages(self, patience_s: Optional[float], late: str = "") -> List[Message]:
        """Waits for what comes next."""
        try:
            self._socket.settimeout(patience_s)
            data = self._socket.recv(1 << 16)
        except socket.timeout:
            raise NoReply(f"no reply within {patience_s:g} s: {late}") from None
        except OSError as wrong:
            raise Ended(f"the run has ended: {wrong.strerror}") from wrong
        if not data:
            raise Ended("the run has ended")
        return self._protocol.feed(data)

    def close(self) -> None:
        self._socket.close()


class Watch:
    """Rows of signals, one each so many milliseconds of simulated time; ends with the run."""

    def __init__(self, control: str, signals: Tuple[str, ...], every_ms: int) -> None:
        self._connection = Connection(control)
        self._rows: List[Row] = []
        try:
            self._connection.ask(_calls.watch(signals, every_ms))
        except PtybotError:
            self.close()
            raise

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        while not self._rows:
            try:
                messages = self._connection.messages(None)
            except Ended:
                raise StopIteration from None
            self._rows = [_calls.row(one.params) for one in messages if isinstance(one, Notification)]
        return self._rows.pop(0)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Simulation:
    """A running simulation. Made by `run` and `connect`; several threads may use it at once."""

    def __init__(self, run: Run, connection: Connection, process: Optional[Process]) -> None:
        self.run = run
        """Name, version, pid, folder, control socket, robots."""
        self.process = process
        """None: somebody else has started it."""
        self.patience_s = REPLY_PATIENCE_S
        """How long a step waits for the bytes of its fence, beside the time that it lets pass."""
        self._connection = connection
        self._fence = Fence(run)

    # ---- Where it is ----

    def port(self, robot: Optional[str] = None, channel: Optional[str] = None) -> str:
        """Where a driver connects: a path, or HOST:PORT. Without names, the first link's."""
        return self.run.channel(robot, channel).place

    def address(self, robot: Optional[str] = None, channel: Optional[str] = None) -> Tuple[str, int]:
        """Address and port of a TCP link."""
        found = self.run.channel(robot, channel)
        if found.address is None or found.port is None:
            raise PtybotError(f"{found.name} is no TCP link but {found.place}")
        return found.address, found.port

    @property
    def control(self) -> str:
        """The control socket, for other programs: $PTYBOT_CONTROL."""
        return self.run.control

    # ---- Looking ----

    def get(self, signal: str) -> Value:
        """The value of one signal: a number."""
        return self._ask(_calls.get((signal,)))[signal]

    def text(self, signal: str) -> str:
        """The same in words, where its numbers stand for words."""
        return self._ask(_calls.texts((signal,)))[signal]

    def values(self, *signals: str) -> Dict[str, Value]:
        """The values of signals, by names or globs such as "kobuki.*"."""
        return self._ask(_calls.get(signals))

    def watch(self, *signals: str, every_ms: int = 100) -> Watch:
        """Rows of signals from now on, on a connection of their own."""
        return Watch(self.run.control, signals, every_ms)

    def links(self) -> Dict[str, Link]:
        """The links as they are now, by ROBOT.CHANNEL."""
        return self._ask(_calls.links())

    def list(self, what: str) -> List[Dict[str, Any]]:
        """robots, signals, commands, options or links, as the control socket has them."""
        return self._ask(_calls.listing(what))

    @property
    def time_s(self) -> float:
        """Simulated time."""
        return self.get("world.time_s")

    # ---- Doing ----

    def do(self, command: str, **arguments: object) -> float:
        """A command, such as do("kobuki.press", bumper="left", for_=0.5), or in one text. An argument
        whose name is a keyword of Python has an underscore behind it. Returns the simulated time."""
        return self._ask(_calls.do(command, arguments))

    def place(self, robot: str, x: float, y: float, heading: float = 0) -> float:
        """Puts a robot elsewhere, at rest: meters and degrees."""
        return self.do(f"{robot}.place", x=x, y=y, heading=heading)

    def reset(self, robot: str = "world") -> float:
        """A robot's power off and on again; without a name all robots and things as at the start."""
        return self.do(f"{robot}.reset")

    # ---- Time ----

    def wait(self, condition: str, within_s: float = 60) -> Found:
        """Waits while time runs until a condition holds, such as "kobuki.x_m > 4", for so much simulated
        time at most; then it raises WaitTimeout."""
        if self.run.lockstep:
            raise NotHeld("wait lets no time pass in lockstep: use step(ms, until=...)")
        # On a connection of its own, so that others are answered meanwhile.
        connection = Connection(self.run.control)
        try:
            holds, found = connection.ask(_calls.wait(condition, within_s))
        finally:
            connection.close()
        if not holds:
            raise WaitTimeout(condition, found.found, found.time_s)
        return found

    def step(
        self, ms: int = 1, *, after_writing: AfterWriting = None, until: Optional[str] = None
    ) -> Step:
        """Lets time go on by so much, in lockstep or while paused. `after_writing`: not before the
        robot has taken the bytes that the test wrote to its port since the last step that named some (a
        step that names none takes along what happens to have come). `until`: stops when the condition
        holds; raises WaitTimeout if it does not come true. Bytes that do not come in time raise NoReply, and
        the step is not made."""
        totals = self._fence.totals(after_writing)
        done = self._fence.passed(self._ask(_calls.step(ms, totals, until, self.patience_s)), totals)
        if done.holds is False:
            raise WaitTimeout(str(until), done.found, done.time_s)
        return done

    def pause(self) -> float:
        """Stops time; then `step` lets it go on. What is written is counted from here on."""
        time_s = self._ask(_calls.pause(True))
        self._fence.note(self.links())
        return time_s

    def resume(self) -> float:
        return self._ask(_calls.pause(False))

    def speed(self, factor: float) -> float:
        """Simulated seconds a second."""
        return self._ask(_calls.speed(factor))

    # ---- The end ----

    def close(self) -> None:
        """Ends the run in good order if it is ours. Raises ExpectationFailed where the scene has an
        `expect` that failed."""
        self._connection.close()
        if self.process is not None:
            self.process.check_end()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is None:
            self.close()
            return
        self._connection.close()
        if self.process is not None:
            self.process.end()

    def _ask(self, call: Call[T]) -> T:
        try:
            return self._connection.ask(call)
        except Ended as ended:
            said = self.process.said().strip() if self.process is not None else ""
            raise Ended(f"{ended}\n{said}".strip()) from None


def connect(control: str) -> Simulation:
    """The simulation behind a control socket, a path or HOST:PORT. It goes on when this is closed."""
    connection = Connection(control)
    try:
        simulation = Simulation(connection.ask(_calls.version()), connection, None)
        simulation._fence.note(simulation.links())
    except BaseException:
        connection.close()
        raise
    return simulation


def start(launch: Launch) -> Simulation:
    """Starts a run and waits until hosts can connect."""
    process = Process(launch)
    try:
        run = process.take_ready(_first_line(process))
        return Simulation(run, Connection(run.control), process)
    except BaseException:
        process.end(0.5)
        raise


def _first_line(process: Process) -> bytes:
    """The line that it prints when it is ready; shorter where it ends or does not come to it."""
    line = bytearray()
    stdout = process.popen.stdout
    assert stdout is not None
    end_s = time.monotonic() + START_PATIENCE_S
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n") and selector.select(max(0.0, end_s - time.monotonic())):
            data = stdout.read1(1 << 16)  # type: ignore[attr-defined]
            if not data:
                break
            line += data
    return bytes(line)


def run(
    scene: PathLike = "kobuki",
    *,
    lockstep: bool = False,
    speed: Optional[float] = None,
    fast: bool = False,
    seed: Optional[int] = None,
    set: Optional[Mapping[str, object]] = None,
    link: Optional[Mapping[str, str]] = None,
    journal: Optional[PathLike] = None,
    capture: Optional[PathLike] = None,
    log: Optional[PathLike] = None,
    view: bool = False,
    arguments: Sequence[str] = (),
    program: Optional[str] = None,
) -> Simulation:
    """Starts a private run of a scene (a file, an installed scene, or a robot type) and waits until
    drivers can connect. It ends with the `with` block, with `close`, and at the latest with this
    process. The parameters are those of `Launch`."""
    return start(
        Launch(
            scene, lockstep, speed, fast, seed, set or {}, link or {}, journal, capture, log, view,
            arguments, program,
        )
    )
