#!/usr/bin/env python3
"""Tests the runner of the zoo with two versions of two toy drivers, one in C and one in Python.

    test_run.py --ptybot PATH --cc COMPILER
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GONE = "[bug]\ndriver = gone\ntitle = lost\nissue = none\nbefore = a\nafter = b\nfound_by = not reproducible\nreason = its sources are gone\n"


def build(folder, compiler, flags):
    """A driver folder as a user has it: headers, and a library that the user has built."""
    (folder / "build").mkdir(parents=True)
    shutil.copy(HERE / "toy/toy.h", folder)
    subprocess.run([compiler, "-O1", *flags, "-c", str(HERE / "toy/toy.c"), "-o", str(folder / "build/toy.o")], check=True)
    subprocess.run(["ar", "rcs", str(folder / "build/libtoy.a"), str(folder / "build/toy.o")], check=True)


def copy_python(work):
    """Two versions of the toy driver in Python."""
    text = (HERE / "toy/pytoy.py").read_text(encoding="utf-8")
    for name, version in (("python_fixed", text), ("python_broken", text.replace("IS_BROKEN = False", "IS_BROKEN = True"))):
        (work / name).mkdir()
        (work / name / "pytoy.py").write_text(version, encoding="utf-8")


def run(ptybot, *words):
    """The exit code of the runner, the cells of its rows, and its output."""
    done = subprocess.run([sys.executable, str(HERE / "run"), "--ptybot", ptybot, *words], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()[2:]
    return done.returncode, [[cell.strip() for cell in line.strip("|").split("|")] for line in lines], done.stdout + done.stderr


def expect(condition, said):
    if not condition:
        raise SystemExit(f"test of the runner failed:\n{said}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptybot", required=True)
    parser.add_argument("--cc", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ptybot-zoo-test-") as name:
        work = Path(name)
        build(work / "broken", options.cc, ["-DTOY_BUG"])
        build(work / "fixed", options.cc, [])
        (work / "empty").mkdir()
        bug, broken, fixed = str(HERE / "toy"), str(work / "broken"), str(work / "fixed")

        code, rows, said = run(options.ptybot, bug, "--before", broken, "--after", fixed)
        expect(code == 0 and rows[0][3] == "stress alone" and rows[0][6] == "clean" and int(rows[0][4]) >= 4, said)

        code, rows, said = run(options.ptybot, bug, "--before", broken, "--after", fixed, "--kind", "scene")
        expect(code == 1 and rows[0][3] == "a scene", said)  # the other way than bug.ini expects

        code, rows, said = run(options.ptybot, bug, "--before", broken, "--after", broken)
        expect(code == 1 and rows[0][3].startswith("not found") and "unexplained" in rows[0][6], said)

        code, rows, said = run(options.ptybot, bug, "--before", fixed, "--after", fixed)
        expect(code == 1 and rows[0][3].startswith("not found") and rows[0][6] == "clean", said)

        code, rows, said = run(options.ptybot, bug, "--before", str(work / "empty"), "--after", fixed)
        expect(code == 3 and not rows and "libtoy.a" in said or "toy.h" in said, said)

        copy_python(work)
        python = str(HERE / "toy_python")
        code, rows, said = run(options.ptybot, python, "--before", str(work / "python_broken"), "--after", str(work / "python_fixed"))
        expect(code == 0 and rows[0][3] == "a scene" and rows[0][6] == "clean", said)

        (work / "gone").mkdir()
        (work / "gone/bug.ini").write_text(GONE, encoding="utf-8")
        listed = work / "list.txt"
        listed.write_text(f"# three rows\n{bug} broken fixed\n{python} python_broken python_fixed\n{work / 'gone'}\n", encoding="utf-8")
        code, rows, said = run(options.ptybot, "--all", str(listed))
        ways = [row[3].split(":")[0] for row in rows]
        expect(code == 0 and ways == ["stress alone", "a scene", "not reproducible"], said)
    print("the runner: seven cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
