"""A simulation as coroutines, for blocking programs and for asyncio.

They wait only by the functions of `Waits`. These block, so that a coroutine never suspends and `now` runs it to
its end. `ptybot.aio` replaces them by functions that suspend it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import operator
import os
import select
import socket
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, AsyncContextManager, Callable, Coroutine, Dict, Generic, List, Mapping
from typing import Optional, Tuple, Type, TypeVar, Union, overload

from . import _calls, _page
from ._calls import AfterWriting, Fence, Found, Link, Row, Step, Value
from ._errors import Ended, InvalidRequest, NoReply, NotHeld, PtybotError, WaitTimeout
from ._protocol import REPLY_TIMEOUT_S, Call, Message, Notification, Protocol, Reply, foreign
from ._run import START_TIMEOUT_S, Launch, Process, Run

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
else:
    P = TypeVar("P")  # Python 3.9 has no ParamSpec
T = TypeVar("T")
S = TypeVar("S", bound="Core")
__tracebackhide__ = operator.methodcaller("errisinstance", PtybotError)  # the reason is in the message
File = Union[int, socket.socket]


# ---- Waiting ----


class _ThreadLock:
    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def __aenter__(self) -> None:
        self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


class Waits:
    """How a simulation waits: by blocking."""

    def lock(self) -> AsyncContextManager[object]:
        """A lock for all who share a connection."""
        return _ThreadLock()

    async def readable(self, file: File, within_s: Optional[float]) -> bool:
        """Whether FILE has bytes or an end within that time; None: however long that takes."""
        poll = select.poll()
        poll.register(file, select.POLLIN)
        return bool(poll.poll(None if within_s is None else min(math.ceil(within_s * 1000), 2**31 - 1)))

    async def call(self, work: Callable[[], T]) -> T:
        """The result of WORK, which may block."""
        return work()


def now(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits by `Waits` and therefore never suspends."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("a blocking coroutine has suspended")


class shared(Generic[P, T]):
    """A coroutine function as a method of both kinds of simulation: it blocks, or is awaited."""

    def __init__(self, work: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> None:
        @functools.wraps(work)
        def blocking(*args: Any, **keys: Any) -> T:
            return now(work(*args, **keys))

        self._work: Any = work
        self._blocking: Any = blocking

    @overload
    def __get__(self, of: Blocking, kind: object = None) -> Callable[P, T]: ...
    @overload
    def __get__(self, of: Awaited, kind: object = None) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, of: None, kind: Type[Blocking]) -> Callable[Concatenate[Any, P], T]: ...
    @overload
    def __get__(self, of: None, kind: Type[Awaited]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]: ...
    def __get__(self, of: Any, kind: Any = None) -> Any:
        return (self._blocking if issubclass(kind, Blocking) else self._work).__get__(of, kind)


def with_parameters_of(make: Callable[P, Launch]) -> Callable[[Callable[[Launch], T]], Callable[P, T]]:
    """Gives a function of a launch the parameters of MAKE instead."""

    def decorate(work: Callable[[Launch], T]) -> Callable[P, T]:
        @functools.wraps(work)
        def call(*args: P.args, **keys: P.kwargs) -> T:
            return work(make(*args, **keys))

        returns = work.__annotations__["return"]
        call.__signature__ = inspect.signature(make).replace(return_annotation=returns)  # type: ignore[attr-defined]
        return call

    return decorate


# ---- Bytes ----


def _connected(control: str) -> socket.socket:
    host, colon, port = control.rpartition(":")
    try:
        if colon and port.isdigit() and "/" not in control:
            return socket.create_connection((host.strip("[]"), int(port)), REPLY_TIMEOUT_S)
        unix = socket.socket(socket.AF_UNIX)
        unix.connect(control)
        return unix
    except OSError as wrong:
        raise Ended(f"{control}: {wrong.strerror}; is the simulation running?") from wrong


class Connection:
    """One connection to a control socket."""

    def __init__(self, waits: Waits, control: str) -> None:
        self._waits, self._control = waits, control
        self.lock = waits.lock()

    async def open(self) -> "Connection":
        self._protocol = Protocol()
        self._page: Optional[_page.StepPage] = None
        self._may_have_page = _page.IS_KNOWN and type(self._waits) is Waits
        self._may_have_page &= os.environ.get("PTYBOT_STEP_PAGE") != "off"
        self._socket = await self._waits.call(lambda: _connected(self._control))
        return self

    async def find_page(self, run: Run) -> None:
        """Lets steps use shared memory from now on, if the run offers it."""
        if not self._may_have_page or not run.lockstep:
            return
        async with self.lock:
            if self._may_have_page:
                self._may_have_page = False
                offer: Call[Any] = Call("version", {"step_page": True}, lambda about: about.get("step_page"))
                with contextlib.suppress(OSError, InvalidRequest, TypeError, ValueError):
                    self._page = _page.StepPage(await self._reply(offer), run.links())

    async def ask(self, call: Call[T]) -> T:
        async with self.lock:
            try:
                return await self._reply(call)
            except NoReply:
                # A disconnect cancels a step that has not started.
                self._socket.close()
                await self.open()
                raise

    async def _reply(self, call: Call[T]) -> T:
        if self._page is not None:
            if self._page.is_under_way():
                await self._step_end(self._page, call)  # of a step that was interrupted
            if self._page.ask(call):
                await self._step_end(self._page, call)
                return call.read(self._page.result())
        number, line = self._protocol.request(call)
        self._send(line)
        while True:
            for message in await self.messages(call.timeout_s, call.late):
                if isinstance(message, Reply) and message.error:
                    raise message.error
                if isinstance(message, Reply) and message.id == number:
                    return call.read(message.result)

    def _send(self, line: bytes) -> None:
        with contextlib.suppress(OSError):  # the run may have sent the reason before it closed
            self._socket.sendall(line)

    async def _step_end(self, page: _page.StepPage, call: Call[T]) -> None:
        end_s = time.monotonic() + (math.inf if call.timeout_s is None else call.timeout_s)
        if page.must_be_woken():
            self._send(b"\n")
        while not page.wait():
            self._send(b"\n")  # Python has no memory barrier: the run may have started to sleep meanwhile
            # A run that ends first writes the reason to the page, and then closes the connection.
            if await self._waits.readable(self._socket, 0) and page.is_under_way():
                await self.messages(0)  # raises an error: the run has ended
            if time.monotonic() >= end_s:
                raise NoReply(f"no reply within {call.timeout_s:g} s: {call.late}")

    async def messages(self, timeout_s: Optional[float], late: str = "") -> List[Message]:
        """Waits for the next messages. To be called with the lock."""
        is_open = self._socket.fileno() >= 0
        if is_open and not await self._waits.readable(self._socket, timeout_s):
            raise NoReply(f"no reply within {timeout_s:g} s: {late}")
        try:
            data = self._socket.recv(1 << 16)
        except OSError as wrong:
            raise Ended(f"the run has ended: {wrong.strerror}") from wrong
        if not data:
            raise Ended("the run has ended")
        return self._protocol.feed(data)

    @staticmethod
    async def watch(waits: Waits, control: str, signals: Tuple[str, ...], every_ms: int) -> "Connection":
        """A connection that gets rows of signals from now on."""
        connection = await Connection(waits, control).open()
        try:
            await connection.ask(Call("watch", {"signals": signals, "every_ms": every_ms}, lambda _: None))
        except BaseException:
            await connection.close()
            raise
        return connection

    async def rows(self) -> List[Row]:
        """The next rows of a watch."""
        async with self.lock:
            messages = await self.messages(None)
        with foreign(messages):
            return [_calls.row(one.params) for one in messages if isinstance(one, Notification)]

    async def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes a task or thread that waits for a reply
        async with self.lock:
            self._socket.close()
            self._page = None


async def _first_line(waits: Waits, process: Process) -> bytes:
    """The line that it prints when it is ready; shorter where it ends or does not come to it."""
    assert process.popen.stdout is not None
    stdout = process.popen.stdout.fileno()
    line = b""
    end_s = time.monotonic() + START_TIMEOUT_S
    while not line.endswith(b"\n") and await waits.readable(stdout, max(0.0, end_s - time.monotonic())):
        data = os.read(stdout, 1 << 16)
        if not data:
            break
        line += data
    return line


# ---- The interface for programs ----


_LINKS: Call[Dict[str, Link]] = Call("list", {"what": "links"}, _calls.links)


class Core:
    """The functions of both kinds of simulation."""

    _waits = Waits()

    def __init__(self, run: Run, connection: Connection, process: Optional[Process]) -> None:
        self.run = run
        """Name, version, pid, folder, control socket, robots."""
        self.process = process
        """None: started by another process."""
        self.timeout_s = REPLY_TIMEOUT_S
        """How long a step waits for the bytes of its fence, in addition to its simulated time."""
        self._connection = connection
        self._fence = Fence(run)

    @property
    def patience_s(self) -> float:
        """Old name of timeout_s, until the next release."""
        warnings.warn("patience_s is now timeout_s", DeprecationWarning, stacklevel=2)
        return self.timeout_s

    @patience_s.setter
    def patience_s(self, seconds: float) -> None:
        warnings.warn("patience_s is now timeout_s", DeprecationWarning, stacklevel=2)
        self.timeout_s = seconds

    # ---- Addresses ----

    def port(self, robot: Optional[str] = None, channel: Optional[str] = None) -> str:
        """Address for a driver: a path, or HOST:PORT. Without names, the first link of the only robot."""
        return self.run.channel(robot, channel).place

    def address(self, robot: Optional[str] = None, channel: Optional[str] = None) -> Tuple[str, int]:
        """Address and port of a TCP link."""
        found = self.run.channel(robot, channel)
        if found.address is None or found.port is None:
            raise PtybotError(f"{found.name} is not a TCP link: {found.place}")
        return found.address, found.port

    @property
    def control(self) -> str:
        """The control socket, for other programs: $PTYBOT_CONTROL."""
        return self.run.control

    # ---- Signals ----

    @shared
    async def get(self, signal: str) -> Value:
        """The value of one signal: a number."""
        return (await self._ask(Call("get", {"signals": [signal]}, _calls.values)))[signal]

    @shared
    async def text(self, signal: str) -> str:
        """The same in words, where its numbers stand for words."""
        return (await self._ask(Call("get", {"signals": [signal]}, _calls.texts)))[signal]

    @shared
    async def values(self, *signals: str) -> Dict[str, Value]:
        """The values of signals, by names or globs such as "kobuki.*"."""
        return await self._ask(Call("get", {"signals": signals}, _calls.values))

    @shared
    async def links(self) -> Dict[str, Link]:
        """The links as they are now, by ROBOT.CHANNEL."""
        return await self._ask(_LINKS)

    @shared
    async def list(self, what: str) -> List[Dict[str, Any]]:
        """robots, signals, commands, options or links, as the control socket has them."""
        return await self._ask(Call("list", {"what": what}, list))

    # ---- Commands ----

    @shared
    async def do(self, /, command: str, **arguments: object) -> float:
        """A command, such as do("kobuki.press", bumper="left", for_=0.5), or in one text. An argument
        whose name is a keyword of Python has an underscore behind it. Returns the simulated time."""
        return await self._do(command, arguments)

    @shared
    async def place(self, robot: str, x: float, y: float, heading: float = 0) -> float:
        """Puts a robot elsewhere, at rest: meters and degrees."""
        return await self._do(f"{robot}.place", {"x": x, "y": y, "heading": heading})

    @shared
    async def estimate(self, /, **values: float) -> float:
        """What the driver believes of the first robot, in its own coordinates: x_m, y_m, heading_deg,
        speed_m_s and turn_deg_s, as far as it knows them."""
        return await self._do("world.estimate", values)

    @shared
    async def reset(self, robot: str = "world") -> float:
        """A robot's power off and on again; without a name all robots and things as at the start."""
        return await self._do(f"{robot}.reset", {})

    # ---- Time ----

    @shared
    async def wait(self, condition: str, within_s: float = 60) -> Found:
        """Waits while time runs until a condition holds, such as "kobuki.x_m > 4". Raises WaitTimeout
        after this simulated time."""
        return await self._wait(condition, within_s)

    @shared
    async def expect_frame(
        self, /, packet: str, *, robot: Optional[str] = None, timeout: float = 1, **fields: float
    ) -> Found:
        """Waits until the last frame of a packet, in either direction, has these fields:
        expect_frame("basic", bumper=4). After `timeout` seconds of simulated
        time, raises WaitTimeout with the values that the packet has.
        Fields of a packet that was never sent are 0. A field that is named like a keyword or a parameter has
        an underscore behind it."""
        name = robot or self.run.only_robot()
        if not fields:
            raise InvalidRequest(f"expect_frame({packet!r}): name a field, such as bumper=4")
        parts = (f"{name}.{packet}.{field.rstrip('_')} == {+value}" for field, value in fields.items())
        return await self._wait(" and ".join(parts), timeout)

    @shared
    async def step(
        self, ms: int = 1, *, after_writing: AfterWriting = None, until: Optional[str] = None
    ) -> Step:
        """Advances time by `ms`, in lockstep or while paused. `after_writing`: not before the
        robot has taken the bytes that the test wrote to its port since the last step that named some (a
        step that names none takes along what happens to have come). `until`: stops when the condition
        holds; raises WaitTimeout if it does not come true. Bytes that do not come in time raise NoReply, and
        the step is not made."""
        totals = self._fence.totals(after_writing)
        await self._connection.find_page(self.run)
        done = self._fence.passed(await self._ask(_calls.step(ms, totals, until, self.timeout_s)), totals)
        if done.holds is False:
            raise WaitTimeout(str(until), done.found, done.time_s)
        return done

    @shared
    async def pause(self) -> float:
        """Stops time; then `step` advances it. Written bytes are counted from here on."""
        time_s = await self._ask(Call("pause", {"paused": True}, _calls.time_s))
        links = await self._ask(_LINKS)
        self._fence.note(links)
        return time_s

    @shared
    async def resume(self) -> float:
        """Time runs again."""
        return await self._ask(Call("pause", {"paused": False}, _calls.time_s))

    @shared
    async def speed(self, factor: float) -> float:
        """Simulated seconds per second."""
        return await self._ask(Call("speed", {"factor": factor}, _calls.time_s))

    # ---- The end ----

    @shared
    async def close(self) -> None:
        """Ends the run cleanly if this object started it. Raises ExpectationFailed if an `expect` of the
        scene failed."""
        await self._connection.close()
        if self.process is not None:
            await self._waits.call(self.process.check_end)

    async def _abandon(self) -> None:
        """Ends it whatever its expectations say."""
        await self._connection.close()
        if self.process is not None:
            await self._waits.call(self.process.end)

    async def _wait(self, condition: str, within_s: float) -> Found:
        if self.run.lockstep:
            raise NotHeld("wait lets no time pass in lockstep: use step(ms, until=...)")
        # On a separate connection, so that other requests are answered meanwhile.
        connection = await Connection(self._waits, self.run.control).open()
        try:
            holds, found = await connection.ask(_calls.wait(condition, within_s))
        finally:
            await connection.close()
        if not holds:
            raise WaitTimeout(condition, found.found, found.time_s)
        return found

    async def _do(self, command: str, arguments: Mapping[str, object]) -> float:
        return await self._ask(Call("do", {"command": _calls.command(command, arguments)}, _calls.time_s))

    async def _ask(self, call: Call[T]) -> T:
        try:
            return await self._connection.ask(call)
        except Ended as ended:
            said = self.process.said().strip() if self.process is not None else ""
            raise Ended(f"{ended}\n{said}".strip()) from None

    @classmethod
    async def _connect(cls: Type[S], control: str) -> S:
        connection = await Connection(cls._waits, control).open()
        try:
            simulation = cls(await connection.ask(Call("version", {}, Run.from_json)), connection, None)
            links = await connection.ask(_LINKS)
            simulation._fence.note(links)
        except BaseException:
            await connection.close()
            raise
        return simulation

    @classmethod
    async def _start(cls: Type[S], launch: Launch) -> S:
        process = Process(launch)
        try:
            run = process.take_ready(await _first_line(cls._waits, process))
            return cls(run, await Connection(cls._waits, run.control).open(), process)
        except BaseException:
            process.end(0.5)
            raise


class Blocking(Core):
    """A simulation whose functions block."""


class Awaited(Core):
    """A simulation whose functions are awaited."""
