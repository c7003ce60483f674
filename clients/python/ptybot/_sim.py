"""A simulation for programs that wait: blocking calls."""

from __future__ import annotations

from typing import Iterator, List, Optional, Tuple, Type

from ._calls import Row
from ._core import Blocking, Connection, Waits, now, with_parameters_of
from ._errors import Ended
from ._run import Launch


class Watch:
    """Rows of signals, one each so many milliseconds of simulated time; ends with the run."""

    def __init__(self, control: str, signals: Tuple[str, ...], every_ms: int) -> None:
        self._rows: List[Row] = []
        self._connection = now(Connection.watch(Waits(), control, signals, every_ms))

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        while not self._rows:
            try:
                self._rows = now(self._connection.rows())
            except Ended:
                raise StopIteration from None
        return self._rows.pop(0)

    def close(self) -> None:
        now(self._connection.close())

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Simulation(Blocking):
    """A running simulation. Made by `run` and `connect`; several threads may use it at once."""

    @property
    def time_s(self) -> float:
        """Simulated time."""
        return self.get("world.time_s")

    def watch(self, *signals: str, every_ms: int = 100) -> Watch:
        """Streams rows of signals from now on, over a separate connection."""
        return Watch(self.run.control, signals, every_ms)

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        if kind is None:
            self.close()
        else:
            now(self._abandon())


def connect(control: str) -> Simulation:
    """The simulation behind a control socket, a path or HOST:PORT. It continues when this is closed."""
    return now(Simulation._connect(control))


def start(launch: Launch) -> Simulation:
    """Starts a run and waits until hosts can connect."""
    return now(Simulation._start(launch))


@with_parameters_of(Launch)
def run(launch: Launch) -> Simulation:
    """Starts a private run of a scene (a file, an installed scene, or a robot type) and waits until
    drivers can connect. It ends with the `with` block, with `close`, and at the latest with this
    process. The parameters are those of `Launch`."""
    return start(launch)
