#!/bin/bash
# In a bare Debian (bare_root.sh), after ./dev package: installs only the packages and runs ten
# tests of a driver with pytest, which finds the plugin automatically. Prints the time and disk
# space that this takes. Argument: the folder of the packages.
set -euo pipefail
packages=${1:-/src/build/package/debian}
apt-get -qq update
room() { du -sm --one-file-system --exclude=/src / 2>/dev/null | cut -f 1; }
before=$(room)
began=$(date +%s)
apt-get -qq -y --no-install-recommends install "$packages"/ptybot_*.deb >/dev/null
echo "ptybot: $(($(date +%s) - began)) s, $(($(room) - before)) MB more than a bare Debian"
apt-get -qq -y --no-install-recommends install "$packages"/python3-ptybot_*.deb \
    python3-pytest python3-serial >/dev/null
echo "with its Python package, pytest and pyserial: $(($(date +%s) - began)) s, $(($(room) - before)) MB"
mkdir -p /project
cd /project
cat >test_ten.py <<'END'
import pytest
import serial

@pytest.mark.parametrize("bumper", ["left", "center", "right"] * 3)
def test_a_bump_reaches_the_driver(ptybot_sim, bumper):
    with serial.Serial(ptybot_sim.port(), 115200, timeout=5) as robot:
        ptybot_sim.do("kobuki.press", bumper=bumper)
        bit = {"right": b"\x01", "center": b"\x02", "left": b"\x04"}[bumper]
        assert any(robot.read_until(b"\xaa\x55")[5:6] == bit for _ in range(50))

@pytest.mark.ptybot("kobuki_dock", lockstep=True)
def test_a_second_is_a_second(ptybot_sim):
    ptybot_sim.step(1000)
    assert ptybot_sim.get("world.time_s") == pytest.approx(1)
END
# Also with -p, which the documents use for a package in a folder: the plugin must not load twice.
for named in "" "-p ptybot.pytest_plugin"; do
    python3 -m pytest -q $named test_ten.py | tee said
    grep -q '10 passed' said
done
apt-get -qq -y purge python3-ptybot >/dev/null
[ ! -e /usr/lib/python3/dist-packages/ptybot ] # nor what was compiled there
