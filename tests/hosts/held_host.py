#!/usr/bin/env python3
"""Kobuki drivers in Python that wait in one of many ways: held_host.py WAY. As held_host.c: commands
depend on when they are given and on everything heard."""
import asyncio
import os
import queue
import select
import socket
import subprocess
import sys
import termios
import threading
import time
import tty

SECONDS, EACH = 3, 0.05
heard = 0


def open_port(place):
    if not os.path.exists(place):
        host, number = place.rsplit(":", 1)
        return socket.create_connection((host, int(number))).detach()
    port = os.open(place, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(port, termios.TCSANOW)
    mode = termios.tcgetattr(port)
    mode[4] = mode[5] = termios.B115200
    termios.tcsetattr(port, termios.TCSANOW, mode)
    return port


port = open_port(os.environ["PTYBOT_PORT_KOBUKI"])


def hear(data):
    global heard
    for byte in data:
        heard = (heard * 31 + byte) % 1000003


def drive(start):
    at_us = int((time.monotonic() - start) * 1e6 + 0.5)
    speed = 100 + (heard + at_us) % 97
    payload = bytes([1, 4]) + speed.to_bytes(2, "little") + (at_us % 1009).to_bytes(2, "little")
    checksum = len(payload)
    for byte in payload:
        checksum ^= byte
    os.write(port, bytes([0xAA, 0x55, len(payload)]) + payload + bytes([checksum]))


def drive_by(wait):
    start = time.monotonic()
    due = start + EACH
    while time.monotonic() - start < SECONDS:
        wait(max(0, due - time.monotonic()))
        if time.monotonic() >= due:
            drive(start)
            due += EACH


def read_by_thread(tell):
    def run():
        while True:
            tell(os.read(port, 64))

    threading.Thread(target=run, daemon=True).start()


def by_select():
    def wait(seconds):
        if select.select([port], [], [], seconds)[0]:
            hear(os.read(port, 256))

    drive_by(wait)


def by_queue():
    news = queue.Queue()
    read_by_thread(news.put)

    def wait(seconds):
        try:
            hear(news.get(timeout=seconds))
        except queue.Empty:
            pass

    drive_by(wait)


def by_event():
    event = threading.Event()

    def tell(data):
        hear(data)
        event.set()

    read_by_thread(tell)

    def wait(seconds):
        event.wait(seconds)
        event.clear()

    drive_by(wait)


def by_child():
    child = subprocess.Popen(["cat"], stdin=port, stdout=subprocess.PIPE)

    def wait(seconds):
        if select.select([child.stdout], [], [], seconds)[0]:
            hear(os.read(child.stdout.fileno(), 256))

    drive_by(wait)
    child.kill()


def by_condition():
    """Three threads race for the port at each byte that was read."""
    news, start = threading.Condition(), time.monotonic()

    def work(number):
        global heard
        with news:
            while True:
                news.wait(0.5)
                heard = (heard * 31 + number) % 1000003
                drive(start)

    for number in range(3):
        threading.Thread(target=work, args=[number], daemon=True).start()
    while time.monotonic() - start < SECONDS:
        data = os.read(port, 64)
        with news:
            hear(data)
            news.notify_all()
    os._exit(0)


def by_asyncio():
    async def run():
        loop = asyncio.get_running_loop()
        loop.add_reader(port, lambda: hear(os.read(port, 256)))
        start = time.monotonic()
        while time.monotonic() - start < SECONDS:
            await asyncio.sleep(EACH)
            drive(start)

    asyncio.run(run())


{"select": by_select, "queue": by_queue, "event": by_event, "child": by_child,
 "condition": by_condition, "asyncio": by_asyncio}[sys.argv[1]]()
