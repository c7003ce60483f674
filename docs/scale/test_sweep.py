"""A sweep under pytest: each case is a separate test, distributed by pytest-xdist.

    pytest -n auto test_sweep.py

The cases are those of `ptybot test`, one per shard, so that they have the same names and values.
"""
import json
import os
import subprocess

import pytest

SCENE = os.environ.get("SWEEP_SCENE", "dock.yaml")
FLAGS = os.environ.get("SWEEP_FLAGS", "--warp max").split()
DRIVER = os.environ.get("SWEEP_DRIVER", "").split()
CASES = int(os.environ.get("SWEEP_CASES", "4"))


@pytest.mark.parametrize("number", range(1, CASES + 1))
def test_case(number, tmp_path):
    results = tmp_path / "results.ndjson"
    command = ["ptybot", "test", SCENE, *FLAGS, "--shard", f"{number}/{CASES}", "--results", str(results)]
    done = subprocess.run(command + (["--", *DRIVER] if DRIVER else []), capture_output=True, text=True)
    cases = [json.loads(line) for line in results.read_text().splitlines()[1:]]
    for case in cases:
        print(case["case"], case["vary"], case["measures"])
    assert done.returncode == 0, done.stdout
