"""The same as in `ptybot` for asyncio: `async with ptybot.aio.run("kobuki") as sim`."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncContextManager, Callable, Coroutine, Generator, List, Optional, Tuple, Type, TypeVar

from ._calls import Row
from ._core import Awaited, Connection, File, Waits, with_parameters_of
from ._errors import Ended, PtybotError
from ._run import Launch

T = TypeVar("T")


class _TaskWaits(Waits):
    """Other tasks run meanwhile."""

    def lock(self) -> AsyncContextManager[object]:
        return asyncio.Lock()

    async def readable(self, file: File, within_s: Optional[float]) -> bool:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(file, ready.set)
        try:
            await asyncio.wait_for(ready.wait(), within_s)
        except asyncio.TimeoutError:
            return False
        finally:
            loop.remove_reader(file)
        return True

    async def call(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(None, work)


class Watch:
    """Rows of signals: `async with sim.watch("kobuki.x_m") as rows: async for row in rows`."""

    def __init__(self, control: str, signals: Tuple[str, ...], every_ms: int) -> None:
        self._wanted = control, signals, every_ms
        self._rows: List[Row] = []
        self._connection: Optional[Connection] = None

    async def __aenter__(self) -> "Watch":
        self._connection = await Connection.watch(_TaskWaits(), *self._wanted)
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
                self._rows = await self._connection.rows()
            except Ended:
                raise StopAsyncIteration from None
        return self._rows.pop(0)


class Simulation(Awaited):
    """A running simulation, as `ptybot.Simulation`; its functions are awaited."""

    _waits = _TaskWaits()

    async def time_s(self) -> float:
        """Simulated time."""
        return await self.get("world.time_s")

    def watch(self, *signals: str, every_ms: int = 100) -> Watch:
        """Streams rows of signals from now on, over a separate connection."""
        return Watch(self.run.control, signals, every_ms)

    async def abandon(self) -> None:
        """Ends it whatever its expectations say."""
        await self._abandon()


class _Opening:
    """A simulation that is about to be there: `await` it, or `async with` it."""

    def __init__(self, opening: Callable[[], Coroutine[Any, Any, Simulation]]) -> None:
        self._open = opening

    def __await__(self) -> Generator[Any, None, Simulation]:
        return self._open().__await__()

    async def __aenter__(self) -> Simulation:
        self._simulation = await self._open()
        return self._simulation

    async def __aexit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        await (self._simulation.close() if kind is None else self._simulation.abandon())


def connect(control: str) -> _Opening:
    """The simulation behind a control socket; it continues when this is closed."""
    return _Opening(lambda: Simulation._connect(control))


@with_parameters_of(Launch)
def run(launch: Launch) -> _Opening:
    """Starts a private run; the parameters are those of `ptybot.Launch`."""
    return _Opening(lambda: Simulation._start(launch))
