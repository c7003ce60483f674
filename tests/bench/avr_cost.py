"""Time of ptybot with a sketch in simavr, and of only simavr with the same binary: avr_cost.py PTYBOT AVR_BARE"""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SECONDS, ROUNDS = 20, 5
OWN = pathlib.Path(__file__).parents[2] / "scenes" / "own"


def timed(words):
    """Time of a processor and of the wall clock."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def main():
    ptybot, bare = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copytree(OWN / "bridge", "bridge")
        shutil.copy(OWN / "bridge_arduino.yaml", "bridge.yaml")
        # It turns on the spot until the end, by its PID and its encoders.
        wheels, sketch = pathlib.Path("bridge/wheels.h"), pathlib.Path("bridge/bridge.ino")
        wheels.write_text(wheels.read_text().replace("STOP_MS = 2000", "STOP_MS = 4000000"))
        text = sketch.read_text().replace("  next_pid_ms = PID_MS;", "  next_pid_ms = PID_MS; is_moving = true; set_targets(60, -60);")
        sketch.write_text(text)
        subprocess.run([ptybot, "arduino", "bridge", "bridge.yaml", "-o", "bridge.elf"], check=True, stderr=subprocess.DEVNULL)
        pathlib.Path("turn.yaml").write_text("world: {size: {x: 4, y: 4}}\nrobots: [{name: bot, type: ./bridge.yaml, pose: {x: 2, y: 2}}]\n")
        ours = [ptybot, "run", "turn.yaml", "--fast", "--private", "--for", str(SECONDS)]
        alone = [bare, "bridge.elf", str(SECONDS)]
        rounds = [[timed(words) for words in (ours, alone + ["repaired"], alone)] for _ in range(ROUNDS)]
    for i, name in enumerate(("processor", "wall clock")):
        times = [sorted(r[n][i] for r in rounds)[ROUNDS // 2] for n in range(3)]
        print(
            f"avr: {SECONDS} s of the robot, {name}: ptybot {times[0]:.2f} s, "
            f"simavr with its repairs {times[1]:.2f} s (ratio {times[0] / times[1]:.2f}), "
            f"simavr as it is {times[2]:.2f} s (ratio {times[0] / times[2]:.2f})"
        )


if __name__ == "__main__":
    main()
