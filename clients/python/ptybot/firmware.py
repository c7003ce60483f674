"""A firmware in Python: the part of a robot that ptybot runs as a process (docs/tutorials/own-robot.md).

    from ptybot.firmware import Firmware

    class Blinker(Firmware):
        def start(self):
            self.wait_us = 100_000              # ten times a second, and whenever bytes come

        def tick(self):
            self.send("uart", self.received("uart"))
            self.motor = [0.2, 0.2]

    Blinker().run()

Time is the simulation's: `time_us`, and no other clock. The standard library is enough.
"""

from __future__ import annotations

import json
import math
import os
import socket
import struct
import warnings
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Dict, Iterable, List, Optional, Tuple, cast

FORMAT = 2
NEVER = 2**63 - 1
DTR, RTS = 1, 2

# In the order of a message: how many numbers each has; None: one per wheel.
NUMBERS: Dict[str, Optional[int]] = {
    "wheel_rad": None, "wheel_rad_s": None, "motor_a": None, "wheel_dropped": None, "steer_rad": 1, "gyro_rad_s": 3,
    "accel_m_s2": 3, "roll_rad": 1, "pitch_rad": 1, "yaw_rad": 1, "field_ut": 3, "temperature_c": 1,
    "battery_charge": 1, "charger": 1, "bumpers": 1, "buttons": 1,
}  # fmt: skip
SENSES = (*NUMBERS, "time_us", "power_us", "sensors", "hosts", "pictures", "scans")
OUTPUTS = ("motor", "motor_free", "steer_to_rad", "aim_rad", "sound_hz", "sound_level", "charge_rate_1_s", "baud", "wait_us")


@dataclass
class Reading:
    """What one sensor sees."""

    distance_m: float = 0.0
    reflectance: float = 0.0
    level: float = 0.0
    beams: int = 0


@dataclass
class Picture:
    """What a camera saw."""

    width: int
    height: int
    rgb: bytes  #: red, green, blue; top row first, left to right

    def pixel(self, x: int, y: int) -> Tuple[int, int, int]:
        at = 3 * (y * self.width + x)
        return self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]


@dataclass
class Scan:
    """What the rays of a scanner met, from the first heading to the last."""

    distance_m: List[float]  #: infinite: nothing
    reflectance: List[float]  #: 0 black to 1 white
    cosine: List[float]  #: of the angle of incidence: 1 head-on


@dataclass
class Host:
    """Who is at the other end of a channel."""

    present: bool = False
    lines: int = 0  #: that it holds on: DTR, RTS
    queued: int = 0  #: bytes that wait for the wire to it


def _index(kind: str, names: List[str], name: str) -> int:
    if name not in names:
        raise ValueError(f"there is no {kind} '{name}'; {kind}s: {', '.join(names)}")
    return names.index(name)


class Firmware:
    """Override `start`, `tick` and `command`; their settings last until the next change."""

    #: "binary" is two to three times as fast as "json", which is readable.
    format = "binary"

    # Inputs of the firmware.
    time_us: int
    power_us: int  #: of the last power-on
    wheel_rad: List[float]
    wheel_rad_s: List[float]
    motor_a: List[float]
    wheel_dropped: List[bool]
    steer_rad: float
    gyro_rad_s: List[float]
    accel_m_s2: List[float]
    roll_rad: float
    pitch_rad: float
    yaw_rad: float
    field_ut: List[float]
    temperature_c: float
    battery_charge: float
    charger: int
    bumpers: int
    buttons: int
    sensors: Dict[str, Reading]
    hosts: Dict[str, Host]
    pictures: Dict[str, Picture]  #: that the last tick looked for, as it is now
    scans: Dict[str, Scan]

    # Outputs of the firmware.
    motor: List[float]
    motor_free: List[bool]
    steer_to_rad: float
    aim_rad: Dict[str, float]  #: where a servo turns a sensor, from its heading
    sound_hz: float
    sound_level: float
    charge_rate_1_s: float
    baud: Dict[str, int]
    wait_us: int  #: until the next tick; NEVER: until bytes or a host come

    def __setattr__(self, name: str, value: Any) -> None:
        # A change of an input would be lost at the next tick, and a misspelled output would have no effect.
        is_near = name.split("_")[0].rstrip("s") in ("motor", "steer", "aim", "sound", "charge", "baud", "wait")
        if name in SENSES or (is_near and name not in OUTPUTS and not hasattr(type(self), name)):
            what = "is what the robot senses" if name in SENSES else "is not an output"
            raise AttributeError(f"{name} {what}; outputs: {', '.join(OUTPUTS)}")
        object.__setattr__(self, name, value)

    def start(self) -> None:
        """Power-on: forget everything. Called before the first tick, and after each loss of power."""

    def tick(self) -> None:
        """One pass: `wait_us` after the last, or sooner where something has come."""

    def command(self, name: str, numbers: List[float]) -> None:
        """A command of the body file was given."""

    def received(self, channel: str) -> bytes:
        """The bytes that have come since the last tick."""
        return self._rx[channel]

    def send(self, channel: str, data: bytes) -> None:
        """Sends a frame: its bytes reach the host at once, when the last has passed the wire."""
        if data:
            self._tx.append((_index("channel", self.channels, channel), bytes(data)))

    def signal(self, name: str, value: float) -> None:
        """Shows a number under a name of the body file."""
        self._signals[_index("signal", self.signals, name)] = float(value)

    def camera_image(self, camera: str, width: int = 0) -> None:
        """Puts its picture into `pictures` at the next tick. `width`: number of columns, the rows follow; 0:
        all columns of the camera."""
        self._observations.append((_index("sensor", self.sensor_names, camera), width, 0, 0.0, 0.0))

    def look(self, camera: str, width: int = 0) -> None:
        """Old name of camera_image, until the next release."""
        warnings.warn("look is now camera_image", DeprecationWarning, stacklevel=2)
        self.camera_image(camera, width)

    def scan(
        self, scanner: str, rays: int, from_rad: float = -math.pi, to_rad: Optional[float] = None
    ) -> None:
        """Puts the distances of its rays into `scans` at the next tick: evenly from one heading to the other,
        both among them, counter-clockwise from the scanner's own; or all around."""
        if to_rad is None:
            to_rad = from_rad + 2 * math.pi * (rays - 1) / max(rays, 1)
        self._observations.append((_index("sensor", self.sensor_names, scanner), 0, rays, from_rad, to_rad))

    # ---- The messages ----

    def run(self) -> None:
        """Answers until ptybot ends. Call it last."""
        number = os.environ.get("PTYBOT_FIRMWARE_FD")
        if number is None:
            raise SystemExit("this program is a firmware: start it from a body file, `firmware: {run: ...}`")
        self._socket = socket.socket(fileno=int(number))
        self._rest = bytearray()
        self._greet(json.loads(self._line()))
        with suppress(EOFError, BrokenPipeError, ConnectionResetError):
            while True:
                self._answer_binary() if self.format == "binary" else self._answer_json()

    def _greet(self, hello: Dict[str, Any]) -> None:
        if hello["ptybot_firmware"] != FORMAT:
            raise SystemExit(f"ptybot speaks version {hello['ptybot_firmware']}, not {FORMAT}")
        self.robot: str = hello["robot"]
        self.channels: List[str] = [c["name"] for c in hello["channels"]]
        self.sensor_names: List[str] = hello["sensors"]
        self.bumper_names: List[str] = hello["bumpers"]
        self.button_names: List[str] = hello["buttons"]
        self.signals: List[str] = hello["signals"]
        self.commands: List[str] = hello["commands"]
        self.wheels: int = hello["wheels"]
        wheels, sensors = self.wheels, len(self.sensor_names)
        self._head = struct.Struct(f"<2qI{3 * wheels}d{wheels}I15dIII" + "3dI" * sensors)
        self._body = struct.Struct("<q" + "dI" * wheels + f"{4 + sensors}d{len(self.channels)}I")
        self._clear()
        reply = {"ptybot_firmware": FORMAT, "format": self.format}
        self._socket.sendall(json.dumps(reply).encode() + b"\n")

    def _clear(self) -> None:
        self.motor, self.motor_free = [0.0] * self.wheels, [False] * self.wheels
        self.steer_to_rad = self.sound_hz = self.sound_level = self.charge_rate_1_s = 0.0
        self.aim_rad = dict.fromkeys(self.sensor_names, 0.0)
        self.baud = dict.fromkeys(self.channels, 0)
        self.wait_us = 1000
        self._rx: Dict[str, bytes] = dict.fromkeys(self.channels, b"")
        self._tx: List[Tuple[int, bytes]] = []
        self._signals: Dict[int, float] = {}
        self._observations: List[Tuple[int, int, int, float, float]] = []

    def _turn(self, is_start: bool, orders: List[Tuple[str, List[float]]]) -> None:
        if is_start:
            rx = self._rx
            self._clear()
            self._rx = rx
            self.start()
        for name, numbers in orders:
            self.command(name, numbers)
        self.tick()

    def _more(self) -> None:
        got = self._socket.recv(65536)
        if not got:
            raise EOFError
        self._rest += got

    def _line(self) -> bytes:
        seen = 0  # no byte of a long line is searched twice
        while self._rest.find(b"\n", seen) < 0:
            seen = len(self._rest)
            self._more()
        line = self._take(self._rest.find(b"\n", seen) + 1)
        return line[:-1]

    def _take(self, size: int) -> bytes:
        while len(self._rest) < size:
            self._more()
        taken = bytes(self._rest[:size])
        del self._rest[:size]
        return taken

    def _sense(self, values: Tuple[Any, ...]) -> bool:
        rest, now = iter(values), self.__dict__
        now["time_us"], now["power_us"], is_start = islice(rest, 3)
        for name, count in NUMBERS.items():
            now[name] = next(rest) if count == 1 else list(islice(rest, self.wheels if count is None else count))
        now["wheel_dropped"] = [value != 0 for value in now["wheel_dropped"]]
        now["sensors"] = {name: Reading(*islice(rest, 4)) for name in self.sensor_names}
        return bool(is_start)

    def _answer_binary(self) -> None:
        message = self._take(struct.unpack("<I", self._take(4))[0])
        is_start = self._sense(self._head.unpack_from(message))
        at = self._head.size
        self.__dict__["hosts"] = {}
        for name in self.channels:
            present, lines, queued, size = struct.unpack_from("<4I", message, at)
            self.hosts[name] = Host(present != 0, lines, queued)
            self._rx[name] = message[at + 16 : at + 16 + size]
            at += 16 + size
        (count,) = struct.unpack_from("<I", message, at)
        orders = [struct.unpack_from("<I4d", message, at + 4 + 36 * i) for i in range(count)]
        self._see_packed(message, at + 4 + 36 * count)
        self._turn(is_start, [(self.commands[o[0]], list(o[1:])) for o in orders])
        self._socket.sendall(self._packed())

    def _see_packed(self, message: bytes, at: int) -> None:
        self.__dict__.update(pictures={}, scans={})
        count = struct.unpack_from("<I", message, at)[0] if at < len(message) else 0
        at += 4
        for _ in range(count):
            sensor, width, height, rays = struct.unpack_from("<4I", message, at)
            pixels, name = at + 16, self.sensor_names[sensor]
            at = pixels + 3 * width * height
            if rays:
                values = struct.unpack_from(f"<{3 * rays}d", message, at)
                self.scans[name] = Scan(*(list(values[i::3]) for i in range(3)))
                at += 24 * rays
            else:
                self.pictures[name] = Picture(width, height, message[pixels:at])

    def _packed(self) -> bytes:
        if not len(self.motor) == len(self.motor_free) == self.wheels:
            raise ValueError(f"motor and motor_free need an item for each of {self.wheels} wheels")
        motors: List[float] = []
        for value, free in zip(self.motor, self.motor_free):
            motors += (value, bool(free))
        parts = [
            self._body.pack(
                self.wait_us, *motors, self.steer_to_rad,
                *(self.aim_rad[name] for name in self.sensor_names),
                self.sound_hz, self.sound_level, self.charge_rate_1_s, *self.baud.values(),
            ),
            struct.pack("<I", len(self._signals)),
            *(struct.pack("<Id", *item) for item in self._signals.items()),
            struct.pack("<I", len(self._tx)),
            *(struct.pack("<II", channel, len(data)) + data for channel, data in self._tx),
        ]
        if self._observations:
            parts.append(struct.pack("<I", len(self._observations)))
            parts += (struct.pack("<3I2d", *look) for look in self._observations)
        self._tx, self._signals, self._observations = [], {}, []
        body = b"".join(parts)
        return struct.pack("<I", len(body)) + body

    def _answer_json(self) -> None:
        said = json.loads(self._line())
        now = self.__dict__
        now.update({key: said[key] for key in SENSES if key in said})
        now["sensors"] = {
            name: Reading(*[cast(Any, math.inf if v is None else v) for v in values])
            for name, values in zip(self.sensor_names, said["sensors"])
        }
        now["hosts"] = {}
        for name, channel in zip(self.channels, said["channels"]):
            self.hosts[name] = Host(channel["host"], channel["lines"], channel["queued"])
            self._rx[name] = bytes.fromhex(channel["rx"])
        self._see(said.get("seen", ()))
        self._turn(said["start"], [(o["name"], o["numbers"]) for o in said["commands"]])
        tx: Dict[str, List[str]] = {}
        for index, data in self._tx:
            tx.setdefault(self.channels[index], []).append(data.hex())
        answer: Dict[str, Any] = {
            "wait_us": None if self.wait_us >= NEVER else self.wait_us,
            "motor": self.motor, "motor_free": self.motor_free, "steer_rad": self.steer_to_rad,
            "aim_rad": self.aim_rad,
            "sound_hz": self.sound_hz, "sound_level": self.sound_level,
            "charge_rate_1_s": self.charge_rate_1_s, "baud": list(self.baud.values()), "tx": tx,
            "signals": {self.signals[i]: value for i, value in self._signals.items()},
        }
        if self._observations:
            keys = ("sensor", "width", "rays", "from_rad", "to_rad")
            answer["observe"] = [dict(zip(keys, (self.sensor_names[at], *rest))) for at, *rest in self._observations]
        self._tx, self._signals, self._observations = [], {}, []
        self._socket.sendall(json.dumps(answer).encode() + b"\n")

    def _see(self, seen: Iterable[Dict[str, Any]]) -> None:
        self.__dict__.update(pictures={}, scans={})
        for one in seen:
            if "rgb" in one:
                rgb = bytes.fromhex(one["rgb"])
                self.pictures[one["sensor"]] = Picture(one["width"], one["height"], rgb)
            else:
                distances = [math.inf if d is None else d for d in one["distance_m"]]
                self.scans[one["sensor"]] = Scan(distances, one["reflectance"], one["cosine"])
