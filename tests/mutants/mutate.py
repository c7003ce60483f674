#!/usr/bin/python3
"""Changes the sources in small ways, one at a time, and looks whether the fast tests notice.

    mutate.py BUILD RESULTS run FOLDER COUNT SEED   the first COUNT mutants of a folder in the order of SEED
    mutate.py BUILD RESULTS again FOLDER            the survivors again, by their ids: a stopped run has
                                                    tried a random part of them
    mutate.py BUILD RESULTS targets [FOLDER...]     the tests, which are to be built before
    mutate.py BUILD RESULTS report [FOLDER...]      the score of each folder, and who has survived

FOLDER is one with a library, or a folder in it: app/links. Or `shim` or `clock`: the libraries of pty/shim that are
preloaded into drivers. A library with their mutants takes the place of the real one in BUILD during a run.

BUILD is a tree of the preset `mutants`: the product as shared libraries that count executed lines; or of
`mutants-asan`, where the sanitizers notice what a test does not: reads beyond an array, lost memory. That costs
several times as much, so it is for `again`. One
run of the unchanged tests finds the tests that reach each line. All mutants of a run are in one library
(schema.py), and a variable of the environment chooses one; only mutants of tables, and mutants that do
not compile in that way, are an object and a library each. Only the tests that reach a mutant's line run, until
one fails, twice. Each result is a line of RESULTS/FOLDER.ndjson; a mutant in that file is not tried
again, so that a stopped run can continue. In the environment: PTYBOT_MUTATE_SECONDS stops it
after so long; PTYBOT_MUTATE_JOBS mutants are tried side by side (as many as there are processors). With
PTYBOT_MUTATE_TESTS=near only those tests are built and run that link the folder's library and none above
it, or are named after one of its files or folders, and take three seconds at most: then a score can only
be too low. With e2e the cases of end-to-end tests judge too, one process per case, since only they run most
of `app`: after the fast tests, and for 20 s per mutant. The list may contain names of tests, which
limit the end-to-end tests: near,test_e2e_held."""
import hashlib
import json
import math
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
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict

import schema
import sites as places

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["base", "physics", "protocols", "sim", "pty", "app"]  # each has a library of its name
# The libraries of pty/shim, and the names of their tests.
SHIMS = {"shim": ("test_serial_shim", "test_uart"), "clock": ("test_clock_shim",)}
INSTRUMENTS = ("-fprofile-instr-generate", "-fcoverage-mapping")
# Chosen: time limits of a test, since a mutant may loop or wait: far more than without the mutant.
SLOWER_CPU, SLOWER, SPARE_S = 4, 10, 5
NEAR_CPU_S = 3.0  # chosen: what a near test may take; the runs of all robots take two
# Chosen: time limits of a case of an end-to-end test, and of all cases for a mutant. They wait more
# than they compute.
CASE_S, CASES_S, CASE_SLOWER, CASE_CPU_S = 5.0, 20.0, 4, 60
FALSE_ALARMS_MAX = 2  # chosen: failures of a case without a mutant
MEMORY_MAX, FILE_MAX = 4 << 30, 256 << 20  # bytes; chosen: no unchanged test comes near


def top_of(folder):
    """The folder whose library has the files of FOLDER."""
    return folder.split("/")[0]


def results_of(results, folder):
    return f"{results}/{folder.replace('/', '.')}.ndjson"


def say(*words):
    print(*words, file=sys.stderr, flush=True)


# ---- Tests ----

def queued_s(pid):
    """How long a process has waited for a processor: that is not its own fault."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def first_failure(child, limit_s):
    """Reads what a test says. Returns 1 at its first failure, before it continues; otherwise its exit code, or
    None if time was up."""
    said, began = b"", time.monotonic()
    while True:
        left_s = limit_s + queued_s(child.pid) - (time.monotonic() - began)
        if left_s <= 0:
            return None
        if not select.select([child.stdout], [], [], left_s)[0]:
            continue
        more = os.read(child.stdout.fileno(), 65536)
        said = said[-32:] + more
        if b"[  FAILED  ]" in said:
            return 1
        if not more:
            try:
                return child.wait(left_s)
            except subprocess.TimeoutExpired:
                return None


def run_guarded(words, cwd, env, limit_s, cpu_s):
    """Returns the exit code, or None after a timeout. Ends all processes that it started."""
    limits = [f"--fsize={FILE_MAX}", "--core=0", f"--cpu={cpu_s}:{cpu_s + 1}"]
    if "ASAN_OPTIONS" not in env:  # the sanitizer has its own limit, and maps terabytes
        limits.append(f"--as={MEMORY_MAX}")
    child = subprocess.Popen(["prlimit", *limits, *words], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        code = first_failure(child, limit_s)
        return None if code == -signal.SIGXCPU else code
    finally:
        child.stdout.close()
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()


class Test:
    is_case = False

    def __init__(self, row):
        properties = {one["name"]: one["value"] for one in row.get("properties", [])}
        self.name, self.words = row["name"], row.get("command")
        self.labels = properties.get("LABELS", [])
        self.cwd = properties.get("WORKING_DIRECTORY", ROOT)
        self.extra = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", []))
        self.seconds, self.cpu_s = 30.0, 75.0  # chosen: until it has been measured

    def run(self, env):
        return run_guarded(self.words, self.cwd, {**os.environ, **self.extra, **env},
                           SLOWER * self.seconds + SPARE_S, max(1, math.ceil(SLOWER_CPU * self.cpu_s)))

    def notices(self, env, _):
        """Whether it fails, and twice: a busy machine fails no fast test twice. And the exit code of run."""
        code = self.run(env)
        return code != 0 and (code is None or self.run(env) != 0), code

    def cases(self):
        """Those of an end-to-end test."""
        env = {**os.environ, **self.extra, "PTYBOT_CASES": "1", "LLVM_PROFILE_FILE": "/dev/null"}
        told = subprocess.run(self.words, cwd=self.cwd, env=env, capture_output=True, text=True, check=False)
        return [Case(self, name) for name in told.stdout.split()]


class Case(Test):
    """A case of an end-to-end test. It has its own processes, which end with it, and its own /tmp and /dev/shm, since
    folders are named by numbers of processes."""
    is_case = True
    INIT = """mount -t tmpfs -o mode=1777 tmpfs /dev/shm
        case $PWD in /tmp/*) ;; *) mount -t tmpfs -o mode=1777 tmpfs /tmp ;; esac
        "$@"
        exit"""

    def __init__(self, test, name):
        self.name, self.words, self.labels, self.cwd = f"{test.name}:{name}", test.words, test.labels, test.cwd
        self.extra = {**test.extra, "PTYBOT_CASE": name}
        self.seconds, self.cpu_s = 3 * CASE_S, CASE_CPU_S
        self.false_alarms = 0

    def run(self, env):
        words = self.words
        if os.getuid() == 0:
            words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                     "sh", "-c", self.INIT, "sh", *words]
        return run_guarded(words, self.cwd, {**os.environ, **self.extra, **env},
                           CASE_SLOWER * self.seconds + SPARE_S, self.cpu_s)

    def notices(self, env, asleep):
        """In between it must pass without the mutant, since a busy machine can fail it twice."""
        code = self.run(env)
        if code == 0:
            return False, 0
        if self.run(asleep) == 0:
            return self.run(env) != 0 and self.run(asleep) == 0, code
        self.false_alarms += 1
        if self.false_alarms == FALSE_ALARMS_MAX:
            say(f"left out from now on, since it also fails without a mutant: {self.name}")
        return False, 0


def highest_library(build):
    """For each program, the last of FOLDERS whose library it links; "": a library above all of them."""
    with open(f"{build}/build.ninja", encoding="utf-8") as file:
        text = file.read()
    highest = {}
    for program, inputs in re.findall(r"^build (\S+): C_EXECUTABLE_LINKER\S* ([^\n]*)", text, re.M):
        linked = set(re.findall(r"libptybot_(\w+)\.so", inputs))
        known = [folder for folder in FOLDERS if folder in linked]
        highest[os.path.basename(program)] = "" if linked - set(FOLDERS) or not known else known[-1]
    return highest


def wanted_tests():
    """No words: all fast ones."""
    return [word for word in os.environ.get("PTYBOT_MUTATE_TESTS", "").split(",") if word]


def is_near():
    return "near" in wanted_tests()


def judging_tests(build, folder=None):
    """The tests that are programs of the tree, or will be; of FOLDER, as PTYBOT_MUTATE_TESTS asks."""
    shown = json.loads(subprocess.check_output(["ctest", "--test-dir", build, "--show-only=json-v1"]))
    tests = [Test(row) for row in shown["tests"]]
    tests = [test for test in tests if not test.words or test.words[0].startswith(build + "/")]
    return fast_tests(build, folder, tests) + whole_tests(tests)


def whole_tests(tests):
    tests = [test for test in tests if "e2e" in test.labels and test.name.startswith("test_")]
    named = [test for test in tests if test.name in wanted_tests()]
    return named or (tests if "e2e" in wanted_tests() else [])


def fast_tests(build, folder, tests):
    tests = [test for test in tests if {"fast", "thorough"} & set(test.labels)]
    if set(wanted_tests()) - {"near", "e2e"} and not is_near():
        return [test for test in tests if test.name in wanted_tests()]
    if folder in SHIMS and is_near():
        tests = [test for test in tests if test.name.startswith(SHIMS[folder])]
    elif folder and is_near():
        highest = highest_library(build)
        nouns = {name for _, folders, files in os.walk(f"{ROOT}/{folder}")
                 for name in folders + [file[:-2] for file in files if file.endswith(".c")]}
        named = tuple(f"test_{noun}" for noun in nouns)
        tests = [test for test in tests if highest.get(test.name) == top_of(folder) or test.name.startswith(named)]
    return tests


# ---- Which tests reach which line ----

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
    """Which tests run which lines, how long each takes, and which fail unchanged."""

    def __init__(self, build, library, tests, jobs):
        self.build, self.library, self.path = build, library, f"{build}/reach.{os.path.basename(library)}.json"
        self.tests, self.failing = {}, []
        self.by_line, self.by_file = {}, {}
        self.writing = threading.Lock()
        try:
            with open(self.path, encoding="utf-8") as file:
                self.told = json.load(file)
        except (OSError, ValueError):
            self.told = {}
        fast = [test for test in tests if "e2e" not in test.labels]
        cases = [case for test in tests if "e2e" in test.labels for case in test.cases()]
        for test in fast:
            self.know(test)
        with stopping(ThreadPoolExecutor(2 * jobs)) as pool:  # cases wait more than they compute
            list(pool.map(self.know, cases))
        for test in fast + cases:
            self.take(test, self.told[test.name])

    def know(self, test):
        key = hashlib.sha1()
        for program in (self.library, test.words[0]):
            with open(program, "rb") as file:
                key.update(file.read())
        known = self.told.get(test.name, {"failing": True})
        if known["failing"] or known["key"] != key.hexdigest():
            say(f"what {test.name} reaches")
            measured = {"key": key.hexdigest(), **self.measure(test)}
            with self.writing:
                self.told[test.name] = measured
                with open(self.path, "w", encoding="utf-8") as file:
                    json.dump(self.told, file)

    def take(self, test, told):
        if told["failing"]:
            self.failing.append(test.name)
            return
        if told["seconds"] > CASE_S if test.is_case else is_near() and told["cpu_s"] > NEAR_CPU_S:
            return
        test.seconds = told["seconds"]
        if not test.is_case:
            test.cpu_s = told["cpu_s"]
        self.tests[test.name] = test
        for file, lines in told["lines"].items():
            self.by_file.setdefault(file, []).append(test.name)
            for line in lines:
                self.by_line.setdefault((file, line), []).append(test.name)

    def measure(self, test):
        def cpu_s():
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

        # %c: each count is written to the file immediately, since a process may be killed or call
        # exec. A case has another /tmp.
        with tempfile.TemporaryDirectory(prefix="reach.", dir=self.build) as folder:
            began, cpu_began = time.monotonic(), cpu_s()
            if test.run({"LLVM_PROFILE_FILE": f"{folder}/%c%p.%m.profraw"}) != 0:
                return {"failing": True}
            told = {"failing": False, "seconds": time.monotonic() - began, "cpu_s": cpu_s() - cpu_began, "lines": {}}
            parts, data = [f"{folder}/{name}" for name in os.listdir(folder)], f"{folder}/all.profdata"
            if parts and subprocess.run(["llvm-profdata", "merge", "-sparse", "-failure-mode=all", "-o", data, *parts],
                                        stderr=subprocess.DEVNULL, check=False).returncode == 0:
                told["lines"] = self.export(data)
            return told

    def export(self, data):
        words = ["llvm-cov", "export", "-format=lcov", f"-instr-profile={data}", self.library]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return read_lcov(done.stdout)

    def of(self, site):
        """The tests that may notice: those that run its line or an adjacent line, since llvm-cov loses
        the code after an assert; for a table, all tests that run its file."""
        if site.function:
            names = {name for line in (site.line - 1, site.line, site.line + 1)
                     for name in self.by_line.get((site.file, line), [])}
        else:
            names = self.by_file.get(site.file) or {name for names in self.by_file.values() for name in names}
        return [self.tests[name] for name in names if name in self.tests]


# ---- Mutants ----

class Tree:
    """How the library with the files of FOLDER is built."""

    def __init__(self, build, folder):
        self.build, self.top = build, top_of(folder)
        self.library = f"{build}/{'pty' if folder in SHIMS else self.top}/libptybot_{self.top}.so"
        self.commands, self.linked = {}, ""
        with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
            for row in json.load(file):
                name = os.path.relpath(row["file"], ROOT)
                words = shlex.split(row["command"])
                target = words[words.index("-o") + 1]
                if f"ptybot_{self.top}.dir/" in target:
                    self.commands[name] = (words, target)

    def files(self, folder):
        return sorted(name for name in self.commands if folder in SHIMS or name.startswith(folder + "/"))

    def arguments(self, name):
        """What clang reads the file with."""
        words = [word for word in self.commands[name][0][1:] if word not in INSTRUMENTS]
        at = words.index("-o")
        return [word for word in words[:at] + words[at + 2:] if word != "-c" and not word.endswith(name)]

    def compile(self, name, text, folder):
        """The path of an object of TEXT in the place of the file, or None."""
        source = f"{folder}/{name.replace('/', '.')}"
        with open(source, "wb") as file:
            file.write(text)
        words = ["clang", *self.arguments(name), "-w", "-g0", "-c", source, "-o", f"{source}.o"]
        done = subprocess.run(words, cwd=self.build, stderr=subprocess.DEVNULL, check=False)
        return f"{source}.o" if done.returncode == 0 else None

    def link(self, objects, folder, more=""):
        """The library, in FOLDER, with OBJECTS in the place of some, by the file's name, and MORE."""
        library = os.path.relpath(self.library, self.build)
        if not self.linked:
            shown = subprocess.check_output(["ninja", "-C", self.build, "-t", "commands", library], text=True)
            self.linked = shown.strip().splitlines()[-1]
        command = self.linked.replace(f"-o {library}", f"-o {folder}/{os.path.basename(library)} {more}")
        for name, path in objects.items():
            command = command.replace(f" {self.commands[name][1]} ", f" {path} ")
            if f" {path} " not in command:
                raise RuntimeError(f"{name} is not in: {command}")
        # If lld is installed, it takes a fraction of the time.
        fast = " -fuse-ld=lld" if shutil.which("ld.lld") else ""
        subprocess.run(command.replace(" -shared ", f" -shared{fast} ", 1), shell=True, cwd=self.build, check=True)


def read_source(name):
    with open(f"{ROOT}/{name}", "rb") as file:
        return file.read()


class Together:
    """The library with all of SITES that can be in it, in FOLDER; the number of each that is."""

    def __init__(self, tree, sites, folder, pool):
        self.tree, self.folder, self.numbers, self.objects = tree, folder, {}, {}
        every = {site.id: number + 1 for number, site in enumerate(sites)}
        os.makedirs(folder)

        def build(name):
            there = [site for site in sites if site.file == name]
            text, left = schema.combine(f"{ROOT}/{name}", read_source(name), tree.arguments(name), there, every)
            self.objects[name] = tree.compile(name, text, folder)
            if self.objects[name] is None:
                say(f"{name}: its mutants do not compile together")
                del self.objects[name]
            else:
                self.numbers.update({site.id: every[site.id] for site in there if site not in left})

        list(pool.map(build, sorted({site.file for site in sites})))
        with open(f"{folder}/number.c", "wb") as file:
            file.write(schema.NUMBER)
        subprocess.run(["clang", "-O2", "-fPIC", "-c", "number.c"], cwd=folder, check=True)
        tree.link(self.objects, folder, f"{folder}/number.o")

    @contextmanager
    def in_place(self):
        """A preloaded library must be the file that the tests name."""
        real, kept = self.tree.library, f"{self.tree.library}.kept"
        if self.tree.top not in SHIMS:
            yield
            return
        os.replace(real, kept)
        shutil.copy(f"{self.folder}/{os.path.basename(real)}", real)
        try:
            yield
        finally:
            os.replace(kept, real)

    def environment(self, number=0):
        return {"LD_LIBRARY_PATH": self.folder, "PTYBOT_MUTANT": str(number)}


class Judge:
    """Tries mutants, each in the folder of a separate worker."""

    def __init__(self, tree, reach, together):
        self.tree, self.reach, self.together = tree, reach, together
        self.killers, self.plain = Counter(), {}

    def alone(self, site, folder):
        """An object of the mutant; or why there is none: "invalid", "same code"."""
        text, key = read_source(site.file), (site.file, folder)  # an object may hold its own path
        if key not in self.plain:
            with open(self.tree.compile(site.file, text, folder), "rb") as file:
                self.plain[key] = file.read()
        built = self.tree.compile(site.file, text[:site.start] + site.new.encode() + text[site.end:], folder)
        if built is None:
            return None, "invalid"
        with open(built, "rb") as file:
            return built, "same code" if file.read() == self.plain[key] else ""

    def chosen(self, site):
        """The tests that may notice it, in the order in which they are tried: first fast ones, then cases until their
        time is up. Both are sorted by the number of mutants that they noticed, then by their duration."""
        tests, left_s = self.reach.of(site), CASES_S
        tests = [test for test in tests if not test.is_case or test.false_alarms < FALSE_ALARMS_MAX]
        tests.sort(key=lambda test: (test.is_case, -self.killers[site.file, test.name], test.seconds))
        for at, test in enumerate(tests):
            left_s -= test.seconds if test.is_case else 0
            if left_s < 0:
                return tests[:at]
        return tests

    def of(self, site, folder):
        """Result of the mutant: verdict, the test, what happened, how many tests ran."""
        number = self.together.numbers.get(site.id)
        if not number:
            built, verdict = self.alone(site, folder)
            if verdict:
                return verdict, "", "", 0
            self.tree.link({site.file: built}, folder)
        env = {**(self.together.environment(number) if number else {"LD_LIBRARY_PATH": folder}),
               "LLVM_PROFILE_FILE": "/dev/null", "TMPDIR": folder}
        asleep = {**env, "PTYBOT_MUTANT": "0"} if number else {**env, "LD_LIBRARY_PATH": ""}
        tests = self.chosen(site)
        for ran, test in enumerate(tests):
            is_noticed, code = test.notices(env, asleep)
            if is_noticed:
                self.killers[site.file, test.name] += 1
                how = "too long" if code is None else f"signal {-code}" if code < 0 else f"exit {code}"
                return "killed", test.name, how, ran + 1
        if number and self.alone(site, folder)[1] == "same code":
            return "same code", "", "", len(tests)
        return "survived", "", "" if tests else "no test reaches it", len(tests)


# ---- Results ----

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


def forget_vanished(path, sites):
    """Drops the results of mutants that the sources no longer have."""
    there = {site.id for site in sites}
    found = read_results(path)
    if found.keys() - there:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for name, row in found.items() if name in there)


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


@contextmanager
def stopping(pool):
    """The pool; jobs that have not begun at a failure, or at Control-C, are cancelled."""
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def run(build, results, folder, sites, again):
    until_s = time.monotonic() + float(os.environ.get("PTYBOT_MUTATE_SECONDS", "inf"))
    jobs = int(os.environ.get("PTYBOT_MUTATE_JOBS", os.cpu_count()))
    path = results_of(results, folder)
    known = {} if again else read_results(path)
    sites = [site for site in sites if site.id not in known]
    tree = Tree(build, folder)
    if os.path.exists(f"{tree.library}.kept"):  # a run was killed
        os.replace(f"{tree.library}.kept", tree.library)
    reach = Reach(build, tree.library, judging_tests(build, folder), jobs)
    for name in reach.failing:
        say(f"left out, since it fails on shared libraries without a mutant: {name}")
    os.makedirs(results, exist_ok=True)
    work = tempfile.mkdtemp(prefix="mutant.", dir=build)
    try:
        with stopping(ThreadPoolExecutor(jobs)) as pool, open(path, "a", encoding="utf-8") as out, ExitStack() as stack:
            together = Together(tree, sites, f"{work}/all", pool)
            say(f"{len(together.numbers)} of {len(sites)} mutants are in one library")
            if folder in SHIMS:  # the others cannot be tried
                sites = [site for site in sites if site.id in together.numbers]
            stack.enter_context(together.in_place())
            check(reach, together, pool)
            judge, writing = Judge(tree, reach, together), threading.Lock()

            def work_on(site):
                if time.monotonic() > until_s:
                    return False
                own = f"{work}/{threading.get_ident()}"
                os.makedirs(own, exist_ok=True)
                began = time.monotonic()
                verdict, by, how, ran = judge.of(site, own)
                row = {**asdict(site), "verdict": verdict, "by": by, "how": how, "ran": ran,
                       "together": site.id in together.numbers, "s": round(time.monotonic() - began, 2)}
                del row["whole"]
                with writing:
                    out.write(json.dumps(row) + "\n")
                    out.flush()
                    say(f"{verdict:9s} {site.file}:{site.line} {site.old!r} -> {site.new!r} {by} {how}")
                return True

            if not all(list(pool.map(work_on, sites))):
                say("stopped before the last one; call it again to continue")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def check(reach, together, pool):
    """With no mutant alive all tests must pass; those that fail cannot judge. A case is checked where it fails."""
    names = sorted(name for name, test in reach.tests.items() if not test.is_case)
    codes = pool.map(lambda name: reach.tests[name].run(together.environment()), names)
    for name, code in zip(names, list(codes)):
        if code != 0:
            say(f"left out, since it fails among sleeping mutants: {name}")
            del reach.tests[name]


def all_sites(tree, folder):
    found = []
    for name in tree.files(folder):
        found += places.find(f"{ROOT}/{name}", name, tree.arguments(name))
    return found


def report(results, folders):
    judged = read_judged()
    print("folder\tmutants\tkilled\tsurvived\tequivalent\tsame code\tinvalid\tscore\t95 % of it")
    for folder in folders:
        rows = list(read_results(results_of(results, folder)).values())
        count = {word: sum(row["verdict"] == word for row in rows)
                 for word in ("killed", "survived", "same code", "invalid")}
        equal = sum(row["verdict"] == "survived" and judged.get(row["id"], ("",))[0] == "equivalent" for row in rows)
        tried = count["killed"] + count["survived"] - equal
        low, high = wilson(count["killed"], tried)
        print(f"{folder}\t{len(rows)}\t{count['killed']}\t{count['survived']}\t{equal}\t{count['same code']}\t"
              f"{count['invalid']}\t{count['killed'] / tried if tried else 0:.3f}\t{low:.3f} to {high:.3f}")
    for folder in folders:
        for row in sorted(read_results(results_of(results, folder)).values(),
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
    if build.endswith("-asan"):
        os.environ["ASAN_OPTIONS"] = f"hard_rss_limit_mb={MEMORY_MAX >> 20}"
    if verb == "report":
        report(results, words[3:] or [*FOLDERS, *SHIMS])
        return
    if verb == "targets":
        wanted = {test.name for folder in words[3:] or FOLDERS for test in judging_tests(build, folder)}
        print("\n".join(sorted(wanted)))
        return
    folder = words[3]
    if folder not in SHIMS and (top_of(folder) not in FOLDERS or not os.path.isdir(f"{ROOT}/{folder}")):
        sys.exit(f"mutate: there is no folder '{folder}'; there are: {' '.join([*FOLDERS, *SHIMS])}")
    sites = all_sites(Tree(build, folder), folder)
    forget_vanished(results_of(results, folder), sites)
    if verb == "again":
        alive = {name for name, row in read_results(results_of(results, folder)).items()
                 if row["verdict"] == "survived"}
        sites = sorted((site for site in sites if site.id in alive), key=lambda site: site.id)
        run(build, results, folder, sites, True)
        return
    count, seed = int(words[4]), words[5]
    sites.sort(key=lambda site: hashlib.sha1(f"{seed} {site.id}".encode()).digest())
    say(f"{folder}: {len(sites)} mutants can be made; the first {min(count, len(sites))} in the order of seed {seed}")
    run(build, results, folder, sites[:count], False)


if __name__ == "__main__":
    # In the background of a shell they would be ignored; child processes end in any case.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    main(sys.argv[1:])
