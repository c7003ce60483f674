#!/usr/bin/env python3
"""read_recipes.py ROOT: checks that the commands that a newcomer copies are complete, without running them.

tests/ci/services.sh, packaging/try_image.sh and packaging/try_documents.sh run them, which takes a bare Debian."""
import os, re, subprocess, sys, tempfile

root = sys.argv[1]
failures = []

def read(path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()

def expect(is_right, text):
    if not is_right:
        failures.append(text)

# A failure has its picture and its page only if these are installed.
default = "ptybot", "ptybot-picture", "ptybot-web"
last_stage = re.split(r"^FROM ", read("Containerfile"), flags=re.M)[-1].split()[0]
image = "".join(re.findall(rf"AS (?:headless|{last_stage})\n.*?(?=^FROM|\Z)", read("Containerfile"), flags=re.M | re.S))
for place, text in (("README.md", read("README.md")), ("docs/how-to/install.md", read("docs/how-to/install.md")),
                    ("packaging/ci/install.sh", read("packaging/ci/install.sh")), ("Containerfile, default image", image)):
    for package in default:
        expect(f"/{package}_*.deb" in text, f"{place}: does not install {package}_*.deb")
expect("PICTURES:-true" in read("packaging/ci/install.sh"), "packaging/ci/install.sh: the painter and the page are not the default")
for path, package in (("app/record/picture.c", "ptybot-picture"), ("app/run/page_file.c", "ptybot-web"), ("app/views/web.c", "ptybot-web")):
    text = re.sub(r'"\s*"', "", read(path))
    expect(f"{package}_*.deb" in text, f"{path}: the hint does not name the file {package}_*.deb")

# debian:12 has no make and no compiler.
github = re.search(r"## GitHub Actions.*?```yaml\n(.*?)```", read("docs/how-to/ci.md"), re.S).group(1)
for step in re.findall(r"- run: (.*)", github):
    expect("make" not in step.split("#")[0] or re.search(r"apt-get .*install .*(build-essential|make).*&&.* make", step),
           f"docs/how-to/ci.md: '- run: {step}' cannot work in a bare debian:12")
for path in "README.md", "docs/how-to/install.md", "docs/how-to/ci.md":
    expect(re.search(r"Ubuntu[^.]* (is|are) untested", read(path)), f"{path}: does not say that Ubuntu is untested")

# Without a driver these would run undriven robots in real time.
machines = read("docs/scale/several-machines.md").split("## Several machines")[1].split("\n## ")[0]
tests = re.findall(r"^    ptybot test .*", machines, re.M)
expect(tests, "docs/scale/README.md: no test in 'Several machines'")
for line in tests:
    expect(" -- ./my_driver_test" in line, f"docs/scale/README.md: without a driver: {line.strip()}")

# A long build or installation shows its progress; a demonstration names the next step.
expect("./dev try" in read("scripts/demo.sh").split("run_demo()")[1].split("\n}")[0], "scripts/demo.sh: no next step")
progress = re.search(r"^progress\(\) \{.*?^\}", read("dev"), re.M | re.S)
expect(progress, "dev: no progress")
if progress:
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run(["sh", "-euc", progress.group(0) + '\nprogress "$0" sh -c "$1"', f"{folder}/log",
                               'for i in $(seq 1 200); do echo "[$i/200] step"; done; for i in $(seq 1 25); do echo "Get:$i x"; done; '
                               'echo "warning: w"; exit 3'], capture_output=True, text=True)
        expect(said.returncode == 3, f"progress: exit code {said.returncode} instead of 3")
        for text in "50 % of 200 steps", "20 packages downloaded", "warning: w":
            expect(text in said.stderr, f"progress: '{text}' is not in {said.stderr!r}")
        expect("[7/200]" not in said.stderr, "progress: prints each step")

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
