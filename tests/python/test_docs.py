"""The pages: their programs run, and their commands, in reading order."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

import ptybot

PACKAGE = Path(__file__).parents[2] / "clients" / "python"
HOW_TO = PACKAGE.parents[1] / "docs" / "how-to"
PAGES = [PACKAGE / "README.md", HOW_TO / "python.md"]
ALL_PAGES = [*PAGES, HOW_TO / "parametrize-a-test.md"]

PART = re.compile(r"^```python\n(?P<python>.*?)^```|^    (?P<command>python3 [^\n]*)$|`(?P<name>test_\w+\.py)`", re.M | re.S)


def parts(page: Path) -> List[Tuple[str, str]]:
    """Each python block, command and name of a file, in order."""
    return [(str(found.lastgroup), found[str(found.lastgroup)]) for found in PART.finditer(page.read_text())]


@pytest.mark.parametrize("page", ALL_PAGES, ids=[page.name for page in ALL_PAGES])
def test_what_a_page_shows_works(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("serial")
    pytest.importorskip("xdist")
    environment: Dict[str, str] = {**os.environ, "PYTHONPATH": str(PACKAGE), "PTYBOT": ptybot.find_program()}
    name, ran = "", 0
    for kind, text in parts(page):
        if kind == "name":
            name = text
            continue
        if kind == "python" and "def test_" in text:
            name = name or "test_page.py"
            (tmp_path / name).write_text(text)
            words = [sys.executable, "-m", "pytest", "-p", "ptybot.pytest_plugin", name]
        elif kind == "python":
            words = [sys.executable, "-c", text]
        else:
            words = [sys.executable, *text.split("#")[0].split()[1:]]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
        ran += 1
    assert ran >= (8 if page.name == "python.md" else 2)


def test_the_recipe_is_the_same_everywhere_and_six_lines() -> None:
    recipe = (PACKAGE.parents[1] / "tests" / "recipes" / "test_bumper.py").read_text()
    assert len([line for line in recipe.splitlines() if line]) <= 6
    for page in PAGES:
        assert ("python", recipe) in parts(page), page


def test_each_function_and_option_is_told() -> None:
    told = PAGES[1].read_text()
    for function in dir(ptybot.Simulation):
        if function.startswith("_") or function in ("close", "control", "time_s", "patience_s"):
            continue
        assert f"`{function}`" in told, function
    plugin = (PACKAGE / "ptybot" / "pytest_plugin.py").read_text()
    for option in set(re.findall(r"\"(--ptybot[a-z-]*)\"", plugin)):
        assert f"`{option}" in told, option
