#!/usr/bin/env python3
"""Does what a document says: runs the commands that stand indented in it, in reading order, and fails
if a command fails, or if a command is new and cannot be run unchanged.

    read_along.py DOCUMENT --bin FOLDER... [--everything]

Runs in a separate folder, with the programs of the folders first in the PATH, and with a separate /dev/shm and
network, so that it meets no other run; ends with 77 if that is not possible. The table below gives the expected
end of each command that does not simply end with 0. --everything: on a bare machine and in the sources, also
commands that install, build or take long."""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TIMEOUT_S = 150  # a busy machine

# Files that a reader with an installed ptybot has before the first command of a document, according
# to its text or blocks: the tests and drivers that it calls mine.
DRIVER = r"""cat >my_driver_test <<'END'
#!/bin/sh
exec 3<>$PTYBOT_PORT_KOBUKI
stty raw -echo 115200 <&3
for _ in 1 2 3 4 5 6 7 8 9 10; do printf '\252\125\006\001\004\310\000\000\000\313' >&3; sleep 0.1; done
END
chmod +x my_driver_test; cp my_driver_test my-driver
cat >dock.yaml <<'END'
world: {size: {x: 4, y: 4}}
robots: [{name: kobuki, type: kobuki, pose: {x: 1, y: 2}}]
host: ./my_driver_test
expect: [{that: kobuki.x_m > 1.1, within: 20}]
END
mkdir -p tests && sed 's|\./|../|' dock.yaml >tests/one.yaml && cp tests/one.yaml tests/two.yaml"""
SOURCES = f"ln -s {ROOT}/* ."
BEFORE = {
    "README.md": f"export PYTHONPATH={ROOT}/clients/python PYTEST_PLUGINS=ptybot.pytest_plugin\0" + DRIVER,
    "docs/tutorials/testing.md": DRIVER,
    "docs/explanation/virtual-time.md": DRIVER,
    "docs/how-to/ci.md": DRIVER,
    "docs/how-to/stress.md": DRIVER + "\ncp my_driver_test my_driver; cp dock.yaml scene.yaml",
    "docs/scale/README.md": DRIVER,
    "docs/scale/several-machines.md": DRIVER,
    "docs/scale/results.md": DRIVER + "\nptybot test tests/ --seeds 1..2 --results runs.ndjson",
    "docs/how-to/recipes.md": f"cp {ROOT}/tests/recipes/bumper.sh .",
    "docs/reference/faults.md": "ptybot run kobuki",
    "docs/reference/control.md": "ptybot run kobuki --speed 20",
    "docs/how-to/viewer.md": "ptybot run kobuki_dock",
    "docs/how-to/recordings.md": DRIVER + "\nptybot test dock.yaml --out out && cp out/run.pcapng real.pcapng",
    "docs/how-to/real-robots.md": DRIVER + "\nptybot test dock.yaml --out out && cp out/run.pcapng real.pcapng",
    # The sketch, which has its own folder, with the scene and the driver of the page before.
    "docs/tutorials/arduino-sketch.md": rf"mkdir rover && sed -n '/^const float MM/,/^```/p' {ROOT}/docs/tutorials/arduino-sketch.md | sed '/^```/d' >rover/rover.ino"
    + "".join("\n" + rf"awk '/`{name}`:$/ {{f = 1}} f && /^```$/ {{exit}} f == 2 {{print}} f && /^```[a-z]/ {{f = 2}}' {ROOT}/docs/tutorials/own-robot.md >{name}"
              for name in ("scene.yaml", "drive.py")),
    "docs/hosts/kobuki.md": SOURCES,
    "docs/hosts/cobot.md": SOURCES,
    "docs/hosts/create2.md": SOURCES,
    "docs/hosts/diff_board.md": SOURCES,
    "docs/hosts/epuck2.md": SOURCES,
    "docs/hosts/kobuki-driver-notes.md": "ptybot run kobuki",
    "docs/hosts/serial-libraries.md": "ptybot run kobuki",
}

# Documents whose commands are all for later or for another place.
NONE_HERE = {"CONTRIBUTING.md", "docs/how-to/adding-a-robot.md"}

# (document, beginning of the command, behavior). The first matching row counts; rows without a
# document apply to all documents.
#   stays       serves until the next one that stays, or the end of the document; then SIGINT ends it with 0
#   flows       prints without end: until it has printed something
#   lasts       has not ended after a second
#   ends N      with that exit code
#   bare        only with --everything: it installs, or takes long
#   elsewhere   cannot be run here; the reason follows
ROWS = [
    ("docs/how-to/stress.md", "ptybot stress", "lasts"),
    ("docs/how-to/python.md", "pip ", "elsewhere: a virtual environment"),
    ("docs/how-to/python.md", "python3 -m pytest", "elsewhere: tests/python/test_docs.py"),
    ("docs/how-to/parametrize-a-test.md", "python3 -m pytest", "elsewhere: tests/python/test_docs.py"),
    (None, "sudo apt-get ", "bare"),
    (None, "apt-get ", "bare"),
    (None, "sudo ", "elsewhere: changes the machine"),
    (None, "ptybot view", "elsewhere: a window; tests/viewer"),
    (None, "./dev test", "elsewhere: runs this"),
    (None, "./dev ci", "elsewhere: runs this"),
    (None, "./dev nightly", "elsewhere: runs this"),
    (None, "./dev fuzz", "elsewhere: ./dev nightly fuzz"),
    (None, "./dev mutate", "elsewhere: ./dev nightly mutants"),
    (None, "./dev soak", "elsewhere: ./dev nightly soak"),
    (None, "./dev format && ./dev lint", "elsewhere: ./dev nightly lint"),
    (None, "./dev release", "elsewhere: ./dev nightly release"),
    (None, "./dev ", "bare"),
    (None, "man ptybot", "bare"),
    (None, "cmake ", "bare"),
    (None, "DESTDIR=", "bare"),
    (None, "podman ", "elsewhere: an image; ./dev nightly image"),
    (None, "parallel ", "elsewhere: other machines"),
    ("docs/scale/README.md", "ptybot test dock.yaml --until-failure", "lasts"),
    (None, "od -An", "flows"),
    (None, "while ", "lasts"),
    ("docs/hosts/lidar.md", "python3 -c 'import rplidar'", "elsewhere: a package that is not in Debian"),
    (None, "ptybot tap /dev/", "elsewhere: a real robot"),
    (None, "ptybot run kobuki_dock --view", "elsewhere: a window; tests/viewer"),
    (None, "ptybot replay run.journal --view", "elsewhere: a window; tests/viewer"),
    ("docs/how-to/pictures.md", "ptybot run", "ends 0" if shutil.which("ffmpeg") else "elsewhere: ffmpeg"),
    (None, "printf '\\200", "elsewhere: nc") if not shutil.which("nc") else (None, "nc ", "ends 0"),
    (None, "tshark", "elsewhere: tshark") if not shutil.which("tshark") else (None, "tshark", "ends 0"),
    (None, "wireshark", "elsewhere: a window; tests/wireshark"),
    (None, "tail -c +1 -f run.pcapng | wireshark", "elsewhere: a window; tests/wireshark"),
    (None, "tail ", "lasts"),
    ("docs/how-to/recipes.md", "npm install /usr", "elsewhere: an installed package; the test recipes_node"),
    ("docs/how-to/recipes.md", "ROS_PACKAGE_PATH=", "elsewhere: ./dev nightly ros"),
    ("docs/how-to/recipes.md", "ptybot test kobuki --warp off -- launch_test", "elsewhere: ROS 2, not in Debian"),
    (None, "kobuki-", "elsewhere: a program of ROS, not in Debian"),
    (None, "ros", "elsewhere: a program of ROS, not in Debian"),
    (None, "export PIBOT_", "elsewhere: a driver that is not in Debian"),
    (None, "python3 main.py", "elsewhere: a driver that is not in Debian"),
    (None, "build/release/app/ptybot run X", "elsewhere: X stands for a new robot"),
    (None, "build/release/app/ptybot shot X", "elsewhere: X stands for a new robot"),
    (None, '(eval "$(ptybot shim)"; my-driver)', "elsewhere: stands for any driver; test_e2e_shim"),
    (None, "build/release/tests/hosts/diff_board_poll", "elsewhere: takes a minute; the tests of its scenes"),
    ("docs/explanation/virtual-time.md", "ptybot run two.yaml", "elsewhere: stands for two drivers; test_e2e_held"),
    (None, "ctest ", "elsewhere: runs this"),
    ("docs/how-to/journal.md", "ptybot replay run.journal --paused", "elsewhere: test_e2e_journal"),
    ("docs/how-to/journal.md", "ptybot ctl --control c.sock", "elsewhere: test_e2e_journal"),
    ("docs/how-to/recordings.md", "ptybot compare", "ends 1"),
    ("docs/reference/control.md", "ptybot ctl watch", "flows"),
    ("docs/reference/control.md", "ptybot ctl wait", "ends 1"),
]


def read(text):
    """The steps of a document, in order: (command, None) of indented blocks behind an empty line, and
    (name, contents) of blocks that a line ending with "`name`:" announces."""
    previous, block = "", False
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("```"):
            contents = []
            for inner in lines:
                if inner.startswith("```"):
                    break
                contents.append(inner + "\n")
            name = re.search(r"`([\w.-]+)`:$", last_text)
            if name:
                yield name[1], "".join(contents)
            line = ""
        indented = line.startswith("    ")
        block = indented and (block or (previous == "" and line[4] != " "))
        if block:
            command = line[4:]
            while command.endswith("\\"):
                command = command[:-1] + " " + next(lines).strip()
            yield re.sub(r"\s+#\s.*$", "", command), None
        if line:
            last_text = line
        previous = line if not block else ""


def expected(document, command):
    for where, begin, how in ROWS:
        if where in (None, document) and command.startswith(begin):
            return how
    if command.startswith("ptybot run") and not re.search(r" --(for|fast)\b", command):
        return "stays"
    return "ends 0"


class Reader:
    def __init__(self, folder, path, work):
        self.folder, self.known, self.staying = folder, "", None
        self.work = work or os.path.join(folder, "work")
        self.count = 0
        home = os.path.join(folder, "home")
        os.makedirs(home)
        os.makedirs(self.work, exist_ok=True)
        self.env = {"PATH": path, "HOME": home, "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": folder}

    def write(self, name, contents):
        with open(os.path.join(self.work, name), "w", encoding="utf-8") as file:
            file.write(contents)

    def start(self, command):
        self.count += 1
        self.output = os.path.join(self.folder, f"said-{self.count}")
        with open(self.output, "wb") as output:
            return subprocess.Popen(["bash", "-c", self.known + command], stdin=subprocess.DEVNULL,
                                    stdout=output, stderr=output, env=self.env, start_new_session=True,
                                    cwd=self.work)

    def text(self):
        with open(self.output, "rb") as output:
            return output.read().decode("utf-8", "replace")

    def fail(self, command, why):
        print(self.text())
        sys.exit(f"{command}\n  {why}")

    def until(self, process, done, command, what):
        deadline = time.monotonic() + TIMEOUT_S
        while not done():
            if process.poll() is not None and not done():
                self.fail(command, f"ended with {process.returncode} before {what}")
            if time.monotonic() > deadline:
                self.fail(command, f"no sign of {what}")
            time.sleep(0.05)

    def leave(self):
        """What stays ends as on Ctrl-C."""
        if self.staying:
            process, command = self.staying
            self.staying = None
            os.killpg(process.pid, signal.SIGINT)
            if process.wait(TIMEOUT_S) != 0:
                self.fail(command, f"ended with {process.returncode}")

    def do(self, command, how):
        if re.match(r"(export )?[A-Za-z_]+=\S*( [A-Za-z_]+=\S*)*$|eval ", re.sub(r"\$\(.*?\)", "", command)):
            self.known += command + "\n"
        if command.endswith("; kill %1"):
            self.do(command.removesuffix("; kill %1"), how)
            self.leave()
        elif how == "stays" or command.endswith(" &"):
            command = command.removesuffix(" &")
            self.leave()
            process = self.start(command)
            socket = re.search(r"--control (\S+)", command)
            sign = r"/dev/shm/" if "--recorded" in command else r'\ncontrol  |"control":'
            self.until(process, lambda: re.search(sign, self.text()) or
                       socket and os.path.exists(os.path.join(self.work, socket[1])),
                       command, "its control socket")
            self.staying = (process, command)
        elif how == "lasts":
            process = self.start(command)
            time.sleep(1)
            if process.poll() is not None:
                self.fail(command, f"ended with {process.returncode}")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        elif how == "flows":
            process = self.start(command)
            self.until(process, lambda: len(self.text()) > 20, command, "anything printed")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        else:
            process = self.start(command)
            try:
                code = process.wait(1800 if how == "bare" else TIMEOUT_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                self.fail(command, "does not end")
            if code != (int(how[5:]) if how.startswith("ends") else 0):
                self.fail(command, f"ended with {code}; {how} is expected")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("document")
    parser.add_argument("--bin", action="append", default=[])
    parser.add_argument("--hosts", help="folder of the test hosts (default: build/release/tests/hosts)")
    parser.add_argument("--everything", action="store_true")
    arguments = parser.parse_args()
    if "PTYBOT_READ_ALONG" not in os.environ:
        os.environ["PTYBOT_READ_ALONG"] = "inside"
        kinds = ["-m"] if os.geteuid() == 0 else ["-U", "-r", "-m"]
        kinds += [] if arguments.everything else ["-n"]
        if subprocess.run(["unshare", *kinds, "true"], check=False).returncode != 0:
            print("skipped: no separate namespaces here")
            sys.exit(77)
        network = ":" if arguments.everything else "ip link set lo up"
        os.execvp("unshare", ["unshare", *kinds, "--propagation", "private", "sh", "-c",
                              f'mount -t tmpfs -o mode=1777 tmpfs /dev/shm && {network} || exit 77; exec "$@"',
                              "-", sys.executable, *sys.argv])
    with open(os.path.join(ROOT, arguments.document), encoding="utf-8") as file:
        found = list(read(file.read()))
    if not arguments.everything and any(contents and "serial" in contents for _, contents in found) and subprocess.run(
            ["/usr/bin/python3", "-c", "import serial, pytest"], check=False).returncode != 0:
        print("skipped: python3-serial or python3-pytest is not installed")
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="ptybot-read-")
    path = ":".join([*map(os.path.abspath, arguments.bin), "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"])
    reader = Reader(folder, path, ROOT if arguments.everything else None)
    done = 0
    try:
        for before in filter(None, BEFORE.get(arguments.document, "").split("\0")):
            # A bare machine installs the Python package, so only the driver is missing there.
            if not (arguments.everything and before.startswith("export ")):
                reader.do(before, expected(None, before))
        alternatives = []
        for command, contents in found:
            # If a block contains several runs, a reader uses the first, but all of them must start.
            if len(alternatives) > 1 and (contents or expected(arguments.document, command) != "stays"):
                reader.do(alternatives[0], "stays")
            if contents is not None:
                reader.write(command, contents)
                continue
            if arguments.everything and os.geteuid() == 0:
                command = command.removeprefix("sudo ")
            how = expected(arguments.document, command)
            if arguments.hosts:
                command = command.replace("build/release/tests/hosts", arguments.hosts)
            alternatives = [*alternatives, command] if how == "stays" else []
            if how.startswith("elsewhere") or (how == "bare" and not arguments.everything):
                print(f"not here  {command}  ({how})")
                continue
            print(f"{how:9} {command}", flush=True)
            reader.do(command, how)
            done += 1
        reader.leave()
    finally:
        if reader.staying:
            os.killpg(reader.staying[0].pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
    total = sum(contents is None for _, contents in found)
    print(f"{arguments.document}: {done} of {total} commands")
    if total > 0 and done == 0 and not arguments.document in NONE_HERE:
        sys.exit("none of them was run")


main()
