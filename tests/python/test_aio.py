"""Real runs, with asyncio."""

import asyncio
import os
import tty

import pytest

import ptybot
import ptybot.aio

DRIVE = bytes.fromhex("aa55 06 01 04 c8000000 cb")


def test_a_run_is_there_within_the_block_and_gone_behind_it() -> None:
    async def body() -> str:
        async with ptybot.aio.run("kobuki") as sim:
            assert os.path.exists(sim.port()) and await sim.time_s() >= 0
            await sim.place("kobuki", 1, 1.5, heading=90)
            found = await sim.wait("kobuki.x_m < 1.1")
            assert found.time_s >= 0
            assert (await sim.values("kobuki.?_m"))["kobuki.y_m"] == 1.5
            assert await sim.text("kobuki.led1") == "off"
            assert (await sim.links())["kobuki.uart"].place == sim.port()
            assert (await sim.list("robots"))[0]["type"] == "kobuki"
            await sim.reset()
            assert await sim.get("kobuki.x_m") == 3
        return sim.run.folder

    assert not os.path.exists(asyncio.run(body()))


def test_tasks_ask_at_once_and_waiting_holds_up_nobody() -> None:
    async def body() -> None:
        async with ptybot.aio.run("kobuki") as sim:
            waits = asyncio.ensure_future(sim.wait("kobuki.wheel_drop_left == 1", within_s=1000))
            found = await asyncio.gather(*(sim.get("kobuki.x_m") for _ in range(100)))
            assert found == [3] * 100 and not waits.done()
            await sim.do("kobuki.lift")
            assert (await asyncio.wait_for(waits, 30)).found == "kobuki.wheel_drop_left = 1"

    asyncio.run(body())


def test_steps_fences_and_watches_are_those_of_the_blocking_one() -> None:
    async def body() -> None:
        async with ptybot.aio.run("kobuki", lockstep=True) as sim:
            port = os.open(sim.port(), os.O_RDWR | os.O_NOCTTY)
            tty.setraw(port)
            async with sim.watch("kobuki.x_m", every_ms=50) as rows:
                step = await sim.step(100, after_writing=os.write(port, DRIVE))
                assert step.received == {"kobuki.uart": 10} and step.new == step.written
                times = [round((await rows.__anext__()).time_s * 1000) for _ in range(2)]
                assert times == [50, 100]
            with pytest.raises(ptybot.WaitTimeout):
                await sim.step(10, until="kobuki.x_m > 100")
            with pytest.raises(ptybot.NotHeld):
                await sim.wait("kobuki.x_m > 100")
            assert (await sim.step(1000, until="kobuki.x_m > 3.05")).holds
            os.close(port)

    asyncio.run(body())


def test_errors_are_those_of_the_blocking_one() -> None:
    async def body() -> None:
        with pytest.raises(ptybot.StartError, match="did you mean 'kobuki'\\?"):
            await ptybot.aio.run("kobuky")
        with pytest.raises(ptybot.Ended, match="is the simulation running"):
            await ptybot.aio.connect("/nowhere/control.sock")
        async with ptybot.aio.run("kobuki") as sim:
            with pytest.raises(ptybot.Unknown, match="did you mean 'kobuki.x_m'\\?"):
                await sim.get("kobuki.x_n")
            with pytest.raises(ptybot.WaitTimeout):
                await sim.wait("kobuki.x_m > 100", within_s=0.05)
            with pytest.raises(ptybot.PtybotError, match="begins with"):
                await sim.watch("kobuki.x_m").__anext__()

    asyncio.run(body())


def test_a_run_of_others_is_joined_and_goes_on() -> None:
    async def body() -> None:
        sim = await ptybot.aio.run("kobuki")
        async with ptybot.aio.connect(sim.control) as guest:
            assert guest.run == sim.run
            at_s = await guest.pause()
            assert await sim.time_s() == at_s
            await guest.step(5)
            await guest.speed(2)
            await guest.resume()
        await sim.wait(f"world.time_s > {at_s + 0.05}")
        await sim.close()
        with pytest.raises(ptybot.Ended):
            await sim.get("kobuki.x_m")

    asyncio.run(body())


def test_an_error_in_the_block_ends_the_run_and_is_the_one_that_counts() -> None:
    async def body() -> None:
        with pytest.raises(ZeroDivisionError):
            async with ptybot.aio.run("kobuki") as sim:
                folder = sim.run.folder
                raise ZeroDivisionError
        assert not os.path.exists(folder)

    asyncio.run(body())


def test_a_fence_for_bytes_that_never_come_ends_and_the_run_goes_on() -> None:
    async def main() -> None:
        async with ptybot.aio.run("kobuki", lockstep=True) as sim:
            sim.timeout_s = 0.2
            with pytest.raises(ptybot.NoReply, match="the step waits for the bytes"):
                await sim.step(10, after_writing=10)
            assert (await sim.step(10)).time_s == pytest.approx(0.01)

    asyncio.run(main())


def test_closing_ends_what_still_waits_for_a_reply() -> None:
    async def main() -> None:
        async with ptybot.aio.run("kobuki", lockstep=True) as sim:
            guest = await ptybot.aio.connect(sim.control)
            async with guest.watch("kobuki.x_m") as rows:
                row = asyncio.ensure_future(rows.__anext__())
                step = asyncio.ensure_future(guest.step(10, after_writing=10))
                await asyncio.sleep(0.1)  # chosen: until they wait
                await guest.close()
                with pytest.raises(ptybot.Ended):
                    await asyncio.wait_for(step, 10)
            with pytest.raises(StopAsyncIteration):
                await asyncio.wait_for(row, 10)

    asyncio.run(main())
