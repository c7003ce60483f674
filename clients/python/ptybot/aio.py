"""The same as in `ptybot` for asyncio: `async with ptybot.aio.run("kobuki") as sim`."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar

from . import _calls
from ._calls import AfterWriting, Fence, Found, Link, Row, Step, Value
from ._errors import Ended, NoReply, NotHeld, PtybotError, WaitTimeout
from ._protocol import REPLY_PATIENCE_S, Call, Message, Notification, Protocol, Reply
from ._run import START_PATIENCE_S, Launch, PathLike, Process, Run

T = TypeVar("T")


class Connection:
    """One connection to a control socket."""

    def __init__(self, control: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._control = control
        self._protocol = Protocol()
        self._lock = asyncio.Lock()
        self._reader, self._writer = reader, writer

    @staticmethod
    async def open(control: str) -> "Connection":
        host, colon, port = control.rpartition(":")
        try:
            if colon and port.isdigit() and "/" not in control:
                return Connection(control, *await asyncio.open_connection(host.strip("[]"), int(port)))
            return Connection(control, *await asyncio.open_unix_connection(control))
        except OSError as wrong:
            raise Ended(f"{control}: {wrong.strerror}; is the simulation running?") from wrong

    async def ask(self, call: Call[T]) -> T:
        async with self._lock:
            number, line = self._protocol.request(call)
            self._writer.write(line)
            try:
                return await self._reply(call, number)
            except NoReply:
                # Who leaves takes a step along that has not begun.
                await self.close()
                again = await Connection.open(self._control)
                self._protocol, self._reader, self._writer = again._protocol, again._reader, again._writer
                raise

    async def _reply(self, call: Call[T], number: int) -> T:
        while True:
            for message in await self.messages(call.patience_s, call.late):
                if isinstance(message, Reply) and message.error:
                    raise message.error
                if isinstance(message, Reply) and message.id == number:
                    return call.decode(message.result)

    async def messages(self, patience_s: Optional[float], late: str = "") -> List[Message]:
        """Waits for what comes next."""
        try:
            data = await asyncio.wait_for(self._reader.read(1 << 16), patience_s)
        except asyncio.TimeoutError:
            raise NoReply(f"no reply within {patience_s:g} s: {late}") from None
        except OSError as wrong:
            raise Ended(f"the run has ended: {wrong.strerror}") from wrong
        if not data:
            raise Ended("the run has ended")
        return self._protocol.feed(data)

    async def close(self) -> None:
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            pass


class Watch:
    """Rows of signals: `async with sim.watch("kobuki.x_m") as rows: async for row in rows`."""

    def __init__(self, control: str, signals: Tuple[str, ...], every_ms: int) -> None:
        self._control = control
        self._call = _calls.watch(signals, every_ms)
        self._rows: List[Row] = []
        self._connection: Optional[Connection] = None

    async def __aenter__(self) -> "Watch":
        self._connection = await Connection.open(self._control)
        await self._connection.ask(self._call)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._connection is not None:
            await self._connection.close()

    def __aiter__(self) -> "Watch":
        return self

    async def __anext__(self) -> Row:
        if self._connection is None:
            raise PtybotError("a watch begins with `async with`")
        while not self._rows:
            try:
                messages = await self._connection.messages(None)
            except Ended:
                raise StopAsyncIteration from None
            self._rows = [_calls.row(one.params) for one in messages if isinstance(one, Notification)]
        return self._rows.pop(0)


class Simulation:
    """A running simulation; what its functions do is told at `ptybot.Simulation`."""

    def __init__(self, run: Run, connection: Connection, process: Optional[Process]) -> None:
        self.run = run
        self.process = process
        self.patience_s = REPLY_PATIENCE_S
        self._connection = connection
        self._fence = Fence(run)

    def port(self, robot: Optional[str] = None, channel: Optional[str] = None) -> str:
        return self.run.channel(robot, channel).place

    @property
    def control(self) -> str:
        return self.run.control

    async def get(self, signal: str) -> Value:
        return (await self._ask(_calls.get((signal,))))[signal]

    async def text(self, signal: str) -> str:
        return (await self._ask(_calls.texts((signal,))))[signal]

    async def values(self, *signals: str) -> Dict[str, Value]:
        return await self._ask(_calls.get(signals))

    def watch(self, *signals: str, every_ms: int = 100) -> Watch:
        return Watch(self.run.control, signals, every_ms)

    async def links(self) -> Dict[str, Link]:
        return await self._ask(_calls.links())

    async def list(self, what: str) -> List[Dict[str, Any]]:
        return await self._ask(_calls.listing(what))

    async def time_s(self) -> float:
        return await self.get("world.time_s")

    async def do(self, command: str, **arguments: object) -> float:
        return await self._ask(_calls.do(command, arguments))

    async def place(self, robot: str, x: float, y: float, heading: float = 0) -> float:
        return await self.do(f"{robot}.place", x=x, y=y, heading=heading)

    async def reset(self, robot: str = "world") -> float:
        return await self.do(f"{robot}.reset")

    async def wait(self, condition: str, within_s: float = 60) -> Found:
        if self.run.lockstep:
            raise NotHeld("wait lets no time pass in lockstep: use step(ms, until=...)")
        connection = await Connection.open(self.run.control)
        try:
            holds, found = await connection.ask(_calls.wait(condition, within_s))
        finally:
            await connection.close()
        if not holds:
            raise WaitTimeout(condition, found.found, found.time_s)
        return found

    async def step(
        self, ms: int = 1, *, after_writing: AfterWriting = None, until: Optional[str] = None
    ) -> Step:
        totals = self._fence.totals(after_writing)
        done = self._fence.passed(await self._ask(_calls.step(ms, totals, until, self.patience_s)), totals)
        if done.holds is False:
            raise WaitTimeout(str(until), done.found, done.time_s)
        return done

    async def pause(self) -> float:
        time_s = await self._ask(_calls.pause(True))
        self._fence.note(await self.links())
        return time_s

    async def resume(self) -> float:
        return await self._ask(_calls.pause(False))

    async def speed(self, factor: float) -> float:
        return await self._ask(_calls.speed(factor))

    async def close(self) -> None:
        await self._connection.close()
        if self.process is not None:
            await asyncio.get_running_loop().run_in_executor(None, self.process.check_end)

    async def abandon(self) -> None:
        """Ends it whatever its expectations say."""
        await self._connection.close()
        if self.process is not None:
            await asyncio.get_running_loop().run_in_executor(None, self.process.end)

    async def _ask(self, call: Call[T]) -> T:
        try:
            return await self._connection.ask(call)
        except Ended as ended:
            said = self.process.said().strip() if self.process is not None else ""
            raise Ended(f"{ended}\n{said}".strip()) from None


async def _connect(control: str) -> Simulation:
    connection = await Connection.open(control)
    try:
        simulation = Simulation(await connection.ask(_calls.version()), connection, None)
        simulation._fence.note(await simulation.links())
    except BaseException:
        await connection.close()
        raise
    return simulation


async def _start(launch: Launch) -> Simulation:
    process = Process(launch)
    try:
        run = process.take_ready(await _first_line(process))
        return Simulation(run, await Connection.open(run.control), process)
    except BaseException:
        process.end(0.5)
        raise


async def _first_line(process: Process) -> bytes:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(1 << 24)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), process.popen.stdout
    )
    try:
        return await asyncio.wait_for(reader.readline(), START_PATIENCE_S)
    except asyncio.TimeoutError:
        return b""
    finally:
        transport.close()


class _Opening:
    """A simulation that is about to be there: `await` it, or `async with` it."""

    def __init__(self, launch: Optional[Launch], control: str) -> None:
        self._launch, self._control = launch, control
        self._simulation: Optional[Simulation] = None

    async def _open(self) -> Simulation:
        return await (_start(self._launch) if self._launch else _connect(self._control))

    def __await__(self) -> Generator[Any, None, Simulation]:
        return self._open().__await__()

    async def __aenter__(self) -> Simulation:
        self._simulation = await self._open()
        return self._simulation

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        assert self._simulation is not None
        await (self._simulation.close() if kind is None else self._simulation.abandon())


def connect(control: str) -> _Opening:
    """The simulation behind a control socket; it goes on when this is closed."""
    return _Opening(None, control)


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
) -> _Opening:
    """Starts a private run; the parameters are those of `ptybot.Launch`."""
    return _Opening(
        Launch(
            scene, lockstep, speed, fast, seed, set or {}, link or {}, journal, capture, log, view,
            arguments, program,
        ),
        "",
    )
