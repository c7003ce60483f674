#!/usr/bin/env python3
"""Checks that each scripted check can fail, through the command that CTest runs.

    gates.py --build BUILD [--only NAME] [--verbose]

A row for many checks of one script plants its fault in the first, the middle and the last of them; with PTYBOT_ALL_CASES in the
environment (./dev nightly test) in each.

Takes the command line of each scripted check from `ctest --show-only=json-v1`, replaces the repository in it by a copy
with a planted fault, and expects the check to fail and to name that fault. A scripted check without a row in the table
below is an error. Exit codes: 0 each check failed as expected, 1 one did not, 77 skipped (the sources are not in git)."""
import argparse
import concurrent.futures
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TIMEOUT_S = 300  # chosen: far longer than each check takes on a busy machine

# ---- Ways to plant a fault: functions of a Trial ----


def add(path, text):
    """Appends TEXT to a file, which is created if necessary."""

    def plant(trial):
        old = trial.read(path) if os.path.exists(trial.path(path)) else ""
        trial.write(path, old + text)

    return plant


def replace(path, pattern, text):
    """Replaces the first match of a pattern."""

    def plant(trial):
        old = trial.read(path)
        new = re.sub(pattern, lambda match: text, old, count=1, flags=re.M)
        assert new != old, f"{path} has no {pattern}"
        trial.write(path, new)

    return plant


def argument(name, value):
    """Replaces the value of an argument -DNAME=."""

    def plant(trial):
        assert any(word.startswith(f"-D{name}=") for word in trial.command), f"no argument {name}"
        trial.command = [re.sub(rf"^(-D{name}=).*", rf"\g<1>{value}", word) for word in trial.command]

    return plant


def lists_of_objects(change):
    """Calls CHANGE with a copy of the folder of lists of objects, which the check then reads."""

    def plant(trial):
        old = next(word.split("=", 1)[1] for word in trial.command if word.startswith("-DOBJECTS="))
        new = os.path.join(trial.work, "objects")
        shutil.copytree(old, new)
        argument("OBJECTS", new)(trial)
        change(new)

    return plant


def circle_and_gap(folder):
    """Two objects that call each other; and a list is missing."""
    objects = []
    for name, other in (("a", "b"), ("b", "a")):
        source, built = os.path.join(folder, f"planted_{name}.c"), os.path.join(folder, f"planted_{name}.c.o")
        with open(source, "w") as file:
            file.write(f"int planted_{other}(void);\nint planted_{name}(void) {{ return planted_{other}(); }}\n")
        subprocess.run(["cc", "-c", source, "-o", built], check=True)
        objects.append(built)
    with open(os.path.join(folder, "planted.objects"), "w") as file:
        file.write("\n".join(objects) + "\n")
    os.remove(os.path.join(folder, "ptybot_clock.objects"))


def forget_all_lists(folder):
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))


def empty_a_list(folder):
    open(os.path.join(folder, "ptybot.objects"), "w").close()


def break_installation(path):
    """The installation takes its files from the copy, where one is broken."""

    def plant(trial):
        build = os.path.join(trial.work, "build")
        for folder, _, names in os.walk(trial.build):
            if "cmake_install.cmake" not in names:
                continue
            new = folder.replace(trial.build, build, 1)
            os.makedirs(new, exist_ok=True)
            with open(os.path.join(folder, "cmake_install.cmake")) as file:
                text = file.read()
            text = text.replace(f'include("{trial.build}', f'include("{build}')
            text = text.replace(ROOT + "/", trial.copy + "/").replace(trial.copy + trial.build[len(ROOT):], trial.build)
            text = text.replace(f'include("{trial.build}', f'include("{build}')
            with open(os.path.join(new, "cmake_install.cmake"), "w") as file:
                file.write(text)
        argument("BUILD", build)(trial)
        add(path, "\n[lost](lost.md)\n")(trial)

    return plant


COMMAND = "\n    false   # planted\n\n"


def first_command(trial):
    """The first command of the document of `read_NAME` fails."""
    document = next(word for word in trial.command if word.endswith(".md"))
    text = trial.read(document)
    title = text.index("\n") + 1
    trial.write(document, text[:title] + COMMAND + text[title:])


# ---- The table: check, and one or more faults with what it must say of each ----

# Faults in one row are planted together: a check that goes on after a fault must name them all in one run.
FAULTS = [
    ("layers", (add("physics/planted.c", '/* A. */\n#include "sim/state/state.h"\n'), "physics/planted.c: may not include"),
     (add("app/test/planted.h", '/* A. */\n#include "app/lab/batch/batch.h"\n'), "planted.h: may not include"),
     (add("sim/step/planted.h", "/* A. */\nint f(void) { return time(0); }\n"), "planted.h: may not use time"),
     (lists_of_objects(circle_and_gap), "files call each other in a circle: .*planted_a", "pty/shim/clock.c: has no object")),
    ("layers", (lists_of_objects(forget_all_lists), "has no list of objects")),
    ("layers", (lists_of_objects(empty_a_list), "a list without an object")),
    ("layers", (argument("OBJECTS", ""), "OBJECTS is empty")),
    ("layers_catch", (replace("tests/gates/layers.cmake", r"check_circles\(call .*\)", ""), "calls: ended with 0")),
    ("build_id_catch", (replace("cmake/build_id.cmake", r" \$\{ROOT\}/sim/\*\.\[ch\]", ""), "the identity is the same")),
    ("style", (add("sim/step/planted.c", "/* A. */\nint\tx;\n"), "has a tab"),
     (add("sim/step/stray.c", "/* A. */\nint x;\n"), "stray.c: has no header"),
     (add("docs/tutorials/testing.md", "\nTO" + "DO: more\n"), "the text must speak of the project alone")),
    ("style_catch", (replace("tests/gates/style.cmake", "GREATER 60", "GREATER 600"), "scroll: expected")),
    ("docs", (add("docs/tutorials/testing.md", "\nSee `sim/step/lost.c`.\n"), "sim/step/lost.c")),
    ("links", (add("docs/tutorials/testing.md", "\n[lost](lost.md)\n"), "lost.md, which"),
     (replace("docs/troubleshooting.md", "^### watchdog", "### dog"), "no entry .### watchdog", "no diagnosis names .### dog")),
    ("pages", (add("docs/protocols/kobuki.md", "planted\n"), "kobuki.md is out of date")),
    ("proof", (add("docs/explanation/proof.md", "\n`./dev frobnicate`\n"), "frobnicate")),
    ("held_calls", (replace("docs/reference/virtual-time-calls.md", r"^\| `poll`.*\n", ""), r"missing are \[poll")),
    ("installed", (break_installation("docs/tutorials/testing.md"), "links to lost.md")),
    ("flood", (argument("PROGRAM", "/bin/true"), "nothing failed")),
    ("corpus", (add("tests/fuzz/corpus/fuzz_rx/planted", "planted"), "out of date: planted[.]")),
    ("corpus", (argument("PROGRAM", "/bin/true"), "out of date")),
    ("document_python", (replace("docs/reference/control.md", "^```python\n", "```python\nraise SystemExit(5); "), "the Python in it failed")),
    # More than the counts of comments have fallen below the baseline.
    ("words", (add("docs/tutorials/testing.md", "\nNobody is told.\n"), "told: 1 hits, allowed 0", "person: 1 hits"),
     (add("scenes/README.md", "\n| " + "long " * 33 + "|\n|---|\n"), "long-cell: scenes/README.md:"),
     (add("docs/how-to/docker.md", "\n" + "A short page became long. " * 300 + "\n"), "long-page: docs/how-to/docker.md"),
     (add("sim/step/planted.c", "/* " + "Nobody is told. " * 200 + "*/\n"), "comments/told: "),
     (add("docs/how-to/windows.md", "\n" + "word " * 90_000 + "\n"), "mean sentence length"),
     (add("docs/how-to/python.md", "\n" + ("Word " + "word " * 41 + "end. ") * 200 + "\n"), "long-sentence"),
     *([(add("docs/how-to/web.md", "\nThis is teh page.\n"), "spelling: docs/how-to/web.md:.*teh ==> the")]
       if shutil.which("codespell") else [])),
    ("words", (replace("tests/words/words.py", r"\\btime-outs\?\\b", "never"), "time-out does not find")),
    ("read_.*", (first_command, "planted|false")),
]


class Trial:
    """One run of a check with faults. COPY of SOURCE serves one trial after the other, so what was changed is put back."""

    def __init__(self, test, faults, source, copy, build, work):
        self.name, self.expected, self.build, self.work = test["name"], [text for fault in faults for text in fault[1:]], build, work
        self.source, self.copy, self.changed = source, copy, []
        os.mkdir(work)
        self.command = [self.moved(word) for word in test["command"]]
        try:
            for fault in faults:
                fault[0](self)
        except BaseException:
            self.undo()
            raise

    def moved(self, word):
        """A word of the command, for the copy; scratch folders get a place of their own."""
        word = re.sub(r"^(-D(WORK|FOLDER)=).*", rf"\g<1>{self.work}/scratch", word)
        word = word.replace(self.build, "\0")
        word = re.sub(re.escape(ROOT) + r"(?=/|$)", self.copy, word)
        return word.replace("\0", self.build)

    def path(self, name):
        return os.path.join(self.copy, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        self.changed.append(name)
        if os.path.exists(self.path(name)):
            os.remove(self.path(name))  # a link to the file of the source
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self):
        """What is wrong: a sentence, or nothing."""
        result = subprocess.run(self.command, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
        said = " ".join(result.stdout.split())
        if result.returncode == 77:
            return "", said
        if result.returncode == 0:
            return f"{self.name} passes in spite of the planted fault ({self.expected[0]})", said
        for expected in self.expected:
            if not re.search(expected, said):
                return f"{self.name} failed, but its output does not match '{expected}'", said
        return "", said

    def undo(self):
        for name in set(self.changed):
            os.remove(self.path(name))
            if os.path.exists(os.path.join(self.source, name)):
                os.link(os.path.join(self.source, name), self.path(name))


def is_scripted(test):
    """Whether a test is a script of the repository that reads the repository."""
    words = test.get("command", [])
    return any(re.search(r"/tests/gates/\w+\.cmake$|/tests/(words|docs)/\w+\.py$", word) for word in words)


def copy_sources(folder):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=False)
    names = [name for name in listed.stdout.split("\n") if name and os.path.isfile(os.path.join(ROOT, name))]
    if not names:
        print("skipped: the sources are not in a git repository")
        sys.exit(77)
    for name in names:
        target = os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, name), target)
    # The words check asks git for the files, but not for what is in them.
    subprocess.run(["git", "-C", folder, "init", "-q"], check=True)
    subprocess.run(["git", "-C", folder, "add", "-AN"], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--only", default=".*")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    tests = [test for test in json.loads(shown.stdout)["tests"] if is_scripted(test) and test["name"] != "gates"]
    wrong = [f"{test['name']}: no planted fault; add a row to tests/gates/gates.py" for test in tests
             if not any(re.fullmatch(row[0], test["name"]) for row in FAULTS)]
    if len(tests) < 10:
        wrong.append(f"only {len(tests)} scripted checks were found")
    with tempfile.TemporaryDirectory(prefix="ptybot-gates-") as folder:
        source = os.path.join(folder, "source")
        copy_sources(source)
        trials = []
        for row in FAULTS:
            fitting = [test for test in tests if re.fullmatch(row[0], test["name"]) and re.fullmatch(options.only, test["name"])]
            if len(fitting) > 3 and "PTYBOT_ALL_CASES" not in os.environ:
                fitting = [fitting[0], fitting[len(fitting) // 2], fitting[-1]]
            trials += [(test, row) for test in fitting]

        copies = queue.SimpleQueue()
        for number in range(os.cpu_count()):
            copies.put(os.path.join(folder, f"copy{number}"))
            shutil.copytree(source, os.path.join(folder, f"copy{number}"), symlinks=True, copy_function=os.link)

        def attempt(number):
            test, row = trials[number]
            work, copy = os.path.join(folder, str(number)), copies.get()
            try:
                trial = Trial(test, row[1:], source, copy, build, work)
                try:
                    found, said = trial.run()
                finally:
                    trial.undo()
            finally:
                copies.put(copy)
                shutil.rmtree(work, ignore_errors=True)
            if options.verbose or found:
                print(f"{test['name']}: {trial.expected}: {said[-600:]}")
            return found

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong += [found for found in pool.map(attempt, range(len(trials))) if found]
    for sentence in wrong:
        print(f"gates: {sentence}")
    faults = sum(len(fault) - 1 for _, row in trials for fault in row[1:])
    print(f"gates: {faults} planted faults in {len(tests)} checks, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
