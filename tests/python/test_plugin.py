"""The plugin, in separate pytest sessions."""

import base64
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

import pytest

import ptybot

SANITIZED = bool(os.environ.get("PTYBOT_SANITIZED"))
"""The program has a sanitizer, which is slower and lets nothing be preloaded."""

SIX_LINES = """
import serial

def test_a_bump_reaches_the_driver(ptybot_sim):
    with serial.Serial(ptybot_sim.port(), 115200, timeout=5) as robot:
        ptybot_sim.do("kobuki.press", bumper="left")
        assert any(robot.read_until(b"\\xaa\\x55")[5:6] == b"\\x04" for _ in range(50))
"""


PLUGIN = ("-p", "ptybot.pytest_plugin", "-p", "no:cacheprovider")


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """pytest with the plugin, and without what the developer has switched on, as a process."""
    return pytester.runpytest_subprocess(*PLUGIN, *words)


def run_here(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """The same in this process, which starts neither Python nor pytest: where time is real and options stay out of it."""
    return pytester.runpytest_inprocess(*PLUGIN, *words)


def test_a_test_that_presses_a_bumper_is_six_lines(pytester: pytest.Pytester) -> None:
    pytest.importorskip("serial")
    assert len([line for line in SIX_LINES.splitlines() if line]) <= 6
    pytester.makepyfile(SIX_LINES)
    run(pytester).assert_outcomes(passed=1)


def test_each_test_has_a_robot_of_its_own_and_leaves_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        folders = set()
        def test_one(ptybot_sim): folders.add(ptybot_sim.run.folder); assert ptybot_sim.get("kobuki.x_m") == 3
        def test_two(ptybot_sim): folders.add(ptybot_sim.run.folder); ptybot_sim.place("kobuki", 1, 1)
        def test_three(ptybot_sim): assert ptybot_sim.get("kobuki.x_m") == 3; assert len(folders) == 2
        """
    )
    run_here(pytester, "--ptybot-out=out").assert_outcomes(passed=3)
    assert list((pytester.path / "out").iterdir()) == []


def test_the_marker_names_a_scene_beside_the_test_and_its_launch(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("deep")
    (folder / "two.yaml").write_text(
        "world: {size: {x: 4, y: 4}}\n"
        "robots: [{name: ada, type: kobuki, pose: {x: 1, y: 1}}, {name: bob, type: epuck2, pose: {x: 3, y: 3}}]\n"
    )
    (folder / "test_two.py").write_text(
        "import pytest\n"
        '@pytest.mark.ptybot("two.yaml", seed=3, lockstep=True, set={"ada.battery_v": 14.5})\n'
        "def test_two(ptybot_sim):\n"
        '    assert ptybot_sim.run.name == "two" and ptybot_sim.run.lockstep\n'
        '    assert ptybot_sim.port("bob").startswith("127.0.0.1:")\n'
        '    assert {"--seed", "3", "ada.battery_v=14.5"} <= set(ptybot_sim.process.words)\n'
    )
    run_here(pytester, "--strict-markers").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marker", "says"),
    [
        ('"kobuki", sed=3', "unexpected keyword argument 'sed'*; allowed: scene, lockstep"),
        ('"kobuki", scope="modul"', "scope='modul': allowed: 'function', 'class', 'module' or 'session'"),
        ('"kobuky"', "did you mean 'kobuki'?"),
    ],
)
def test_a_marker_that_is_wrong_says_what_is_allowed(pytester: pytest.Pytester, marker: str, says: str) -> None:
    pytester.makepyfile(
        f"import pytest\n@pytest.mark.ptybot({marker})\ndef test_it(ptybot_sim): pass\n"
    )
    result = run_here(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(f"*{says}*")  # a newer Python also guesses which one was meant


def test_scope_session_shares_a_run_and_resets_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import os, pytest, signal
        pytestmark = pytest.mark.ptybot("kobuki", scope="session", lockstep=True)
        pids = []
        def test_one(ptybot_sim):
            pids.append(ptybot_sim.run.pid); ptybot_sim.place("kobuki", 1, 1); ptybot_sim.step(20)
        def test_two(ptybot_sim):
            assert ptybot_sim.run.pid == pids[0] and ptybot_sim.get("kobuki.x_m") == 3
            os.kill(ptybot_sim.run.pid, signal.SIGKILL)
        def test_three(ptybot_sim): assert ptybot_sim.run.pid != pids[0]
        def test_four(ptybot_session):
            assert ptybot_session("kobuki", lockstep=True).run.pid != ptybot_session("kobuki").run.pid
        """
    )
    run_here(pytester).assert_outcomes(passed=4)


def test_pause_speed_and_pulled_cables_do_not_reach_the_next_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        pytestmark = pytest.mark.ptybot("kobuki", scope="session", speed=2)
        def test_one(ptybot_sim):
            for command in ("unplug what=uart", "fault uart=drop rate=1", "lift up=true"):
                ptybot_sim.do(f"kobuki.{command}")
            ptybot_sim.speed(5); ptybot_sim.pause()
        def test_two(ptybot_sim):
            names = "world.paused", "world.speed", "kobuki.uart.plugged", "kobuki.lifted"
            assert [ptybot_sim.get(name) for name in names] == [0, 2, 1, 0]
            before = ptybot_sim.get("kobuki.uart.fault_drops")
            with open(ptybot_sim.port(), "rb", buffering=0) as port:
                assert port.read(2) == bytes.fromhex("aa55")
            assert ptybot_sim.get("kobuki.uart.fault_drops") == before
            ptybot_sim.wait(f"world.time_s > {ptybot_sim.time_s + 0.1}")
        """
    )
    run_here(pytester).assert_outcomes(passed=2)


def test_scope_module_and_class_share_a_run_there(pytester: pytest.Pytester) -> None:
    tests = """
        import pytest
        pids = {"module": set(), "class": set()}
        @pytest.mark.parametrize("scope", ("module", "class"))
        class Both:
            @pytest.mark.parametrize("number", (1, 2))
            def test_pid(self, request, scope, number):
                simulation = request.getfixturevalue(f"ptybot_{scope}")("kobuki")
                pids[scope].add(simulation.run.pid)
        class TestOne(Both): pass
        class TestTwo(Both): pass
        @pytest.mark.ptybot("kobuki", scope="module")
        def test_module(ptybot_sim):
            pids["module"].add(ptybot_sim.run.pid)
            assert len(pids["module"]) == 1 and len(pids["class"]) == 2
    """
    pytester.makepyfile(test_first=tests, test_second=tests)
    run_here(pytester).assert_outcomes(passed=18)


def test_of_two_robots_one_has_to_be_named(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".yaml",
        two="""
            world: {size: {x: 8, y: 4}}
            robots:
            - {name: one, type: kobuki, pose: {x: 1, y: 2}}
            - {name: two, type: cobot, pose: {x: 5, y: 2}}
        """,
    )
    pytester.makepyfile(
        """
        import pytest, ptybot
        @pytest.mark.ptybot("two.yaml")
        def test_ports(ptybot_sim):
            assert ptybot_sim.port("one") != ptybot_sim.port("two") == ptybot_sim.port("two", "uart")
            with pytest.raises(ptybot.Unknown, match="several robots, so name one; there are one.uart, two.uart"):
                ptybot_sim.port()
        """
    )
    run_here(pytester).assert_outcomes(passed=1)


def test_a_shared_run_that_is_fast_or_in_lockstep_stays_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.ptybot("kobuki", scope="session", fast=True)
        @pytest.mark.parametrize("number", (1, 2))
        def test_fast(ptybot_sim, number): ptybot_sim.wait(f"world.time_s > {ptybot_sim.time_s + 100}", within_s=200)
        @pytest.mark.ptybot("kobuki", scope="session", lockstep=True)
        @pytest.mark.parametrize("number", (1, 2))
        def test_lockstep(ptybot_sim, number): assert abs(ptybot_sim.step(20).time_s - number * 0.02) < 1e-9
        """
    )
    run_here(pytester).assert_outcomes(passed=4)


def test_a_test_starts_several_runs_and_each_leaves_its_files(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_two(ptybot_start, ptybot_sim):
            first, second = ptybot_start(seed=1), ptybot_start("cobot_all", lockstep=True)
            assert len({one.run.pid for one in (first, second, ptybot_sim)}) == 3
            assert False, "two"
        def test_passes(ptybot_start): ptybot_start().place("kobuki", 1, 1)
        """
    )
    result = run_here(pytester, "--ptybot-out=out")
    result.assert_outcomes(passed=1, failed=1)
    assert result.stdout.str().count("- ptybot -") == 3
    left = sorted(one.name for one in (pytester.path / "out").iterdir())
    assert len(left) == 3 and all("test_two" in one for one in left), left


# ---- Drivers in virtual time ----

DRIVER = """
    import os, pytest, termios, time, tty

    FORWARD = bytes.fromhex("aa55060104c8000000cb")  # base_control: 200 mm/s

    def open_port(path):
        port = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(port)
        mode = termios.tcgetattr(port)
        mode[4] = mode[5] = termios.B115200
        termios.tcsetattr(port, termios.TCSANOW, mode)
        return port

    def drive(kobuki):
        port, began = open_port(kobuki), time.monotonic()
        for _ in range(20):
            os.write(port, FORWARD)
            time.sleep(0.1)
            assert b"\\xaa\\x55" in os.read(port, 4096)
        assert abs(time.monotonic() - began - 2) < 0.01
"""


def test_a_function_of_a_test_drives_in_virtual_time(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".yaml",
        far="""
            world: {size: {x: 8, y: 4}}
            robots: [{name: kobuki, type: kobuki, pose: {x: 1, y: 2}}]
            expect: [{that: kobuki.x_m > 1.3, within: 5}]
        """,
    )
    pytester.makepyfile(
        DRIVER
        + """
    @pytest.mark.parametrize("seed", range(3))
    def test_far(ptybot_test, seed):
        began = time.monotonic()
        assert "passed" in ptybot_test("far.yaml", drive, seed=seed)
        ptybot_test("kobuki", ["sleep", "100"], arguments=["--start", "now"])
        assert time.monotonic() - began < 50
    """
    )
    run(pytester).assert_outcomes(passed=3)


def test_a_driver_that_fails_in_virtual_time_fails_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        DRIVER
        + """
    def wrong(kobuki):
        assert os.read(open_port(kobuki), 1) == b"no such byte"
    def other(arm): pass

    def test_wrong(ptybot_test): ptybot_test("kobuki", wrong)
    def test_other(ptybot_test): ptybot_test("kobuki", other)
    def test_no_scene(ptybot_test): ptybot_test("nowhere.yaml", wrong)
    def test_local(ptybot_test): ptybot_test("kobuki", lambda kobuki: None)
    """
    )
    result = run(pytester)
    result.assert_outcomes(failed=4)
    said = result.stdout.str()
    assert "ExpectationFailed" in said and "no such byte" in said
    assert "other: the scene has no robot arm" in said
    assert "StartError" in said and "nowhere.yaml" in said
    assert "is not a function of a module" in said
    assert "done.returncode" not in said  # what failed is the test, not the plugin


# ---- Tests in virtual time ----

HELD = """
    import pytest, serial, time

    @pytest.mark.ptybot("kobuki", warp="max", seed=3)
    @pytest.mark.parametrize("number", (1, 2))
    def test_held(ptybot_sim, tmp_path, number):
        with serial.Serial(ptybot_sim.port(), 115200, timeout=5) as robot:
            began = time.monotonic()
            for _ in range(1000):
                robot.write(bytes.fromhex("aa55060104c8000000cb"))  # base_control: 200 mm/s
                time.sleep(0.1)
                if _ == 2:
                    assert ptybot_sim.expect_frame("base_control", speed=200, timeout=1)
                if _ == 10:
                    assert number == 1, "two fails"
            assert ptybot_sim.time_s >= 100 and time.monotonic() - began > 99.99
"""


def test_a_marker_runs_a_test_in_virtual_time(pytester: pytest.Pytester) -> None:
    pytest.importorskip("serial")
    pytester.makepyfile(HELD)
    result = run(pytester)
    result.assert_outcomes(passed=1, failed=1)
    assert "two fails" in result.stdout.str() and result.duration < 60  # of 100 s


def test_a_marker_with_warp_says_what_it_allows(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import pytest\n@pytest.mark.ptybot('kobuki', warp='max', lockstep=True)\ndef test_it(ptybot_sim): pass\n"
    )
    result = run(pytester)
    assert "ptybot: lockstep with warp; allowed: scene, warp" in result.stdout.str() + result.stderr.str()


def test_expect_frame_waits_for_a_decoded_frame(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest, ptybot
        def test_it(ptybot_sim):
            ptybot_sim.do("kobuki.press", bumper="left", for_=60)
            assert "bumper = 4" in ptybot_sim.expect_frame("basic", bumper=4, wheel_drop=0, timeout=5).found
            with pytest.raises(ptybot.WaitTimeout, match="kobuki.basic.bumper = 4"):
                ptybot_sim.expect_frame("basic", bumper=1, timeout=0.1)
            with pytest.raises(ptybot.InvalidRequest, match="did you mean 'kobuki.basic.bumper'"):
                ptybot_sim.expect_frame("basic", bumpr=1)
            with pytest.raises(ptybot.InvalidRequest, match="name a field"):
                ptybot_sim.expect_frame("basic")
        """
    )
    run_here(pytester).assert_outcomes(passed=1)


@pytest.mark.skipif(SANITIZED, reason="nothing can be preloaded into a sanitized program")
def test_durations_of_warped_tests_are_wall_time(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import time\ndef test_it(): time.sleep(3000)\n")
    result = run(pytester, "--ptybot-warp=500", "--durations=1", "--junitxml=result.xml")
    result.assert_outcomes(passed=1)
    spent = re.search(r"([\d.]+)s call", result.stdout.str())
    assert spent and 5 < float(spent[1]) < 600  # of 6 s, and what a busy machine adds
    whole = re.search(r'<testsuite [^>]* time="([\d.]+)"', (pytester.path / "result.xml").read_text())
    assert whole and 5 < float(whole[1]) < 900


@pytest.mark.parametrize("how", ("sim", "test"))
def test_workers_end_with_their_ptybot_when_xdist_is_killed(pytester: pytest.Pytester, how: str) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(
        """
        import os, time
        from pathlib import Path
        def note(*pids):
            Path(f"{os.getpid()}.part").write_text(" ".join(map(str, pids)))
            os.rename(f"{os.getpid()}.part", f"{os.getpid()}.pids")
        def drive(kobuki): note(os.getpid(), os.getppid()); time.sleep(1e9)
        def test_sim(ptybot_sim): note(os.getpid(), ptybot_sim.run.pid); time.sleep(1e9)
        def test_test(ptybot_test): ptybot_test("kobuki", drive, arguments=["--start", "now", "--warp", "off"])
        """
    )
    words = [sys.executable, "-m", "pytest", "-p", "ptybot.pytest_plugin", "-n1", "-k", f"test_{how}"]
    main = subprocess.Popen(words, cwd=pytester.path, stdout=subprocess.DEVNULL)
    wait_until(lambda: list(pytester.path.glob("*.pids")))
    main.kill()
    main.wait()
    pids = [int(pid) for pid in next(pytester.path.glob("*.pids")).read_text().split()]
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))


def wait_until(holds: Callable[[], object]) -> None:
    """Fails after a long time."""
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come true")


# ---- Failures ----


def has_painter() -> bool:
    shot = subprocess.run([ptybot.find_program(), "shot", "kobuki", "-o", os.devnull + ".png"], capture_output=True)
    return b"cannot paint" not in shot.stderr


def has_page(folder: Path) -> bool:
    page = folder / "page.html"
    subprocess.run([ptybot.find_program(), "shot", "kobuki", "-o", str(page)], capture_output=True)
    return page.is_file()


@pytest.mark.parametrize("scope", ["function", "session"])
def test_a_failure_has_picture_page_wire_log_and_journal(pytester: pytest.Pytester, scope: str) -> None:
    pytest.importorskip("serial")
    pytester.makepyfile(
        f"""
        import pytest, serial
        @pytest.mark.ptybot("kobuki", scope="{scope}")
        def test_it(ptybot_sim):
            with serial.Serial(ptybot_sim.port(), 115200, timeout=30) as robot:
                robot.write(bytes.fromhex("aa55060104c8000000cb"))
                ptybot_sim.wait("kobuki.x_m > 3.01", within_s=30)
                ptybot_sim.place("kobuki", 1, 1)
                assert False
        def test_other(ptybot_sim): pass
        """
    )
    result = run_here(pytester, "--ptybot-out=out", "--junitxml=result.xml")
    result.assert_outcomes(failed=1, passed=1)
    said = result.stdout.str()
    folder = pytester.path / "out" / "test_a_failure_has_picture_page_wire_log_and_journal.py-test_it"
    assert f"wire log  {folder / 'wire.log'}" in said
    assert re.search(r"-> base_control .*speed=200", (folder / "wire.log").read_text())
    assert re.search(r"<- basic .*timestamp=", said) and "driver connected" in said
    assert all(len(line) <= 160 for line in said.splitlines() if " <- " in line)
    if has_painter():
        assert f"picture   {folder / 'failure.png'}" in said
        assert (folder / "failure.png").read_bytes().startswith(b"\x89PNG")
    page = folder / "replay.html"
    if has_page(pytester.path):
        assert f"page      {page}" in said and "</html>" in page.read_text()
    else:
        assert "page      none: " in said and "ptybot-web" in said and not page.exists()
    journal = re.search(r"^journal   (.*): `ptybot replay", said, re.MULTILINE)
    assert journal
    # The journal goes to the very moment: the place that the robot was put to is in it.
    replayed = pytester.path / "signals.csv"
    subprocess.run([ptybot.find_program(), "replay", journal[1], "--log", str(replayed)], check=True, capture_output=True)
    assert b"kobuki.place x=1 y=1" in Path(journal[1]).read_bytes()
    if page.exists():  # and so has the page, which can do it again
        bundle = re.search(r'id="bundle">([^<]+)<', page.read_text())
        assert bundle and b"kobuki.place x=1 y=1" in base64.b64decode(bundle[1])
    assert str(folder) in (pytester.path / "result.xml").read_text()


def test_a_run_that_died_leaves_what_it_had_written(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import os, signal
        def test_it(ptybot_sim):
            ptybot_sim.wait("world.time_s > 0.2")
            os.kill(ptybot_sim.run.pid, signal.SIGKILL)
            ptybot_sim.wait("world.time_s > 100")
        """
    )
    result = run_here(pytester)
    result.assert_outcomes(failed=1, errors=1)  # and its end is not what it should be
    assert "Ended" in result.stdout.str() and "ptybot ended with -9" in result.stdout.str()
    assert "run.journal" in result.stdout.str() and "work.send" not in result.stdout.str()


def test_an_expectation_of_the_scene_fails_the_test(pytester: pytest.Pytester) -> None:
    (pytester.path / "strict.yaml").write_text(
        "world: {size: {x: 4, y: 4}}\n"
        "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]\n"
        'expect: [{that: "kobuki.x_m < 2.5", always: true}]\n'
    )
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.ptybot("strict.yaml")
        def test_it(ptybot_sim):
            ptybot_sim.place("kobuki", 3, 3)
            ptybot_sim.wait(f"world.time_s > {ptybot_sim.time_s + 0.01}")
        """
    )
    result = run_here(pytester)
    result.assert_outcomes(passed=1, errors=1)
    assert re.search(r"FAILED +kobuki.x_m < 2.5", result.stdout.str()) and "failure.png" in result.stdout.str()


# ---- Options ----


@pytest.mark.skipif(SANITIZED, reason="nothing can be preloaded into a sanitized program")
def test_warped_time_is_that_of_test_and_robot(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import time
        def test_it(ptybot_sim):
            before_s, began = ptybot_sim.time_s, time.monotonic()
            time.sleep(600)
            assert 599 < time.monotonic() - began
            ptybot_sim.wait(f"world.time_s > {before_s + 20}", within_s=20)
        """
    )
    result = run(pytester, "--ptybot-warp=200")
    result.assert_outcomes(passed=1)
    assert result.duration < 300  # of three seconds, and what a busy machine adds


def test_a_warp_that_makes_no_sense_is_refused(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--ptybot-warp=-3")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--ptybot-warp: " in result.stderr.str() and "allowed" in result.stderr.str()


def test_a_window_without_a_display_is_refused_with_the_remedy(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    pytester.makepyfile("def test_it(ptybot_sim): pass\n")
    result = run_here(pytester, "--ptybot-view")
    result.assert_outcomes(errors=1)
    assert "--view" in result.stdout.str()


def test_the_program_can_be_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(ptybot_sim): pass\n")
    result = run(pytester, "--ptybot=/nowhere/ptybot")
    result.assert_outcomes(errors=1)
    assert "/nowhere/ptybot: No such file" in result.stdout.str()


# ---- Many ----


def test_forty_tests_run_four_at_a_time_beside_a_run_by_hand(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytest.importorskip("serial")
    (pytester.path / "by_hand.yaml").write_text(
        "world: {size: {x: 4, y: 4}}\n"
        f"robots: [{{name: kobuki, type: kobuki, pose: {{x: 2, y: 2}}, links: [{{pty: hand_{os.getpid()}}}]}}]\n"
    )
    pytester.makepyfile(
        """
        import pytest, serial
        @pytest.mark.ptybot("by_hand.yaml")
        @pytest.mark.parametrize("number", range(40))
        def test_it(ptybot_sim, number):
            with serial.Serial(ptybot_sim.port(), 115200, timeout=30) as robot:
                assert robot.read_until(b"\\xaa\\x55").endswith(b"\\xaa\\x55")
                ptybot_sim.place("kobuki", 1 + number / 40, 1)
                assert ptybot_sim.get("kobuki.x_m") == pytest.approx(1 + number / 40)
        """
    )
    by_hand = subprocess.Popen(
        [ptybot.find_program(), "run", "by_hand.yaml", "--json"],
        cwd=pytester.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert by_hand.stdout is not None
        place = ptybot.Run.from_json(json.loads(by_hand.stdout.readline()))
        result = run(pytester, "-n4")
        result.assert_outcomes(passed=40)
        print(f"forty tests, four at a time: {result.duration:.1f} s")
        with ptybot.connect(place.control) as sim:
            assert os.path.exists(sim.port()) and sim.get("kobuki.x_m") == 2
    finally:
        by_hand.terminate()
        assert by_hand.wait(30) == 0
        assert by_hand.stdout is not None
        by_hand.stdout.close()


def test_workers_of_xdist_report_failures_too(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile("def test_it(ptybot_sim): assert ptybot_sim.get('kobuki.x_m') == 4\n")
    result = run(pytester, "-n2")
    result.assert_outcomes(failed=1)
    assert "wire log" in result.stdout.str()


