"""Real runs, with blocking calls."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
import tty
from pathlib import Path
from typing import Iterator, List

import pytest

import ptybot
from ptybot import _page

DRIVE = bytes.fromhex("aa55 06 01 04 c8000000 cb")
"""Base control, 200 mm/s straight on."""


@pytest.fixture(scope="module")
def shared() -> Iterator[ptybot.Simulation]:
    with ptybot.run("kobuki") as sim:
        yield sim


def open_port(sim: ptybot.Simulation) -> int:
    port = os.open(sim.port(), os.O_RDWR | os.O_NOCTTY)
    tty.setraw(port)
    return port


def scene(folder: Path, more: str, robots: str = "{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}") -> Path:
    path = folder / "scene.yaml"
    path.write_text(f"world: {{size: {{x: 4, y: 4}}}}\nrobots: [{robots}]\n{more}\n")
    return path


def wait_until_gone(path: str) -> None:
    for _ in range(3000):
        if not os.path.exists(path):
            return
        time.sleep(0.01)
    pytest.fail(f"{path} is still there")


# ---- Beginning and end ----


def test_a_run_is_there_within_the_block_and_gone_behind_it() -> None:
    with ptybot.run("kobuki") as sim:
        assert os.path.exists(sim.port()) and sim.run.name == "kobuki" and sim.run.version == ptybot.__version__
        assert sim.port("kobuki", "uart") == sim.port() and sim.port().startswith(sim.run.folder)
        assert sim.time_s >= 0
    assert not os.path.exists(sim.run.folder)
    with pytest.raises(ptybot.Ended):
        sim.get("kobuki.x_m")


def test_what_cannot_start_says_why_in_the_programs_words() -> None:
    with pytest.raises(ptybot.StartError, match="did you mean 'kobuki'\\?") as wrong:
        ptybot.run("kobuky")
    assert wrong.value.code == 2 and not str(wrong.value).startswith("ptybot: error")
    with pytest.raises(ptybot.StartError, match="unknown flag '--sped'; did you mean '--speed'\\?"):
        ptybot.run("kobuki", arguments=["--sped", "3"])
    with pytest.raises(ptybot.StartError, match="/nowhere/ptybot: No such file"):
        ptybot.run("kobuki", program="/nowhere/ptybot")


def test_a_program_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTYBOT", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ptybot._run.__file__", str(tmp_path / "a" / "b" / "c" / "d.py"))
    with pytest.raises(ptybot.StartError, match="install the package ptybot, or set PTYBOT"):
        ptybot.find_program()
    (tmp_path / "ptybot").write_text("#!/bin/sh\n")
    (tmp_path / "ptybot").chmod(0o755)
    assert ptybot.find_program() == str(tmp_path / "ptybot")
    monkeypatch.setenv("PTYBOT", "/elsewhere")
    assert ptybot.find_program() == "/elsewhere"


def test_an_expectation_that_fails_fails_the_block(tmp_path: Path) -> None:
    broken = scene(tmp_path, 'expect: [{that: "kobuki.x_m < 2.5", always: true}]')
    with pytest.raises(ptybot.ExpectationFailed, match=r"FAILED.*kobuki.x_m < 2.5"):
        with ptybot.run(broken) as sim:
            at_s = sim.place("kobuki", 3, 3)
            sim.wait(f"world.time_s > {at_s + 0.01}")
    with pytest.raises(ZeroDivisionError):  # what was first counts
        with ptybot.run(broken) as sim:
            at_s = sim.place("kobuki", 3, 3)
            sim.wait(f"world.time_s > {at_s + 0.01}")
            raise ZeroDivisionError


def test_it_ends_with_its_program_even_when_that_is_killed() -> None:
    code = "import ptybot, time\nsim = ptybot.run('kobuki')\nprint(sim.run.folder, flush=True)\ntime.sleep(1000)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        folder = program.stdout.readline().strip()
        assert os.path.exists(folder)
        program.send_signal(signal.SIGKILL)
    wait_until_gone(folder)


def test_it_outlives_the_thread_that_started_it() -> None:
    runs: List[ptybot.Simulation] = []
    thread = threading.Thread(target=lambda: runs.append(ptybot.run("kobuki")))
    thread.start()
    thread.join()
    with runs[0] as sim:
        sim.wait(f"world.time_s > {sim.time_s + 0.1}")


def test_a_run_that_is_killed_is_told_with_what_it_said() -> None:
    with pytest.raises(ptybot.Ended, match="the run has ended"):
        with ptybot.run("kobuki") as sim:
            os.kill(sim.run.pid, signal.SIGKILL)
            for _ in range(3000):
                sim.get("kobuki.x_m")
                time.sleep(0.01)


def test_runs_side_by_side_are_their_own(shared: ptybot.Simulation) -> None:
    with ptybot.run("kobuki") as one, ptybot.run("kobuki") as other:
        assert len({one.port(), other.port(), shared.port()}) == 3
        one.place("kobuki", 1, 1)
        one.wait("kobuki.x_m < 1.1")
        assert other.get("kobuki.x_m") == 3


# ---- Looking and doing ----


def test_signals_have_values_words_and_globs(shared: ptybot.Simulation) -> None:
    shared.estimate(x_m=1.5, speed_m_s=-0.5)
    assert shared.get("world.estimate_x_m") == 1.5
    assert shared.get("world.estimate_speed_m_s") == -0.5
    shared.place("kobuki", 2, 1.5, heading=90)
    shared.wait("kobuki.y_m < 1.6")
    assert shared.get("kobuki.heading_deg") == pytest.approx(90)
    assert shared.values("kobuki.?_m", "world.time_s").keys() == {"kobuki.x_m", "kobuki.y_m", "world.time_s"}
    assert shared.text("kobuki.led1") == "off" and shared.get("kobuki.led1") == 0
    shared.reset()
    assert shared.get("kobuki.x_m") == 3


def test_a_command_takes_its_arguments_by_name_or_as_text(shared: ptybot.Simulation) -> None:
    shared.do("kobuki.press", bumper="left", for_=0)
    shared.wait("kobuki.bumper_left == 1")
    shared.do("kobuki.release bumper=left")
    assert shared.wait("kobuki.bumper_left == 0").found == "kobuki.bumper_left = 0"


def test_errors_are_exceptions_with_the_programs_words(shared: ptybot.Simulation) -> None:
    with pytest.raises(ptybot.Unknown, match="there is no signal 'kobuki.x_n'; did you mean 'kobuki.x_m'\\?"):
        shared.get("kobuki.x_n")
    with pytest.raises(ptybot.Refused, match="did you mean 'press'\\?"):
        shared.do("kobuki.pres", bumper="left")
    with pytest.raises(ptybot.NotHeld, match="time is running"):
        shared.step(20)
    with pytest.raises(ptybot.InvalidRequest, match="factor"):
        shared.speed("fast")  # type: ignore[arg-type]
    with pytest.raises(ptybot.WaitTimeout, match=r"kobuki.x_m > 100: did not come true by .* kobuki.x_m = 3 m"):
        shared.wait("kobuki.x_m > 100", within_s=0.05)
    with pytest.raises(ptybot.PtybotError, match="uart is not a TCP link"):
        shared.address()
    assert shared.get("kobuki.x_m") == 3  # and the connection is as good as before


def test_lists_and_links_tell_what_there_is(shared: ptybot.Simulation) -> None:
    assert shared.list("robots")[0]["title"] == "Yujin Kobuki"
    link = shared.links()["kobuki.uart"]
    assert link.place == shared.port() and link.kind == "pty" and link.baud == 115200 and not link.host


def test_threads_ask_at_once_and_waiting_holds_up_nobody(shared: ptybot.Simulation) -> None:
    waits = threading.Thread(target=lambda: shared.wait("kobuki.wheel_drop_left == 1", within_s=1000))
    waits.start()
    found: List[float] = []
    askers = [
        threading.Thread(target=lambda: found.extend(shared.get("kobuki.x_m") for _ in range(50))) for _ in range(4)
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert found == [3] * 200 and waits.is_alive()
    shared.do("kobuki.lift")
    waits.join(30)
    assert not waits.is_alive()
    shared.reset()


def test_a_watch_tells_of_each_moment_and_ends_with_the_run() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        with sim.watch("kobuki.x_m", "kobuki.led1", every_ms=20) as rows:
            sim.step(100)
            seen = [next(rows) for _ in range(5)]
            assert [round(row.time_s * 1000) for row in seen] == [20, 40, 60, 80, 100]
            assert seen[0].values["kobuki.x_m"] == 3 and seen[0].texts == {"kobuki.led1": "off"}
            sim.close()
            assert list(rows) == []
    with pytest.raises(ptybot.Ended):
        sim.watch("kobuki.x_m")


# ---- Time ----


@pytest.fixture(params=["on", "off"])
def page(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By shared memory and by messages."""
    monkeypatch.setenv("PTYBOT_STEP_PAGE", request.param)


def has_page(sim: ptybot.Simulation) -> bool:
    return sim._connection._page is not None


def test_a_step_behind_a_fence_has_exactly_the_answer_to_what_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def drive(page: str) -> List[object]:
        heard: List[object] = []
        monkeypatch.setenv("PTYBOT_STEP_PAGE", page)
        with ptybot.run("kobuki", lockstep=True) as sim:
            port = open_port(sim)
            for _ in range(20):
                step = sim.step(20, after_writing=os.write(port, DRIVE))
                assert has_page(sim) == (page == "on" and _page.IS_KNOWN)
                answer = b""
                while len(answer) < step.new["kobuki.uart"]:
                    answer += os.read(port, 4096)
                heard.append((step.time_s, step.received["kobuki.uart"], answer))
            heard.append(sim.values("kobuki.x_m", "kobuki.heading_deg"))
            os.close(port)
        return heard

    first = drive("on")
    assert first[-1] != {"kobuki.x_m": 3, "kobuki.heading_deg": 0}
    assert first[9][1] == 100  # type: ignore[index]
    assert drive("on") == first
    assert drive("off") == first


def test_where_no_page_is_offered_messages_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    with ptybot.run("kobuki", lockstep=True, arguments=["--control", "127.0.0.1:0"]) as sim:
        assert sim.process is not None
        with ptybot.connect(sim.process.ready["control_tcp"]) as guest:
            assert guest.step(10).time_s == 0.01 and not has_page(guest)
    with ptybot.run("kobuki") as sim:
        sim.pause()
        sim.step(10)
        assert not has_page(sim)
    monkeypatch.setattr(_page, "IS_KNOWN", False)  # as on another processor
    with ptybot.run("kobuki", lockstep=True) as sim:
        assert sim.step(10).time_s == 0.01 and not has_page(sim)


@pytest.mark.skipif(not _page.IS_KNOWN, reason="steps are messages here")
def test_a_run_that_fell_asleep_unseen_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        sim.step(1)
        monkeypatch.setattr(_page.StepPage, "must_be_woken", lambda _: False)
        assert sim.step(1).time_s == 0.002


@pytest.mark.skipif(not _page.IS_KNOWN, reason="steps are messages here")
def test_a_run_that_is_awake_is_not_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        sim.step(1)
        page = sim._connection._page
        assert page is not None
        page._head.asked += 1  # of a step of 1 ms
        for is_awake in (0, 1):
            page._head.is_awake = is_awake
            assert page.must_be_woken() == (not is_awake)
        page._head.asked -= 1
        assert not page.must_be_woken()


def test_a_page_that_is_not_there_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise OSError("no such file, as in another container")

    for pread in (lambda *_: bytes(8), fail):  # another file, and none
        with ptybot.run("kobuki", lockstep=True) as sim:
            with monkeypatch.context() as container:
                container.setattr(os, "pread", pread)
                assert sim.step(10).time_s == 0.01 and not has_page(sim)
            assert sim.step(10).time_s == 0.02 and not has_page(sim)


@pytest.mark.usefixtures("page")
def test_bytes_before_a_step_without_a_fence_count_for_the_next_one() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        port = open_port(sim)
        os.write(port, DRIVE)
        sim.step(10000, until=f"kobuki.uart.from_host_bytes == {len(DRIVE)}")
        later = threading.Timer(0.1, os.write, (port, DRIVE))
        later.start()
        assert sim.step(20, after_writing=2 * len(DRIVE)).received == {"kobuki.uart": 2 * len(DRIVE)}
        later.join()
        os.close(port)


@pytest.mark.usefixtures("page")
def test_a_run_that_is_killed_in_mid_step_ends_the_wait() -> None:
    with pytest.raises(ptybot.Ended, match="the run has ended"):
        with ptybot.run("kobuki", lockstep=True) as sim:
            sim.step()
            threading.Timer(0.1, os.kill, (sim.run.pid, signal.SIGKILL)).start()
            sim.step(86400000)


@pytest.mark.usefixtures("page")
def test_a_step_that_cannot_be_made_says_why() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        for ms, count in [(-1, 0), (86400001, 0), (1, -1)]:
            with pytest.raises(ptybot.InvalidRequest, match="must be a whole number from 0"):
                sim.step(ms, after_writing=count)
        port = open_port(sim)
        os.set_blocking(port, False)
        while select.select([], [port], [], 0.2)[1]:
            with contextlib.suppress(BlockingIOError):
                os.write(port, bytes(4096))
        with pytest.raises(ptybot.Unreachable, match="bytes requested, but the channel accepts only"):
            sim.step(1, after_writing=10000000)
        assert sim.time_s == 0
        os.close(port)


@pytest.mark.usefixtures("page")
def test_an_interrupt_ends_the_wait_for_a_step_and_the_next_request_waits_for_it() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        port = open_port(sim)
        for again in range(2):
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                sim.step(10, after_writing=(again + 1) * len(DRIVE))
            threading.Timer(0.1, os.write, (port, DRIVE)).start()
            if again == 0:
                assert sim.step(1).time_s == 0.011
            else:
                assert sim.time_s == 0.021
        os.close(port)


@pytest.mark.usefixtures("page")
def test_an_interrupt_ends_the_wait_for_a_step_that_is_under_way() -> None:
    with contextlib.suppress(ptybot.Ended), ptybot.run("kobuki", lockstep=True) as sim:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            sim.step(86400000)


@pytest.mark.usefixtures("page")
def test_a_step_goes_on_after_the_process_has_forked() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        sim.step(10)
        child = os.fork()
        if child == 0:
            os._exit(0 if sim.step(10).time_s == 0.02 else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert sim.step(10).time_s == 0.03


@pytest.mark.usefixtures("page")
def test_steps_of_several_clients_and_threads_run_one_after_another() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim, ptybot.connect(sim.control) as guest:
        port = open_port(sim)
        times: List[float] = []

        def step(client: ptybot.Simulation) -> None:
            times.extend(client.step(10).time_s for _ in range(100))
            client.do("kobuki.press", bumper="left")

        threads = [threading.Thread(target=step, args=(client,)) for client in (sim, guest, sim, guest)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sorted(round(time_s * 100) for time_s in times) == list(range(1, 401))
        assert guest.step(10).time_s == sim.time_s == 4.01
        assert sim.step(20, after_writing=os.write(port, DRIVE)).time_s == 4.03
        os.close(port)


@pytest.mark.usefixtures("page")
def test_a_fence_for_bytes_that_never_come_ends_and_the_run_goes_on() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        sim.timeout_s = 0.2
        with pytest.raises(ptybot.NoReply, match="within 0.21 s: the step waits for the bytes of {'kobuki.uart': 10}"):
            sim.step(10, after_writing=10)
        sim.timeout_s = 30
        assert sim.step(10, after_writing=0).time_s == pytest.approx(0.01)


def test_a_pause_counts_anew(shared: ptybot.Simulation) -> None:
    port = open_port(shared)
    before = shared.links()["kobuki.uart"].received
    taken = shared.get("kobuki.uart.from_host_bytes")
    os.write(port, DRIVE)
    shared.wait(f"kobuki.uart.from_host_bytes == {taken + len(DRIVE)}")
    shared.pause()
    later = threading.Timer(0.1, os.write, (port, DRIVE))
    later.start()
    assert shared.step(20, after_writing=len(DRIVE)).received == {"kobuki.uart": before + 2 * len(DRIVE)}
    later.join()
    os.close(port)
    shared.resume()


def test_a_step_ends_when_its_condition_holds() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        step = sim.step(1000, until="world.time_s >= 0.25")
        assert step.holds and step.time_s == 0.25 and step.found == "world.time_s = 0.25 s"
        with pytest.raises(ptybot.WaitTimeout, match="did not come true by 0.350 s"):
            sim.step(100, until="kobuki.x_m > 100")
        with pytest.raises(ptybot.NotHeld, match="use step"):
            sim.wait("kobuki.x_m > 100")


def test_time_that_is_paused_goes_on_by_steps(shared: ptybot.Simulation) -> None:
    at_s = shared.pause()
    assert shared.time_s == at_s
    port = open_port(shared)
    assert shared.step(30, after_writing={"kobuki": os.write(port, DRIVE)}).time_s == pytest.approx(at_s + 0.03)
    os.close(port)
    shared.speed(20)
    shared.resume()
    shared.wait(f"world.time_s > {at_s + 1}")
    shared.speed(1)


# ---- Other links, other runs ----


def test_a_tcp_link_has_an_address() -> None:
    with ptybot.run("kobuki", link={"kobuki": "tcp:auto"}, seed=3, set={"kobuki.battery_v": 14.5}) as sim:
        host, port = sim.address()
        assert sim.port() == f"{host}:{port}" and host == "127.0.0.1"


def test_a_run_of_others_is_joined_and_goes_on(shared: ptybot.Simulation) -> None:
    shared.reset()
    with ptybot.connect(shared.control) as guest:
        assert guest.run == shared.run and guest.process is None
        assert guest.get("kobuki.x_m") == 3
    assert shared.time_s > 0
    with pytest.raises(ptybot.Ended, match="is the simulation running"):
        ptybot.connect("/nowhere/control.sock")


def test_closing_ends_what_still_waits_for_a_reply() -> None:
    with ptybot.run("kobuki", lockstep=True) as sim:
        guest = ptybot.connect(sim.control)
        ended: List[BaseException] = []

        def step() -> None:
            try:
                guest.step(10, after_writing=10)
            except ptybot.Ended as error:
                ended.append(error)

        thread = threading.Thread(target=step, daemon=True)
        thread.start()
        time.sleep(0.1)  # chosen: until it waits
        guest.close()
        thread.join(10)
        assert ended and not thread.is_alive()


def test_the_control_socket_may_be_a_port() -> None:
    with ptybot.run("kobuki", arguments=["--control", "127.0.0.1:0"]) as sim:
        assert sim.process is not None
        table = subprocess.run(
            [ptybot.find_program(), "ctl", "--control", sim.control, "get", "world.time_s"], check=True, capture_output=True
        )
        assert b"world.time_s" in table.stdout
        with ptybot.connect(sim.process.ready["control_tcp"]) as guest:
            assert guest.run.pid == sim.run.pid
