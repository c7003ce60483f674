"""Cost of a run for a test in Python, compared with starting `true` takes: ./dev bench private.

The parts take turns, so that a busy machine hits all of them, and medians are compared.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, List

import ptybot

ROUNDS = 60
TESTS = 100

SUITE = """
import pytest
@pytest.mark.parametrize("number", range({tests}))
def test_it(ptybot_sim, number):
    ptybot_sim.do("kobuki.press", bumper="left")
    assert ptybot_sim.get("kobuki.x_m") == 3
"""


def took_ms(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def suite_s(folder: Path, tests: int) -> float:
    (folder / "test_suite.py").write_text(SUITE.format(tests=tests))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "ptybot.pytest_plugin", "-p", "no:cacheprovider", "test_suite.py"]
    began = time.perf_counter()
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    bare: List[float] = []
    enter: List[float] = []
    leave: List[float] = []
    for _ in range(ROUNDS):
        bare.append(took_ms(lambda: subprocess.run(["true"], check=True)))
        sims: List[ptybot.Simulation] = []
        enter.append(took_ms(lambda: sims.append(ptybot.run("kobuki"))))
        leave.append(took_ms(sims[0].close))
    unit_ms = statistics.median(bare)
    print(f"private_python_enter_ms\t{statistics.median(enter):.2f}")
    print(f"private_python_exit_ms\t{statistics.median(leave):.2f}")
    print(f"private_python_enter_per_true\t{statistics.median(enter) / unit_ms:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        # Without what pytest itself takes to begin.
        part_s = suite_s(Path(folder), TESTS + 1) - suite_s(Path(folder), 1)
    print(f"private_pytest_tests_per_s\t{TESTS / part_s:.1f}")
    print(f"private_pytest_test_per_true\t{part_s * 1000 / TESTS / unit_ms:.2f}")


if __name__ == "__main__":
    main()
