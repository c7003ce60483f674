#!/usr/bin/env python3
"""Uses the files of docs/scale unchanged, as far as possible on one machine without their engines: each part of a
sweep in the environment of its engine, and the engine's handling of exit codes.

    recipes.py PTYBOT
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import yaml

SCALE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "scale")
PARTS = 3
# Four cases; one of them fails.
SCENE = """world: {size: {x: 6, y: 4}}
robots: [{name: kobuki, type: kobuki, pose: {x: 1, y: 2}}]
expect: [{that: kobuki.x_m < 3.5, always: true}, {that: world.time_s > 0.05, within: 1}]
sweep: ['kobuki.pose grid x=1..4/4']
"""


def call(words, **more):
    """In a clean environment, without an engine but that of MORE."""
    engines = ("SLURM", "JOB_", "TEST_", "CI_", "SWEEP_")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(engines)}
    return subprocess.run(words, env={**clean, **more}, capture_output=True, text=True, timeout=600)


def cases(pattern):
    """Names and verdicts in files of results."""
    lines = [json.loads(line) for path in glob.glob(pattern) for line in open(path)]
    return sorted((line["case"], line["verdict"]) for line in lines if line["type"] == "case")


def expect(is_true, *words):
    if not is_true:
        sys.exit(" ".join(map(str, words)))


def slurm(whole):
    for part in range(PARTS):
        done = call(["sh", f"{SCALE}/slurm.sh", "s.yaml", "--fast"], SLURM_ARRAY_TASK_ID=str(part + 5),
                    SLURM_ARRAY_TASK_MIN="5", SLURM_ARRAY_TASK_COUNT=str(PARTS))
        expect(done.returncode == 0, "slurm.sh: a failing case must not fail the task:", done)
    expect(cases("part-*.ndjson") == whole, "slurm.sh:", cases("part-*.ndjson"))
    done = call(["sh", f"{SCALE}/slurm.sh", "nothing.yaml", "--fast", "--resume"], SLURM_ARRAY_TASK_ID="5",
                SLURM_ARRAY_TASK_MIN="5", SLURM_ARRAY_TASK_COUNT=str(PARTS))
    expect(done.returncode == 2, "slurm.sh: bad usage is a failure:", done)


def kubernetes(whole):
    job = yaml.safe_load(open(f"{SCALE}/kubernetes.yaml"))
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    rules = {rule["action"]: rule.get("onExitCodes", {}).get("values") for rule in spec["podFailurePolicy"]["rules"]}
    expect((job["apiVersion"], job["kind"], spec["completionMode"]) == ("batch/v1", "Job", "Indexed"), job)
    # kubernetes.io/docs/concepts/workloads/controllers/job: a failure policy asks for that, and names containers.
    expect(pod["restartPolicy"] == "Never", pod)
    expect(rules == {"FailJob": [2], "Ignore": None, "Count": [3]}, rules)
    (container,) = pod["containers"]
    names = {rule["onExitCodes"]["containerName"] for rule in spec["podFailurePolicy"]["rules"] if "onExitCodes" in rule}
    expect(names == {container["name"]}, names)
    (script,) = container["args"]
    total = spec["completions"]
    expect(f"--shard auto/{total} " in script, script)
    expect({mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}, pod)
    os.mkdir("results")
    script = script.replace("/results", os.path.abspath("results")).replace("dock.yaml --warp max", "s.yaml --fast")
    script = script.replace("-- ./my_driver", "")
    for index in range(total):
        done = call([*container["command"], script], JOB_COMPLETION_INDEX=str(index))
        expect(done.returncode == 0, "kubernetes.yaml:", done)
    expect(cases("results/part-*.ndjson") == whole, "kubernetes.yaml:", cases("results/part-*.ndjson"))
    expect(len(glob.glob("results/part-*.ndjson")) == total, "kubernetes.yaml: empty parts have files, too")


def parallel(whole):
    if not shutil.which("parallel"):
        return "no parallel"
    # `:` is this machine, without ssh.
    done = call(["sh", f"{SCALE}/parallel.sh", ":", str(PARTS), "s.yaml", "--fast"])
    expect(done.returncode == 0, "parallel.sh:", done)
    open("all.ndjson", "w").write(done.stdout)
    expect(cases("all.ndjson") == whole, "parallel.sh:", cases("all.ndjson"))
    expect(call(["ptybot", "merge", "all.ndjson"]).returncode == 1, "parallel.sh: merge")


def pytest(whole):
    flags = ["-n", "2"] if call([sys.executable, "-c", "import xdist"]).returncode == 0 else []
    done = call([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *flags, f"{SCALE}/test_sweep.py"],
                SWEEP_SCENE="s.yaml", SWEEP_FLAGS="--fast", SWEEP_CASES=str(len(whole)), PYTHONDONTWRITEBYTECODE="1")
    failed = sum(verdict != "passed" for _, verdict in whole)
    expect(f"{failed} failed, {len(whole) - failed} passed" in done.stdout, "test_sweep.py:", done.stdout)


def main(ptybot):
    os.environ["PATH"] = os.path.dirname(os.path.abspath(ptybot)) + ":" + os.environ["PATH"]
    os.environ.pop("PYTEST_XDIST_WORKER", None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["TMPDIR"] = folder
        open("s.yaml", "w").write(SCENE)
        call(["ptybot", "test", "s.yaml", "--fast", "--results", "whole.ndjson"])
        whole = cases("whole.ndjson")
        expect([verdict for _, verdict in whole] == ["passed"] * 3 + ["failed"], whole)
        for recipe in (slurm, kubernetes, parallel, pytest):
            print(recipe.__name__, recipe(whole) or "unchanged")
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
