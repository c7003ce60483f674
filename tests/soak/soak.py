#!/usr/bin/python3
"""Endurance: all robots in one run in real time, each with a host that reads, commands, leaves, comes
back and is killed; faults on every wire and robot; watchers and pages that are killed.

    soak.py PTYBOT HOST MINUTES FOLDER [SEED]   one piece, appended to FOLDER/soak.ndjson
    soak.py report FOLDER                       what all pieces say

Every twenty seconds hosts fall silent, faults are healed, time is stopped, and the counters of both
sides are compared: to the byte if no host left since the last comparison, otherwise within the bytes
that kernel and line can have held. Descriptors, memory and latency are given as a slope
with its interval of 95 %. It fails where a balance is off, or where a slope is surely above zero and
an hour of it would be felt."""
import collections
import http.client
import json
import math
import mmap
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{ROOT}/clients/python")
import ptybot  # noqa: E402

# Name, type, folder of its golden frames, period of its packets (us; 0: no clock), opcodes that a
# host does not send: a Create 2 would change its baud, or switch itself off.
ROBOTS = [
    ("kobuki", "kobuki", "kobuki", 20000, ()),
    ("cobot", "cobot", "cobot", 0, ()),
    ("cobot_ackermann", "cobot", "cobot", 0, ()),
    ("pibot", "diff_board", "diff_board", 0, ()),
    ("create", "create2", "create2", 0, (0x81, 0x85, 0x07)),
    ("bot", "ros_arduino_bridge", "ros_arduino_bridge", 0, ()),
    ("epuck", "epuck2", "epuck2", 0, ()),
    ("a1", "rplidar_a1", "rplidar_a1", 0, ()),
    ("ld06", "ld06", "ld06", 0, ()),
    ("ld19", "ld19", "ld19", 0, ()),
]
MOUNTED = {"a1": "kobuki", "ld06": "pibot", "ld19": "cobot"}
CHANNEL = {"epuck2": "wifi"}
PAGE = struct.Struct("<9Q96Q")
READ, WRITTEN, PENDING, QUIET, WAS_QUIET, OPENS, LEAVES, STAYS, IDLES = range(9)

# Chosen: the maximum number of bytes in the kernel's buffers of a pty or a loopback socket, and in
# the line's queues.
HELD_PTY, HELD_TCP = 4096 + 65536 + 32768, 8 << 20
# Chosen: noticeable growth. Descriptors per hour, share of the memory per hour, us per hour.
LIMITS = {"descriptors": 1.0, "memory_kib": 0.01, "control_us": 100.0, "gap_us": 100.0}
# Samples of the start are ignored. Queues and the data of watchers are used for the first time in
# the first twelve minutes (observed: 5.8 MiB from then on).
START_S = {"descriptors": 30, "memory_kib": 900, "control_us": 30, "gap_us": 30}
SAMPLE_S, CHECK_S = 2, 20
TIMEOUT_S = 60  # chosen: hosts on a machine that is very busy


def scene():
    lines = ["world: {size: {x: 12, y: 12}, docks: [{name: dock, pose: {x: 11.9, y: 6, heading: 180}}]}", "robots:"]
    for i, (name, kind, _, _, _) in enumerate(ROBOTS):
        place = (f"mount: {{on: {MOUNTED[name]}}}" if name in MOUNTED
                 else f"pose: {{x: {1.5 + 3 * (i % 3)}, y: {1.5 + 3 * (i // 3)}, heading: {i * 40}}}")
        extra = ", options: {model: ackermann}" if name == "cobot_ackermann" else ""
        extra += ', links: [{tcp: auto}]' if kind == "epuck2" else ""
        lines.append(f"  - {{name: {name}, type: {kind}, {place}{extra}}}")
    return "\n".join(lines) + "\n"


def golden_commands(folder, channel, without):
    """All frames of a robot's golden files that a host may say, each with its size before it."""
    said = b""
    path = f"{ROOT}/tests/wire/{folder}"
    for name in sorted(os.listdir(path)):
        with open(f"{path}/{name}", encoding="utf-8") as file:
            text = re.sub(r"\n    ", " ", file.read())
        for match in re.finditer(rf"^to_robot {channel}: ([0-9a-f ]+)$", text, re.M):
            frame = bytes.fromhex(match[1])
            if frame and len(frame) < 256 and frame[0] not in without:
                said += bytes([len(frame)]) + frame
    return said


class Host:
    """A host process, its page, and what its channel had counted at the last look."""

    def __init__(self, piece, name, kind, folder, period_us, without):
        self.piece, self.name, self.kind, self.period_us = piece, name, kind, period_us
        self.channel = f"{name}.{CHANNEL.get(kind, 'uart')}"
        self.held = HELD_TCP if kind == "epuck2" else HELD_PTY
        self.said = f"{piece.folder}/{name}.commands"
        with open(self.said, "wb") as file:
            file.write(golden_commands(folder, CHANNEL.get(kind, "uart"), without))
        self.path = f"{piece.folder}/{name}.page"
        with open(self.path, "wb") as file:
            file.write(bytes(4096))
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 4096)
        self.process, self.lost, self.uncertain = None, True, 0
        self.was = {"written": 0, "read": 0, "leaves": 0, "sent": 0, "unread": 0, "arrived": 0, "baud": None}

    def start(self):
        place = self.piece.sim.port(self.name)
        self.process = subprocess.Popen([self.piece.host, place, self.said, self.path, str(self.period_us),
                                         str(self.piece.random.randrange(1 << 30))])

    def look(self):
        return PAGE.unpack_from(self.page)

    def put(self, index, value):
        struct.pack_into("<Q", self.page, 8 * index, value)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.uncertain += self.look()[PENDING]
        self.put(PENDING, 0)
        self.lost = True
        self.start()


def gaps_median(before, now):
    """The median between two counts, us, by the eighths of a doubling that count it."""
    counts = [b - a for a, b in zip(before, now)]
    half, seen = sum(counts) / 2, 0
    for bin_, count in enumerate(counts):
        seen += count
        if count and seen >= half:
            return 2 ** (bin_ / 8)
    return None


class Piece:
    def __init__(self, program, host, minutes, folder, seed):
        self.program, self.host, self.minutes, self.seed = program, host, minutes, seed
        self.random = random.Random(seed)
        self.out = open(f"{folder}/soak.ndjson", "a", encoding="utf-8")
        self.stamp = int(time.time())
        self.began = time.monotonic()
        self.counts = collections.Counter()
        self.failed = []
        self.web = self.watcher = None

    def note(self, row):
        self.out.write(json.dumps({"piece": self.stamp, "seed": self.seed,
                                   "t": round(time.monotonic() - self.began, 3), **row}) + "\n")
        self.out.flush()

    # ---- Events ----

    def do(self, command, name):
        try:
            self.sim.do(command)
            self.counts[name] += 1
        except ptybot.Refused:
            self.counts["refused"] += 1  # another stands there; it has no such part

    def fault(self, host):
        # Faults that change the number of bytes have one direction each, so that counters show the
        # direction.
        kinds = ["drop rate=0.01 direction=to_robot", "duplicate rate=0.01 direction=to_robot",
                 "insert rate=0.01 direction=to_robot", "flip rate=0.001 direction=both",
                 "delay rate=0.05 ms=30", "split rate=0.1", "stall for=0.3", "ftdi"]
        part = host.channel.split(".")[1]
        self.do(f"{host.name}.fault {part}={self.random.choice(kinds)}", "faults")

    def break_robot(self, host):
        name = host.name
        if name in MOUNTED:
            return
        what = self.random.choice([f"{name}.fault wheels=slip grip=0.2 for=2", f"{name}.fault encoders=stuck for=1",
                                   f"{name}.place x={self.random.uniform(1, 9):.2f} y={self.random.uniform(1, 9):.2f}"
                                   f" heading={self.random.randrange(360)}"])
        self.do(what, "commands")

    def unplug(self, host):
        part = host.channel.split(".")[1]
        what = self.random.choice([f"{part}=hangup for=0.5", "power=brownout"])
        self.do(f"{host.name}.fault {what}", "cables and power")
        host.lost = True

    def kill(self, host):
        host.kill()
        self.counts["hosts killed"] += 1

    def start_watcher(self):
        self.watcher = subprocess.Popen([self.program, "ctl", "--control", self.sim.control, "watch", "*.x_m",
                                         "*.uart.*", "--every", "50"], stdout=subprocess.DEVNULL)

    def start_web(self):
        self.web = subprocess.Popen([self.program, "view", "--web", "--web-port", "0", "--control", self.sim.control],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.web.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found:
            threading.Thread(target=self.read_page, args=(found[0],), daemon=True).start()

    def read_page(self, url):
        try:
            with urllib.request.urlopen(url + "events", timeout=30) as stream:
                while stream.read1(4096):
                    self.counts["pages read"] += 1
        except (OSError, http.client.HTTPException):
            pass  # it was killed

    def kill_viewer(self, _host):
        for child in (self.watcher, self.web):
            if child:
                child.kill()
                child.wait()
                self.counts["viewers killed"] += 1
        self.start_watcher()
        if self.web is not None:
            self.web.stdout.close()
            self.start_web()

    # ---- Samples ----

    def sample(self):
        pid = self.run.pid
        rollup = open(f"/proc/{pid}/smaps_rollup", encoding="ascii").read()
        memory = int(re.search(r"^Pss_Anon:\s+(\d+)", rollup, re.M)[1])
        took = []
        for _ in range(15):
            began = time.monotonic()
            self.sim.get("world.time_s")
            took.append((time.monotonic() - began) * 1e6)
        gaps = self.hosts[0].look()[9:]
        self.note({"kind": "sample", "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "memory_kib": memory,
                   "control_us": sorted(took)[7], "gap_us": gaps_median(self.gaps, gaps),
                   "late_ms": self.sim.get("world.late_ms"), "dropped_s": self.sim.get("world.dropped_s")})
        self.gaps = gaps

    def settle(self):
        """Hosts say nothing more, and read what there is; nothing is on any wire; time stands."""
        for host in self.hosts:
            host.put(STAYS, 1)
            host.put(WAS_QUIET, 0)
            host.put(QUIET, 1)
            self.sim.do(f"{host.name}.heal")
        until = time.monotonic() + TIMEOUT_S
        while time.monotonic() < until and not all(host.look()[WAS_QUIET] and self.sim.get(f"{host.channel}.host")
                                                   for host in self.hosts):
            time.sleep(0.05)
        time.sleep(1.0)  # chosen: what is on the slowest line arrives
        self.sim.pause()
        # The kernel has delivered all bytes, and after that each host has looked twice without
        # finding any.
        until, waits = time.monotonic() + TIMEOUT_S, set(self.hosts)
        while time.monotonic() < until and any(self.sim.get(f"{host.channel}.unread_bytes") for host in self.hosts):
            time.sleep(0.05)
        idles = {host: (host.look()[IDLES], host.look()[READ]) for host in self.hosts}
        while time.monotonic() < until and waits:
            time.sleep(0.05)
            for host in list(waits):
                now = host.look()[IDLES], host.look()[READ]
                if now[1] != idles[host][1]:
                    idles[host] = now
                elif now[0] >= idles[host][0] + 2:
                    waits.discard(host)

    def counters(self, host):
        names = ["from_host_bytes", "to_host_bytes", "fault_drops", "fault_duplicates", "fault_inserts",
                 "dropped_frames"]
        values = self.sim.values(*(f"{host.channel}.{name}" for name in names))
        page = host.look()
        arrived, sent, drops, doubles, inserts, unread = (int(values[f"{host.channel}.{name}"]) for name in names)
        baud = None if host.kind == "epuck2" else self.sim.get(f"{host.channel}.baud")
        return {"written": page[WRITTEN], "read": page[READ], "leaves": page[LEAVES], "sent": sent, "unread": unread,
                "baud": baud,
                # Number of bytes that would have arrived without faults.
                "arrived": arrived + drops - doubles - inserts}

    def balance(self):
        self.settle()
        for host in self.hosts:
            now = self.counters(host)
            was = host.was
            # A damaged byte may have been part of a command that changes a Create's baud: at 300
            # baud, the bytes that the host has written since are on the wire for minutes.
            is_exact = not host.lost and all(now[key] == was[key] for key in ("leaves", "unread", "baud"))
            to_robot = (now["written"] - was["written"]) - (now["arrived"] - was["arrived"])
            to_host = (now["sent"] - was["sent"]) - (now["read"] - was["read"])
            room = host.held * (2 + now["leaves"] - was["leaves"] + self.kills_of[host.name])
            is_right = ((to_robot, to_host) == (0, 0) if is_exact else
                        -host.uncertain <= to_robot <= room and 0 <= to_host <= room)
            self.counts["exact" if is_exact else "bounded"] += 1
            row = {"kind": "balance", "channel": host.channel, "is_exact": is_exact, "to_robot": to_robot,
                   "to_host": to_host, "is_right": is_right, "bytes": now["sent"] - was["sent"]}
            self.note(row)
            if not is_right:
                self.failed.append(json.dumps(row))
            host.was, host.lost, host.uncertain = now, False, 0
        self.kills_of.clear()
        self.sim.resume()

    # ---- The whole test ----

    def wild(self):
        """Twenty seconds with hosts that leave and are killed, or that stay, by turns."""
        calm = (self.fault, self.fault, self.break_robot)
        rough = calm + (self.unplug, self.kill, self.kill_viewer)
        is_rough = self.round % 2 == 0
        for host in self.hosts:
            host.put(QUIET, 0)
            host.put(STAYS, 0 if is_rough else 1)
        until, sample = time.monotonic() + CHECK_S, 0.0
        while time.monotonic() < until:
            host = self.random.choice(self.hosts)
            what = self.random.choice(rough if is_rough else calm)
            if what == self.kill:
                self.kills_of[host.name] += 1
            what(host)
            if time.monotonic() >= sample:
                self.sample()
                sample = time.monotonic() + SAMPLE_S
            time.sleep(self.random.uniform(0.05, 0.4))
        self.round += 1

    def go(self):
        with tempfile.TemporaryDirectory() as self.folder:
            path = f"{self.folder}/soak.yaml"
            with open(path, "w", encoding="utf-8") as file:
                file.write(scene())
            self.sim = ptybot.run(path, program=self.program, seed=self.seed)
            self.run = self.sim.run
            self.hosts = [Host(self, *row) for row in ROBOTS]
            self.gaps, self.round, self.kills_of = (0,) * 96, 0, collections.Counter()
            try:
                for host in self.hosts:
                    host.start()
                self.start_watcher()
                self.start_web()
                self.wild()
                self.balance()
                while time.monotonic() - self.began < 60 * self.minutes:
                    self.wild()
                    self.balance()
            finally:
                for child in [host.process for host in self.hosts] + [self.watcher, self.web]:
                    if child:
                        child.send_signal(signal.SIGKILL)
                        child.wait()
            self.sim.close()
            left = os.path.exists(self.run.folder)
            if left:
                self.failed.append(f"the run has left {self.run.folder}")
        self.note({"kind": "end", "seconds": time.monotonic() - self.began, "counts": dict(self.counts),
                   "failed": self.failed})
        return not self.failed


# ---- Report on the pieces ----

def slope(pieces, key):
    """Growth an hour within the pieces, and half of its interval of 95 %: least squares with a separate
    level for each piece, over means of ten samples, which depend on each other less than samples do.
    The start is left out."""
    sum_xx = sum_xy = 0.0
    points = []
    for samples in pieces.values():
        rows = [(row["t"] / 3600, row[key]) for row in samples if row[key] is not None and row["t"] > START_S[key]]
        means = [tuple(sum(part) / len(part) for part in zip(*rows[i:i + 10])) for i in range(0, len(rows), 10)]
        if len(means) < 2:
            continue
        x0, y0 = (sum(part) / len(means) for part in zip(*means))
        points += [(x - x0, y - y0) for x, y in means]
        sum_xx += sum((x - x0) ** 2 for x, _ in means)
        sum_xy += sum((x - x0) * (y - y0) for x, y in means)
    freedom = len(points) - len(pieces) - 1
    if freedom < 1 or sum_xx == 0:
        return None
    b = sum_xy / sum_xx
    left = sum((y - b * x) ** 2 for x, y in points)
    # Student's t at 97.5 %, by its expansion around the normal quantile (Abramowitz and Stegun 26.7.5).
    z = 1.959964
    t = z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
    return b, t * math.sqrt(left / freedom / sum_xx)


def report(folder):
    rows = [json.loads(line) for line in open(f"{folder}/soak.ndjson", encoding="utf-8")]
    pieces = collections.defaultdict(list)
    for row in rows:
        if row["kind"] == "sample":
            pieces[row["piece"]].append(row)
    ends = [row for row in rows if row["kind"] == "end"]
    balances = [row for row in rows if row["kind"] == "balance"]
    total = collections.Counter()
    for row in ends:
        total.update(row["counts"])
    broken = [row for row in balances if not row["is_right"]]
    is_fine = not broken and not any(row["failed"] for row in ends) and len(ends) == len(pieces)
    print(f"soak\t{len(pieces)} pieces, {sum(row['seconds'] for row in ends) / 60:.1f} minutes\t"
          + ", ".join(f"{count} {name}" for name, count in sorted(total.items())))
    if len(ends) != len(pieces):
        print(f"soak\t{len(pieces) - len(ends)} pieces have no end")
    for is_exact, name in ((True, "exact to the byte"), (False, "within the bytes in flight when a host left")):
        some = [row for row in balances if row["is_exact"] == is_exact]
        print(f"balance\t{name}\t{sum(row['is_right'] for row in some)} of {len(some)}\t"
              f"{sum(row['bytes'] for row in some)} bytes to hosts")
    for key, limit in LIMITS.items():
        values = [row[key] for samples in pieces.values() for row in samples if row[key] is not None]
        found = slope(pieces, key)
        mean = sum(values) / len(values)
        if not found:
            print(f"{key}\tmean {mean:.6g}\ttoo short for a slope")
            continue
        most = limit * mean if key == "memory_kib" else limit
        grows = found[0] - found[1] > 0 and found[0] > most
        is_fine &= not grows
        print(f"{key}\tmean {mean:.6g}\tslope {found[0]:+.4g} an hour, {found[0] - found[1]:+.4g} to "
              f"{found[0] + found[1]:+.4g}\t{'GROWS' if grows else 'flat' if found[1] <= most else 'not known yet: continue'}")
    for row in broken:
        print("WRONG\t" + json.dumps(row))
    return is_fine


def main(words):
    if len(words) == 2 and words[0] == "report":
        sys.exit(0 if report(words[1]) else 1)
    if len(words) not in (4, 5):
        sys.exit(__doc__)
    program, host, minutes, folder = words[:4]
    os.makedirs(folder, exist_ok=True)
    seed = int(words[4]) if len(words) == 5 else int(time.time())
    done = Piece(os.path.abspath(program), os.path.abspath(host), float(minutes), folder, seed).go()
    sys.exit(0 if report(folder) and done else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
