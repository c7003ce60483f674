"""The protocol, without a run."""

import json
import math
from typing import Any, Dict, List, Type

import pytest

import ptybot
from ptybot import _calls
from ptybot._protocol import Call, Message, Notification, Protocol, Reply, wall_s
from ptybot._run import Channel, Launch, Robot, Run
from ptybot.firmware import Firmware

LINES = (
    b'{"jsonrpc":"2.0","id":1,"result":{"time_s":1.5}}\n'
    b'{"jsonrpc":"2.0","method":"watch","params":{"time_s":2,"dropped":3,"values":{"k.x_m":null}}}\n'
    b'{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"there is no signal"}}\n'
)


def run_of(*links: str) -> Run:
    robots: Dict[str, List[Channel]] = {}
    for link in links:
        robot, channel = link.split(".")
        robots.setdefault(robot, []).append(Channel(channel, "pty", path=f"/tmp/{link}"))
    made = tuple(Robot(name, "kobuki", tuple(channels)) for name, channels in robots.items())
    return Run("one", "0.1.0", "b", 1, "/tmp", "/tmp/control", True, made)


def stepped(received: Dict[str, int], written: Dict[str, int]) -> ptybot.Step:
    return ptybot.Step(0.0, written, received)


# ---- Lines ----


def test_bytes_split_anywhere_make_the_same_messages() -> None:
    whole = Protocol().feed(LINES)
    assert [type(one) for one in whole] == [Reply, Notification, Reply]
    for at in range(len(LINES)):
        protocol = Protocol()
        parts: List[Message] = protocol.feed(LINES[:at]) + protocol.feed(LINES[at:])
        assert repr(parts) == repr(whole)


def test_requests_are_numbered_lines_of_json() -> None:
    protocol = Protocol()
    for number in (1, 2):
        given, line = protocol.request(Call("get", {"signals": ("kobuki.x_m", "kobuki.*")}, _calls.values))
        assert given == number and line.endswith(b"\n") and line.count(b"\n") == 1
        said = json.loads(line)
        assert said == {
            "jsonrpc": "2.0",
            "id": number,
            "method": "get",
            "params": {"signals": ["kobuki.x_m", "kobuki.*"]},
        }


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-32700, ptybot.InvalidRequest),
        (-32602, ptybot.InvalidRequest),
        (-32000, ptybot.Refused),
        (-32001, ptybot.Unknown),
        (-32002, ptybot.NotHeld),
        (-32003, ptybot.Unreachable),
        (-32004, ptybot.TooMany),
        (-32005, ptybot.Ended),
    ],
)
def test_each_error_is_an_exception_of_its_own_with_the_programs_words(
    code: int, kind: Type[ptybot.RequestError]
) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": "its words"}})
    (reply,) = Protocol().feed(line.encode() + b"\n")
    assert isinstance(reply, Reply)
    assert reply.error is not None and type(reply.error) is kind
    assert str(reply.error) == "its words" and reply.error.code == code


@pytest.mark.parametrize("line", [b"HTTP/1.1 400 Bad Request\r\n", b"[]\n", b'{"id":1}\n', b'{"id":"x","result":1}\n'])
def test_what_is_no_ptybot_is_told(line: bytes) -> None:
    with pytest.raises(ptybot.PtybotError, match="the other side is not ptybot"):
        Protocol().feed(line)


def test_what_is_not_finite_is_nan() -> None:
    notification = Protocol().feed(LINES)[1]
    assert isinstance(notification, Notification)
    row = _calls.row(notification.params)
    assert math.isnan(row.values["k.x_m"]) and row.dropped == 3 and row.time_s == 2 and row.texts == {}


# ---- Commands ----


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "k.press"),
        ({"bumper": "left", "for_": 0.5}, "k.press bumper=left for=0.5"),
        ({"up": True, "high": False}, "k.press up=true high=false"),
        ({"x": 1, "y": 1e-7}, "k.press x=1 y=1e-07"),
        ({"name": "two words"}, 'k.press name="two words"'),
        ({"name": 'a "b"'}, "k.press name='a \"b\"'"),
        ({"name": ""}, 'k.press name=""'),
    ],
)
def test_arguments_become_words_of_the_command(arguments: Dict[str, Any], text: str) -> None:
    assert _calls.command("k.press", arguments) == text


# ---- Fences ----


def test_a_number_is_for_the_only_link_and_counts_from_the_fence_before() -> None:
    fence = _calls.Fence(run_of("k.uart"))
    assert fence.totals(None) == {}
    assert fence.totals(10) == {"k.uart": 10}
    assert fence.passed(stepped({"k.uart": 10}, {"k.uart": 81}), {"k.uart": 10}).new == {"k.uart": 81}
    assert fence.totals(4) == {"k.uart": 14}
    assert fence.passed(stepped({"k.uart": 14}, {"k.uart": 100}), {}).new == {"k.uart": 19}
    assert fence.totals(6) == {"k.uart": 16}


def test_of_several_links_each_is_named() -> None:
    fence = _calls.Fence(run_of("a.uart", "b.uart", "b.bluetooth"))
    assert fence.totals({"a": 3, "b.bluetooth": 5}) == {"a.uart": 3, "b.bluetooth": 5}
    with pytest.raises(ptybot.InvalidRequest, match="which link.*a.uart, b.uart, b.bluetooth"):
        fence.totals(3)
    for wrong in ("b", "c", "a.can"):
        with pytest.raises(ptybot.InvalidRequest, match="there is no link"):
            fence.totals({wrong: 1})


# ---- What a run says, and how it is started ----


def test_the_line_of_a_run_is_read_whatever_else_stands_in_it() -> None:
    said = {
        "name": "two", "version": "9.9.9", "build": "b", "pid": 7, "folder": "/f", "control": "/f/c", "lockstep": True,
        "later": 1,
        "robots": [
            {"name": "k", "type": "kobuki", "later": 1,
             "channels": [{"name": "uart", "link": "pty", "path": "/f/k", "baud": 115200, "later": 1}]},
            {"name": "e", "type": "epuck2",
             "channels": [{"name": "wifi", "link": "tcp", "address": "::1", "port": 1000}]},
            {"name": "none", "type": "kobuki", "channels": []},
        ],
    }  # fmt: skip
    run = Run.from_json(said)
    assert run.links() == ["k.uart", "e.wifi"]
    assert run.channel("k", None).place == "/f/k"
    assert run.channel("e", None).place == "[::1]:1000"
    assert run.channel(None, "wifi").port == 1000
    with pytest.raises(ptybot.Unknown, match="no link of lost; there are k.uart, e.wifi"):
        run.channel("lost", None)
    with pytest.raises(ptybot.Unknown, match="name one; there are k.uart, e.wifi"):
        run.channel(None, None)


def test_a_launch_is_a_command_line() -> None:
    launch = Launch(
        "dock.yaml", lockstep=True, seed=3, set={"k.a": True, "k.v": 14.2}, link={"k": "tcp:auto"}, journal="j",
        arguments=["--for", "3"], program="/p",
    )  # fmt: skip
    assert launch.words() == (
        "/p run dock.yaml --private --json --die-with-parent --lockstep --seed 3 --journal j "
        "--set k.a=true --set k.v=14.2 --link k=tcp:auto --for 3"
    ).split(" ")


# ---- Timeout ----


@pytest.mark.parametrize(("warp", "seconds"), [(None, 30), ("200", 6000), ("1", 30), ("inf", 30), ("", 30), ("x", 30)])
def test_timeout_is_of_wall_time_whatever_the_clock_says(warp: Any, seconds: float) -> None:
    assert wall_s(30, warp) == seconds


def test_a_firmware_with_a_wrong_name_is_told_the_right_ones() -> None:
    firmware = Firmware()
    firmware.channels, firmware.signals, firmware.sensor_names = ["uart"], ["turns"], ["eye", "lidar"]
    firmware.wheels = 0
    firmware._clear()
    with pytest.raises(ValueError, match="there is no channel 'urt'; channels: uart"):
        firmware.send("urt", b"x")
    with pytest.raises(ValueError, match="there is no signal 'turn'; signals: turns"):
        firmware.signal("turn", 1)
    with pytest.raises(ValueError, match="there is no sensor 'lidr'; sensors: eye, lidar"):
        firmware.scan("lidr", 3)
