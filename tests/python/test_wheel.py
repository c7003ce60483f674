"""The wheel and the sdist, made by the tools of Debian without a network, installed where nothing else is."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Dict

import pytest

import ptybot

PACKAGE = Path(__file__).parents[2] / "clients" / "python"
MODULES = sorted(f"ptybot/{path.name}" for path in (PACKAGE / "ptybot").iterdir() if path.is_file())


def run(*words: object, cwd: Path, **environment: str) -> str:
    clean: Dict[str, str] = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**clean, **environment}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both."""
    for module in ("setuptools", "wheel", "pip", "venv"):
        pytest.importorskip(module)
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    run(sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", folder, source, cwd=folder)
    run(sys.executable, "-c", f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})", cwd=source)
    return folder


def test_they_have_all_modules_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    (sdist,) = built.glob("*.tar.gz")
    assert wheel.name == f"ptybot-{ptybot.__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    assert sorted(name for name in names if ".dist-info/" not in name) == MODULES
    with tarfile.open(sdist) as archive:
        packed = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
    assert set(MODULES) | {"pyproject.toml", "README.md"} <= set(packed)


def test_installed_alone_it_is_whole_and_pytest_finds_the_fixture(built: Path, tmp_path: Path) -> None:
    (package,) = built.glob("*.whl")
    environment = tmp_path / "env"
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=tmp_path)
    python = environment / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)  # to install pip there, too, takes four seconds
    run(*pip, "install", "--no-index", "--no-deps", package, cwd=tmp_path)
    assert "No broken requirements found" in run(*pip, "check", cwd=tmp_path)
    program = "import ptybot\nwith ptybot.run('kobuki') as sim: print(sim.get('kobuki.x_m'), ptybot.__file__)"
    said = run(python, "-c", program, cwd=tmp_path, PTYBOT=ptybot.find_program())
    assert said.startswith("3 ") and str(environment) in said
    (tmp_path / "test_it.py").write_text("def test_it(ptybot_sim): assert ptybot_sim.get('kobuki.x_m') == 3\n")
    # pytest itself is Debian's; the plugin is found by its entry point, and is one with that of its name.
    for named in ((), ("-p", "ptybot.pytest_plugin")):
        run(python, "-m", "pytest", "-q", "--strict-markers", *named, "test_it.py", cwd=tmp_path,
            PYTHONPATH="/usr/lib/python3/dist-packages", PTYBOT=ptybot.find_program())  # fmt: skip
