#!/usr/bin/python3
"""Changes the sources in small ways, one at a time, and looks whether the fast tests notice.

    mutate.py BUILD RESULTS run FOLDER COUNT SEED   the first COUNT mutants of a folder in the order of SEED
    mutate.py BUILD RESULTS again FOLDER            those that have survived, once more
    mutate.py BUILD RESULTS targets [FOLDER...]     the fast tests, which are to be built before
    mutate.py BUILD RESULTS report [FOLDER...]      the score of each folder, and who has survived

BUILD is a tree of the preset `mutants`: the product as shared libraries that count what runs. One
run of the unchanged tests tells which test reaches which line. A mutant is one object and one library
in a folder of its own, and only the tests that reach its line run, until one fails. What was found
is a line of RESULTS/FOLDER.ndjson each; a mutant that stands there is not tried again, so that a run
that was stopped goes on. PTYBOT_MUTATE_SECONDS stops it after so long. With PTYBOT_MUTATE_TESTS=near in
the environment only those tests are built and run that link the folder's library and none above it, or
are named after one of its files: a tenth of the time, and a score that can only be too low."""
import hashlib
import json
import os
import re
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["base", "physics", "protocols", "sim", "pty"]
INSTRUMENTS = ("-fprofile-instr-generate", "-fcoverage-mapping")
# Chosen: what a test may take, as it may loop: far more than without the mutant.
SLOWER, SPARE_S = 10, 5
MEMORY_MAX, FILE_MAX = 4 << 30, 256 << 20  # bytes; chosen: no unchanged test comes near


def say(*words):
    print(*words, file=sys.stderr, flush=True)


# ---- Tests ----

def guard():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX, FILE_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def first_failure(child, until):
    """Reads what a test says. Returns 1 at its first failure, before it goes on; else its exit code, or
    None where time was up."""
    said = b""
    while True:
        left_s = until - time.monotonic()
        if left_s <= 0 or not select.select([child.stdout], [], [], left_s)[0]:
            return None
        more = os.read(child.stdout.fileno(), 65536)
        said = said[-32:] + more
        if b"[  FAILED  ]" in said:
            return 1
        if not more:
            try:
                return child.wait(max(until - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                return None


def run_guarded(words, cwd, env, limit_s):
    """Returns the exit code, or None where time was up. All that it has started is ended."""
    child = subprocess.Popen(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, preexec_fn=guard)
    try:
        return first_failure(child, time.monotonic() + limit_s)
    finally:
        child.stdout.close()
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()


class Test:
    def __init__(self, row):
        properties = {one["name"]: one["value"] for one in row.get("properties", [])}
        self.name, self.words = row["name"], row.get("command")
        self.labels = properties.get("LABELS", [])
        self.cwd = properties.get("WORKING_DIRECTORY", ROOT)
        self.extra = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", []))
        self.seconds = 0.0

    def run(self, env, limit_s):
        return run_guarded(self.words, self.cwd, {**os.environ, **self.extra, **env}, limit_s)


def highest_library(build):
    """Of each program the last of FOLDERS whose library it links; "": one above all of them."""
    with open(f"{build}/build.ninja", encoding="utf-8") as file:
        text = file.read()
    highest = {}
    for program, inputs in re.findall(r"^build (\S+): C_EXECUTABLE_LINKER\S* ([^\n]*)", text, re.M):
        linked = set(re.findall(r"libptybot_(\w+)\.so", inputs))
        known = [folder for folder in FOLDERS if folder in linked]
        highest[os.path.basename(program)] = "" if linked - set(FOLDERS) or not known else known[-1]
    return highest


def fast_tests(build, folder=None):
    """The fast tests that are programs of the tree, or will be; of FOLDER, as PTYBOT_MUTATE_TESTS asks."""
    shown = json.loads(subprocess.check_output(["ctest", "--test-dir", build, "--show-only=json-v1"]))
    tests = [Test(row) for row in shown["tests"]]
    tests = [test for test in tests
             if "fast" in test.labels and (not test.words or test.words[0].startswith(build + "/"))]
    if folder and os.environ.get("PTYBOT_MUTATE_TESTS") == "near":
        highest = highest_library(build)
        files = tuple(f"test_{name[:-2]}" for name in os.listdir(f"{ROOT}/{folder}") if name.endswith(".c"))
        tests = [test for test in tests if highest.get(test.name) == folder or test.name.startswith(files)]
    return tests


# ---- Who reaches which line ----

def read_lcov(text):
    lines, file = {}, None
    for row in text.splitlines():
        if row.startswith("SF:"):
            file = os.path.relpath(row[3:], ROOT)
        elif row.startswith("DA:"):
            line, count = row[3:].split(",")[:2]
            if int(count) > 0:
                lines.setdefault(file, []).append(int(line))
    return lines


class Reach:
    """Which tests run which lines, how long each takes, and which fail as they are."""

    def __init__(self, build, library, tests):
        self.build, self.library = build, library
        self.path = f"{build}/reach.{os.path.basename(library)}.json"
        key = hashlib.sha1()
        for path in [library] + [test.words[0] for test in tests]:
            with open(path, "rb") as file:
                key.update(file.read())
        self.key = key.hexdigest()
        try:
            with open(self.path, encoding="utf-8") as file:
                told = json.load(file)
        except (OSError, ValueError):
            told = {}
        if told.get("key") != self.key:
            told = self.measure(tests)
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(told, file)
        self.failing = told["failing"]
        self.tests = {test.name: test for test in tests if test.name not in self.failing}
        self.lines = told["lines"]  # test: file: lines
        for name, seconds in told["seconds"].items():
            if name in self.tests:
                self.tests[name].seconds = seconds
        self.coded = {}  # file: lines that any test may count
        self.by_line = {}
        for name, files in self.lines.items():
            for file, lines in files.items():
                for line in lines:
                    self.by_line.setdefault((file, line), []).append(name)

    def measure(self, tests):
        say(f"which of {len(tests)} tests reaches what")
        told = {"key": self.key, "failing": [], "seconds": {}, "lines": {}}
        with tempfile.TemporaryDirectory() as folder:
            for test in tests:
                raw, data = f"{folder}/%p.profraw", f"{folder}/all.profdata"
                began = time.monotonic()
                if test.run({"LLVM_PROFILE_FILE": raw}, 300) != 0:
                    told["failing"].append(test.name)
                    continue
                told["seconds"][test.name] = time.monotonic() - began
                parts = [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".profraw")]
                if parts and subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", data, *parts],
                                            stderr=subprocess.DEVNULL, check=False).returncode == 0:
                    told["lines"][test.name] = self.export(data)
                for part in parts:
                    os.unlink(part)
        return told

    def export(self, data):
        words = ["llvm-cov", "export", "-format=lcov", f"-instr-profile={data}", self.library]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return read_lcov(done.stdout)

    def of(self, site):
        """The tests that may notice: those that run its line; for a table, all that run its file."""
        if site.function:
            names = self.by_line.get((site.file, site.line), [])
        else:
            names = [name for name, files in self.lines.items() if site.file in files]
            names = names or [name for name, files in self.lines.items() if files]
        return [self.tests[name] for name in names if name in self.tests]


# ---- A mutant ----

class Tree:
    def __init__(self, build):
        self.build = build
        self.libraries = {name: f"{build}/{name}/libptybot_{name}.so" for name in FOLDERS}
        self.commands, self.links, self.plain = {}, {}, {}
        with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
            for row in json.load(file):
                name = os.path.relpath(row["file"], ROOT)
                words = shlex.split(row["command"])
                target = words[words.index("-o") + 1]
                if f"ptybot_{name.split('/')[0]}.dir/" in target:
                    self.commands[name] = (words, target)

    def files(self, folder):
        return sorted(name for name in self.commands if name.startswith(folder + "/"))

    def arguments(self, name):
        """What clang reads the file with."""
        words = [word for word in self.commands[name][0][1:] if word not in INSTRUMENTS]
        at = words.index("-o")
        return [word for word in words[:at] + words[at + 2:] if word != "-c" and not word.endswith(name)]

    def compile(self, name, text, folder):
        """The object of TEXT in the place of the file, or None."""
        source, target = f"{folder}/{os.path.basename(name)}", f"{folder}/mutant.o"
        with open(source, "wb") as file:
            file.write(text)
        words = ["clang", *self.arguments(name), "-w", "-g0", "-c", source, "-o", target]
        done = subprocess.run(words, cwd=self.build, stderr=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return None
        with open(target, "rb") as file:
            return file.read()

    def link(self, name, folder):
        top = name.split("/")[0]
        if top not in self.links:
            shown = subprocess.check_output(["ninja", "-C", self.build, "-t", "commands",
                                             os.path.relpath(self.libraries[top], self.build)], text=True)
            self.links[top] = shown.strip().splitlines()[-1]
        library = os.path.relpath(self.libraries[top], self.build)
        command = self.links[top].replace(f"-o {library}", f"-o {folder}/{os.path.basename(library)}")
        command = command.replace(f" {self.commands[name][1]} ", f" {folder}/mutant.o ")
        if f"{folder}/mutant.o" not in command:
            raise RuntimeError(f"{name} is not in: {command}")
        # lld takes a fraction of the time where it is there.
        fast = " -fuse-ld=lld" if shutil.which("ld.lld") else ""
        subprocess.run(command.replace(" -shared ", f" -shared{fast} ", 1), shell=True, cwd=self.build, check=True)


def judge(tree, reach, site, folder, killers):
    """What becomes of the mutant: verdict, the test, what happened, how many tests ran."""
    with open(f"{ROOT}/{site.file}", "rb") as file:
        text = file.read()
    if site.file not in tree.plain:
        tree.plain[site.file] = tree.compile(site.file, text, folder)
    built = tree.compile(site.file, text[:site.start] + site.new.encode() + text[site.end:], folder)
    if built is None:
        return "invalid", "", "", 0
    if built == tree.plain[site.file]:
        return "same code", "", "", 0
    tree.link(site.file, folder)
    env = {"LD_LIBRARY_PATH": folder, "LLVM_PROFILE_FILE": "/dev/null", "TMPDIR": folder}
    tests = reach.of(site)
    tests.sort(key=lambda test: (-killers.get((site.file, test.name), 0), test.seconds))
    for ran, test in enumerate(tests):
        code = test.run(env, SLOWER * test.seconds + SPARE_S)
        if code != 0:
            killers[site.file, test.name] = killers.get((site.file, test.name), 0) + 1
            how = "too long" if code is None else f"signal {-code}" if code < 0 else f"exit {code}"
            return "killed", test.name, how, ran + 1
    return "survived", "", "" if tests else "no test reaches it", len(tests)


# ---- What was found ----

def read_results(path):
    """The last word on each mutant."""
    found = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    row = json.loads(line)
                except ValueError:
                    continue  # a run was stopped while it wrote
                found[row["id"]] = row
    return found


def read_judged():
    """What people have said of survivors: tests/mutants/judged.txt, `ID word: reason`."""
    judged = {}
    with open(f"{ROOT}/tests/mutants/judged.txt", encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, word, reason = line.split(None, 2)
                judged[name] = (word.rstrip(":"), reason.strip())
    return judged


def wilson(good, all_of, z=1.96):
    """The interval of 95 % of a share (Wilson's score, E. B. Wilson 1927)."""
    if all_of == 0:
        return 0.0, 1.0
    share = good / all_of
    middle = share + z * z / (2 * all_of)
    reach = z * (share * (1 - share) / all_of + z * z / (4 * all_of * all_of)) ** 0.5
    return (middle - reach) / (1 + z * z / all_of), (middle + reach) / (1 + z * z / all_of)


def run(build, results, folder, sites, again):
    from_s, limit_s = time.monotonic(), float(os.environ.get("PTYBOT_MUTATE_SECONDS", "inf"))
    tree = Tree(build)
    reach = Reach(build, tree.libraries[folder], fast_tests(build, folder))
    for name in reach.failing:
        say(f"left out, since it fails on shared libraries without a mutant: {name}")
    path, killers = f"{results}/{folder}.ndjson", {}
    known = {} if again else read_results(path)
    os.makedirs(results, exist_ok=True)
    work = tempfile.mkdtemp(prefix="mutant.", dir=build)
    try:
        with open(path, "a", encoding="utf-8") as out:
            for number, site in enumerate(sites):
                if site.id in known:
                    continue
                if time.monotonic() - from_s > limit_s:
                    say(f"stopped before mutant {number + 1} of {len(sites)}; call it again to go on")
                    break
                began = time.monotonic()
                verdict, by, how, ran = judge(tree, reach, site, work, killers)
                row = {**asdict(site), "verdict": verdict, "by": by, "how": how, "ran": ran,
                       "s": round(time.monotonic() - began, 2)}
                out.write(json.dumps(row) + "\n")
                out.flush()
                say(f"{number + 1:4d} {verdict:9s} {site.file}:{site.line} {site.old!r} -> {site.new!r} {by} {how}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def all_sites(tree, folder):
    from sites import find
    sites = []
    for name in tree.files(folder):
        sites += find(f"{ROOT}/{name}", name, tree.arguments(name))
    return sites


def report(results, folders):
    judged = read_judged()
    print("folder\tmutants\tkilled\tsurvived\tequivalent\tsame code\tinvalid\tscore\t95 % of it")
    for folder in folders:
        rows = list(read_results(f"{results}/{folder}.ndjson").values())
        count = {word: sum(row["verdict"] == word for row in rows)
                 for word in ("killed", "survived", "same code", "invalid")}
        equal = sum(row["verdict"] == "survived" and judged.get(row["id"], ("",))[0] == "equivalent" for row in rows)
        tried = count["killed"] + count["survived"] - equal
        low, high = wilson(count["killed"], tried)
        print(f"{folder}\t{len(rows)}\t{count['killed']}\t{count['survived']}\t{equal}\t{count['same code']}\t"
              f"{count['invalid']}\t{count['killed'] / tried if tried else 0:.3f}\t{low:.3f} to {high:.3f}")
    for folder in folders:
        for row in sorted(read_results(f"{results}/{folder}.ndjson").values(),
                          key=lambda row: (row["file"], row["line"])):
            if row["verdict"] != "survived":
                continue
            word, reason = judged.get(row["id"], ("not judged", ""))
            print(f"\n{row['id']} {row['file']}:{row['line']} {row['function']}: {row['kind']}, "
                  f"{row['how'] or str(row['ran']) + ' tests'}; {word} {reason}\n"
                  f"    {row['code']}\n    {row['old']}  ->  {row['new']}")


def main(words):
    if len(words) < 3:
        sys.exit(__doc__)
    build, results, verb = os.path.abspath(words[0]), os.path.abspath(words[1]), words[2]
    if verb == "report":
        report(results, words[3:] or FOLDERS)
        return
    if verb == "targets":
        wanted = {test.name for folder in words[3:] or FOLDERS for test in fast_tests(build, folder)}
        print("\n".join(sorted(wanted)))
        return
    folder = words[3]
    if folder not in FOLDERS:
        sys.exit(f"mutate: there is no folder '{folder}'; there are: {' '.join(FOLDERS)}")
    sites = all_sites(Tree(build), folder)
    if verb == "again":
        alive = {name for name, row in read_results(f"{results}/{folder}.ndjson").items()
                 if row["verdict"] == "survived"}
        run(build, results, folder, [site for site in sites if site.id in alive], True)
        return
    count, seed = int(words[4]), words[5]
    sites.sort(key=lambda site: hashlib.sha1(f"{seed} {site.id}".encode()).digest())
    say(f"{folder}: {len(sites)} mutants can be made; the first {min(count, len(sites))} in the order of seed {seed}")
    run(build, results, folder, sites[:count], False)


if __name__ == "__main__":
    main(sys.argv[1:])
