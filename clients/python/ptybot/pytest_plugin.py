"""The pytest plugin: the fixture `ptybot_sim` is a separate virtual robot for each test.

    @pytest.mark.ptybot("dock.yaml", seed=3)
    def test_it_docks(ptybot_sim):
        my_driver.start(ptybot_sim.port("kobuki"))
        ptybot_sim.wait("kobuki.charging == 1", within_s=60)

The scene is a file next to the test, an installed scene or a robot type; further arguments are those of
`ptybot.Launch`. With scope="session", "module" or "class" one run serves all tests there that ask for
the same, and is reset before each. A test that fails has a section `ptybot` in its report: a picture, a
page that shows the whole run in any browser, what the wires carried, and the journal, which
`ptybot replay` does again. The fixture `ptybot_test` runs a driver in virtual time, and with
warp="max" in the marker the whole test runs so.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, Generator, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple

import pytest
from _pytest import timing

from ._errors import Ended, ExpectationFailed, PtybotError, StartError
from ._host import Host, command, environment
from ._run import Launch, find_program
from ._sim import Simulation, connect, start

TAIL_LINES, TAIL_WIDTH = 12, 160
"""Lines of the wire log in the report, and their width. Chosen: they fit below a traceback."""
__tracebackhide__ = operator.methodcaller("errisinstance", PtybotError)  # the reason is in the message


# ---- Options ----


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptybot", "virtual robots")
    group.addoption("--ptybot", metavar="PROGRAM", help="the ptybot program (default: $PTYBOT, or ptybot of $PATH)")
    group.addoption(
        "--ptybot-warp",
        metavar="X",
        type=float,
        help="run the clock of all tests, drivers and robots X times as fast",
    )
    group.addoption("--ptybot-view", action="store_true", help="open a window for each run")
    group.addoption(
        "--ptybot-out", metavar="DIR", help="folder for the files of failed tests (default: the folder of pytest)"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "ptybot(scene, scope='function', **launch): scene of the fixture ptybot_sim: a file next to the "
        "test, an installed one, or a robot type; scope 'session' shares it; warp='max' runs the test in virtual "
        "time; further arguments are those of ptybot.Launch",
    )
    if "PTYBOT_WARP" in os.environ:  # durations are in wall-clock time
        timing.time = timing.perf_counter = _wall_s
    if config.getoption("ptybot"):
        os.environ["PTYBOT"] = config.getoption("ptybot")


def _up_s() -> float:
    return float(Path("/proc/uptime").read_text().split()[0])


_boot_s = time.time() - _up_s()


def _wall_s() -> float:
    """Seconds since 1970 by the clock of the kernel, whatever is preloaded."""
    return _boot_s + _up_s()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """With --ptybot-warp pytest begins again, with another clock preloaded."""
    factor = config.getoption("ptybot_warp")
    if factor is None or "PTYBOT_WARP" in os.environ:
        return
    try:
        done = subprocess.run(
            [find_program(), "shim", "--clock", str(factor)], capture_output=True, text=True, check=False
        )
    except (OSError, PtybotError) as wrong:
        raise pytest.UsageError(f"--ptybot-warp: {wrong}") from wrong
    if done.returncode != 0:
        raise pytest.UsageError(f"--ptybot-warp: {done.stderr.strip()}")
    again = [sys.executable, "-m", "pytest", *config.invocation_params.args]
    os.execvp("/bin/sh", ["/bin/sh", "-c", done.stdout + 'exec "$@"', "sh", *map(str, again)])


# ---- Runs ----


@dataclass
class _Kept:
    """A run, and where its files are."""

    simulation: Simulation
    folder: Path
    is_shared: bool

    def begin_again(self, launch: Launch) -> None:
        """As at its start, except for its time. `reset` changes neither pause nor speed, and the port
        of a cable that it plugs in again comes back a moment later."""
        self.simulation.reset()
        if not launch.lockstep:
            self.simulation.resume()
            if not launch.fast:
                self.simulation.speed(launch.speed or 1)
        ports = [one.path for robot in self.simulation.run.robots for one in robot.channels if one.path]
        _until(lambda: all(os.path.lexists(port) for port in ports))


_kept_key = pytest.StashKey[List[_Kept]]()
_failed_key = pytest.StashKey[bool]()


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-")[-100:]


def _launch(folder: Path, launch: Launch) -> _Kept:
    folder.mkdir(parents=True, exist_ok=True)
    made = replace(
        launch,
        journal=launch.journal or folder / "run.journal",
        capture=launch.capture or folder / "run.pcapng",
    )
    return _Kept(start(made), folder, False)


class Pool:
    """The fixtures `ptybot_session`, `ptybot_module` and `ptybot_class`: call one with the arguments of
    the marker. Equal arguments give the same run, reset to its start, except for its time."""

    _number = itertools.count()

    def __init__(self, folder: Path, view: bool) -> None:
        self._folder, self._view = folder, view
        self._runs: Dict[str, _Kept] = {}

    def __call__(self, scene: str = "kobuki", **launch: Any) -> Simulation:
        return self.take(Launch(scene, **launch)).simulation

    def take(self, launch: Launch) -> _Kept:
        launch = replace(launch, view=launch.view or self._view)
        kept = self._runs.get(repr(launch))
        if kept is not None:
            try:
                kept.begin_again(launch)
                return kept
            except Ended:
                kept.simulation.process and kept.simulation.process.end()
        kept = _launch(self._folder / f"shared-{next(self._number)}-{os.getpid()}", launch)
        kept.is_shared = True
        self._runs[repr(launch)] = kept
        return kept

    def close(self) -> None:
        for kept in self._runs.values():
            kept.simulation.close()


def _pool(scope: Literal["class", "module", "session"]) -> Any:
    """The fixture of runs that live as long as the scope."""

    @pytest.fixture(scope=scope, name=f"ptybot_{scope}")
    def pool(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
        made = Pool(_out(request.config, tmp_path_factory), bool(request.config.getoption("ptybot_view")))
        yield made
        made.close()

    return pool


ptybot_class, ptybot_module, ptybot_session = _pool("class"), _pool("module"), _pool("session")


@pytest.fixture
def ptybot_sim(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Simulation]:
    """A simulation for this test, as the marker `ptybot` says."""
    if _HELD in os.environ:
        with connect(os.environ["PTYBOT_CONTROL"]) as simulation:
            yield simulation
        return
    launch, scope = _wanted(request.node)
    if scope != "function":
        kept = request.getfixturevalue(f"ptybot_{scope}").take(launch)
        request.node.stash.setdefault(_kept_key, []).append(kept)
        yield kept.simulation
        return
    with _begin(request, tmp_path_factory, launch) as simulation:
        yield simulation


@pytest.fixture
def ptybot_start(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Simulation]]:
    """Starts any number of simulations for this test: `ptybot_start("dock.yaml", seed=3)`. They end with
    the test, and leave their files if it fails."""
    with contextlib.ExitStack() as runs:

        def begin(scene: str = "kobuki", **launch: Any) -> Simulation:
            wanted = Launch(_scene(request.node, scene), **launch)
            return runs.enter_context(_begin(request, tmp_path_factory, wanted))

        yield begin


def _begin(request: pytest.FixtureRequest, factory: pytest.TempPathFactory, launch: Launch) -> Simulation:
    """Starts a simulation for this test."""
    all_kept: List[_Kept] = request.node.stash.setdefault(_kept_key, [])
    name = _plain(request.node.nodeid) + (f"-{len(all_kept) + 1}" if all_kept else "")
    folder = _out(request.config, factory) / name
    shutil.rmtree(folder, ignore_errors=True)
    view = launch.view or bool(request.config.getoption("ptybot_view"))
    all_kept.append(_launch(folder, replace(launch, view=view)))
    return all_kept[-1].simulation


def _out(config: pytest.Config, factory: pytest.TempPathFactory) -> Path:
    named = config.getoption("ptybot_out")
    return Path(named).absolute() if named else factory.getbasetemp() / "ptybot"


def _scene(item: pytest.Item, scene: str) -> str:
    """The path of a scene file in the folder of the test or in the root folder, else its name."""
    for folder in (item.path.parent, item.config.rootpath):
        if (folder / scene).is_file():
            return str(folder / scene)
    return scene


@pytest.fixture
def ptybot_test(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Runs a driver in virtual time, as `ptybot test` does: `ptybot_test("dock.yaml", host)`. HOST is the
    words of a command, or a function of the test module, whose parameters are names of robots; it
    runs in a separate process, and gets their ports. Further arguments are `seed`, `set`, `link` and
    `arguments` of `ptybot.Launch`. Returns the report. Raises ExpectationFailed where the driver or an
    `expect` of the scene failed; the folder that the report names then has log, journal and capture."""
    runs = itertools.count()

    def test(
        scene: str,
        host: Host,
        *,
        seed: Optional[int] = None,
        set: Optional[Mapping[str, object]] = None,
        link: Optional[Mapping[str, str]] = None,
        arguments: Sequence[str] = (),
        warp: object = "max",
    ) -> str:
        launch = Launch(set=set, link=link, arguments=arguments)
        folder = _out(request.config, tmp_path_factory) / _plain(f"{request.node.nodeid}-{next(runs)}")
        words = [find_program(), "test", _scene(request.node, scene), "--warp", str(warp), "--out", str(folder)]
        words += ["--seed", str(seed)] if seed is not None else []
        words += [*launch.changes(), "--", *command(host)]
        done = subprocess.run(
            words,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode == 1:
            raise ExpectationFailed(done.stdout)
        if done.returncode != 0:
            raise StartError(done.stdout, done.returncode)
        shutil.rmtree(folder, ignore_errors=True)
        return done.stdout

    return test


# ---- Tests in virtual time: the test is the driver of `ptybot test`, in a separate process ----

_HELD = "PTYBOT_HELD_TEST"


def _held(item: pytest.Item) -> Dict[str, Any]:
    """The arguments of a marker with `warp`; empty: the test runs here."""
    marker = item.get_closest_marker("ptybot")
    found = dict(marker.kwargs) if marker and _HELD not in os.environ else {}
    if "warp" not in found:
        return {}
    found["scene"] = found.get("scene", marker.args[0] if marker and marker.args else "kobuki")
    allowed = "scene", "warp", "seed", "set", "link", "arguments"
    wrong = [key for key in found if key not in allowed]
    if wrong:
        raise pytest.UsageError(f"ptybot: {wrong[0]} with warp; allowed: {', '.join(allowed)}")
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and _held(item):
        item.fixturenames = []  # they are for the other process


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Optional[bool]:
    wanted = _held(pyfuncitem)
    if not wanted:
        return None
    config = pyfuncitem.config
    test = "::".join([str(pyfuncitem.path), *pyfuncitem.nodeid.split("::")[1:]])
    words = ["env", f"{_HELD}=1", sys.executable, "-m", "pytest", "-p", "ptybot.pytest_plugin", "-p", "no:cacheprovider"]
    words += ["-n0"] if config.pluginmanager.hasplugin("xdist") else []
    words += ["-c", str(config.inipath)] if config.inipath else []
    arguments = ["--start", "now", *wanted.pop("arguments", ())]
    run = pyfuncitem._request.getfixturevalue("ptybot_test")
    run(host=[*words, "--rootdir", str(config.rootpath), test], arguments=arguments, **wanted)
    return True


def _wanted(item: pytest.Item) -> Tuple[Launch, str]:
    """What the nearest marker asks for."""
    marker = item.get_closest_marker("ptybot")
    arguments, keywords = (marker.args, dict(marker.kwargs)) if marker else ((), {})
    scope = str(keywords.pop("scope", "function"))
    if scope not in ("function", "class", "module", "session"):
        raise pytest.UsageError(f"ptybot: scope={scope!r}: allowed: 'function', 'class', 'module' or 'session'")
    scene = _scene(item, str(keywords.pop("scene", arguments[0] if arguments else "kobuki")))
    try:
        return Launch(scene, **keywords), scope
    except TypeError as wrong:
        raise pytest.UsageError(f"ptybot: {wrong}; allowed: {', '.join(Launch.__dataclass_fields__)}") from None


# ---- Artifacts of a failed test ----


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    is_first = report.failed and not item.stash.get(_failed_key, False)
    if is_first:
        item.stash[_failed_key] = True
    for kept in item.stash.get(_kept_key, []):
        if is_first:
            folder = kept.folder.parent / _plain(item.nodeid) if kept.is_shared else kept.folder
            report.sections.append(("ptybot", _collect(kept, folder)))
            item.user_properties.append(("ptybot_folder", str(folder)))
        if report.when == "teardown" and not kept.is_shared and not item.stash.get(_failed_key, False):
            shutil.rmtree(kept.folder, ignore_errors=True)


def _collect(kept: _Kept, folder: Path) -> str:
    """Leaves picture, page and wire log in the folder. Returns what the report says of them."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: List[str] = []
    with _stopped(kept) as time_s:
        if time_s is not None:
            lines.append(f"at {time_s:.3f} s of {kept.simulation.run.name}, pid {kept.simulation.run.pid}")
        journal, capture = kept.folder / "run.journal", kept.folder / "run.pcapng"
        wire = folder / "wire.log"
        for name, flag, file in (("picture", "--picture", "failure.png"), ("page", "--html", "replay.html")):
            said = _ptybot("replay", str(journal), flag, str(folder / file))
            lines.append(f"{name:<10}{folder / file if (folder / file).is_file() else f'none: {said.strip()}'}")
        wire.write_text(_ptybot("decode", str(capture)), errors="replace")
        lines.append(f"wire log  {wire}")
        lines.append(f"capture   {capture}")
        lines.append(f"journal   {journal}: `ptybot replay` repeats the run")
    frames = [line for line in wire.read_text(errors="replace").splitlines() if " -> " in line or " <- " in line]
    if frames:
        lines += ["", "the last on the wire:", *map(_cut, frames[-TAIL_LINES:])]
    process = kept.simulation.process
    if process is not None and process.said().strip():
        lines += ["", "ptybot said:", process.said().strip()]
    return "\n".join(lines)


def _cut(line: str) -> str:
    return line if len(line) <= TAIL_WIDTH else line[: TAIL_WIDTH - 4] + " ..."


@contextlib.contextmanager
def _stopped(kept: _Kept) -> Iterator[Optional[float]]:
    """Time stands while files are read, and the journal has all up to now."""
    journal, simulation = kept.folder / "run.journal", kept.simulation
    time_s = None
    if simulation.process is not None and simulation.process.popen.poll() is None:
        with contextlib.suppress(OSError, PtybotError):
            before = journal.read_bytes().count(b"world.pause")
            time_s = simulation.pause()
    if time_s is None:
        yield None
        return
    _until(lambda: journal.read_bytes().count(b"world.pause") > before)
    try:
        yield time_s
    finally:
        if not simulation.run.lockstep:
            with contextlib.suppress(PtybotError):
                simulation.resume()


def _until(holds: Callable[[], bool]) -> None:
    """The journal is written within some milliseconds; a slightly older picture does no harm."""
    for _ in range(200):
        if holds():
            return
        time.sleep(0.01)


def _ptybot(*words: str) -> str:
    """What the program prints."""
    try:
        done = subprocess.run(
            [find_program(), *words], capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
    except (OSError, PtybotError, subprocess.TimeoutExpired) as wrong:
        return str(wrong)
    return done.stdout + done.stderr
