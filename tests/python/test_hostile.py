"""Replies of a program that is not ptybot: each is a PtybotError, for every request."""

import asyncio
import json
import socket
import threading
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest

import ptybot
import ptybot.aio
from ptybot import _calls
from ptybot._protocol import LINE_MAX, Call, Protocol, Reply

LIST = Path(__file__).parents[1] / "support" / "hostile_replies.txt"
REPLIES = LIST.read_text().splitlines() if LIST.exists() else []
DEEP = "[" * 100_000 + "]" * 100_000
CALLS: List[Call[Any]] = [
    Call("get", {}, _calls.values),
    Call("get", {}, _calls.texts),
    Call("status", {}, _calls.time_s),
    Call("list", {}, _calls.links),
    _calls.wait("x", 1),
    _calls.step(1, {}, None),
]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Starts a server that gives one reply to each request, and closes after a few."""
    servers: List[socket.socket] = []

    def answer(client: socket.socket, reply: str) -> None:
        with client:
            for line in client.makefile("rb"):
                number = json.loads(line)["id"]
                client.sendall(reply.replace("DEEP", DEEP).replace("ID", str(number)).encode() + b"\n")
                if "ID" not in reply:
                    return

    def accept(server: socket.socket, reply: str) -> None:
        while True:
            try:
                client = server.accept()[0]
            except OSError:
                return
            try:
                answer(client, reply)
            except OSError:
                pass

    def start(reply: str) -> str:
        server = socket.socket(socket.AF_UNIX)
        path = str(tmp_path / "control")
        server.bind(path)
        server.listen()
        servers.append(server)
        threading.Thread(target=accept, args=(server, reply), daemon=True).start()
        return path

    yield start
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


@pytest.mark.parametrize("reply", REPLIES)
def test_who_connects_is_told(reply: str, serve: Callable[[str], str]) -> None:
    with pytest.raises(ptybot.PtybotError):
        ptybot.connect(serve(reply))


@pytest.mark.parametrize("reply", REPLIES)
def test_who_connects_with_asyncio_is_told(reply: str, serve: Callable[[str], str]) -> None:
    async def body() -> None:
        async with ptybot.aio.connect(serve(reply)):
            pass

    with pytest.raises(ptybot.PtybotError):
        asyncio.run(body())


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(call.method))
@pytest.mark.parametrize("reply", [one for one in REPLIES if '"result":' in one and "DEEP" not in one and "1e999" not in one])
def test_every_result_is_what_was_asked_for_or_an_error(reply: str, call: Call[Any]) -> None:
    (said,) = Protocol().feed(reply.replace("ID", "1").encode() + b"\n") if "[]," not in reply else (Reply(1, []),)
    assert isinstance(said, Reply)
    try:
        assert call.read(said.result) in ({}, [])
    except ptybot.PtybotError:
        pass


def test_a_line_without_an_end_is_cut_off() -> None:
    protocol = Protocol()
    with pytest.raises(ptybot.PtybotError, match="a line of more than"):
        for _ in range(LINE_MAX // (1 << 20) + 2):
            protocol.feed(b"x" * (1 << 20))
