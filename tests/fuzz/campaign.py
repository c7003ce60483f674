#!/usr/bin/python3
"""Runs fuzz programs, and remembers how far they came.

    campaign.py TREE run SECONDS [NAME[=EXECUTIONS]...]   each program for so long, or up to so many in all
    campaign.py merge TREE [NAME...]                      the findings, without those that add nothing
    campaign.py shrink TREE [NAME...]                     the same for tests/fuzz/corpus, by edges only
    campaign.py report [COVERED]                          what all runs so far add up to
    campaign.py programs                                  their names

TREE is a tree of the preset `fuzz` (libFuzzer with sanitizers, which finds what reaches new lines), `flood`
(tests/fuzz/flood.c: many executions of changed findings), `flood-asan` (the same with sanitizers) or `msan`;
merge and shrink want `fuzz`.
Finds go to build/fuzz.corpus/NAME and, when they crash, to TREE/crash-*; each run is a line of
build/fuzz.ndjson (or of PTYBOT_FUZZ_TALLY), so that a stopped run can continue: a flood at its next
number. COVERED is a tree of the preset `mutants`: its programs get all findings, and count
the lines of the files under test that it reaches."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOUND, KEPT = f"{ROOT}/build/fuzz.corpus", f"{ROOT}/tests/fuzz/corpus"
TALLY = os.environ.get("PTYBOT_FUZZ_TALLY", f"{ROOT}/build/fuzz.ndjson")

# Purpose of a program: files whose lines a report counts, given as prefixes.
UNDER_TEST = {
    "fuzz_framer": ["protocols/framing.c"],
    "fuzz_framing": ["protocols/framing.c", "protocols/describe.c", "app/lab/recording/decoder.c",
                     "app/lab/recording/line_report.c", "app/lab/recording/text_log.c"],
    "fuzz_rx": ["protocols/"],
    "fuzz_option": ["base/option.c"],
    "fuzz_scene": ["sim/scene/"],
    "fuzz_body": ["sim/body/"],
    "fuzz_journal": ["sim/record/"],
    "fuzz_capture": ["app/lab/recording/capture_reader.c", "app/lab/recording/usb_serial.c"],
    "fuzz_recorded": ["app/lab/recording/recorded.c", "app/lab/recording/capture_reader.c"],
    "fuzz_trace": ["app/lab/recording/", "app/lab/compare/", "app/subcommands/decode.c", "app/subcommands/compare.c",
                   "app/subcommands/fit.c"],
    "fuzz_replay": ["sim/record/", "app/subcommands/replay.c", "app/run/rerun.c", "app/replay/journal_start.c"],
    "fuzz_storage": ["app/files/storage.c"],
    "fuzz_results": ["app/lab/results/", "app/subcommands/merge.c"],
    "fuzz_tolerance": ["app/lab/compare/compare.c"],
    "fuzz_bundle": ["app/replay/"],
    "fuzz_command": ["sim/commands/"],
    "fuzz_condition": ["sim/verdict/condition"],
    "fuzz_firmware": ["app/firmware/firmware_json.c", "protocols/process/"],
    "fuzz_picture": ["app/files/image.c"],
    "fuzz_rfc2217": ["pty/tcp/rfc2217.c"],
    "fuzz_control": ["app/control/"],
    "fuzz_http": ["viewer/web/"],
    "fuzz_drive": ["sim/step/", "sim/wire/", "protocols/"],
}
# Chosen: longer inputs take longer and reach no additional code.
LONGEST = {"fuzz_framer": 96, "fuzz_capture": 1024, "fuzz_recorded": 1024, "fuzz_trace": 2048, "fuzz_scene": 2048, "fuzz_http": 1024,
           "fuzz_control": 1024, "fuzz_command": 1024, "fuzz_drive": 512}
LONGEST_ELSE = 4096
# Chosen: seconds per line of the tally in a flood, so that little is lost when it is stopped.
PIECE = 60


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def rows():
    if not os.path.exists(TALLY):
        return []
    with open(TALLY, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


def done(name):
    return sum(row["executions"] for row in rows() if row["target"] == name)


def last(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def folders(name):
    os.makedirs(f"{FOUND}/{name}", exist_ok=True)
    return [one for one in (f"{FOUND}/{name}", f"{KEPT}/{name}") if os.path.isdir(one)]


def tell(row, text):
    with open(TALLY, "a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    reached = f", {row['edges']} of {row['of_edges']} edges" if "edges" in row else f", up to number {row['next'] - 1:,}"
    say(f"  {row['executions']:,} executions, {row['executions'] / max(row['seconds'], 1):,.0f} a second{reached}; "
        f"{done(row['target']):,} in all")
    if row["code"] != 0:
        say("\n".join(text.splitlines()[-40:]))
    return row["code"] == 0


def timed(tree, name, words):
    """A row without results, and the output of the program."""
    log = f"{tree}/{name}.log"
    began = time.monotonic()
    with open(log, "w", encoding="utf-8") as out:
        code = subprocess.run([f"{tree}/tests/fuzz/{name}", *words], stdout=out, stderr=out, check=False).returncode
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return {"target": name, "tree": os.path.basename(tree), "executions": 0, "code": code,
            "seconds": round(time.monotonic() - began, 1), "at": time.strftime("%Y-%m-%dT%H:%M:%S")}, text


def flood(tree, name, seconds, most):
    """Whether it came through. Its numbers continue those of all earlier floods."""
    end = time.monotonic() + seconds
    while most > 0 and time.monotonic() < end:
        first = max((row.get("next", 0) for row in rows() if row["target"] == name), default=0)
        piece = min(PIECE, round(end - time.monotonic()) or 1)
        row, text = timed(tree, name, [str(first), str(most), str(piece), str(LONGEST.get(name, LONGEST_ELSE)),
                                       f"{tree}/crash-{name}", *folders(name)])
        # After a failure: only the executions up to it.
        row["executions"] = last(r"executions (\d+)", text) if row["code"] == 0 else \
            max(last(rf"crash-{name}-(\d+)", text) + 1 - first, 0)
        row["next"] = first + row["executions"]
        most -= row["executions"]
        if not tell(row, text):
            return False
    return True


def fuzz(tree, name, seconds, most):
    """Whether it came through."""
    words = [f"-max_total_time={seconds}", f"-artifact_prefix={tree}/", "-print_final_stats=1", "-reload=0",
             f"-runs={min(most, 2**31 - 1)}"]
    if name in LONGEST:
        words.append(f"-max_len={LONGEST[name]}")
    row, text = timed(tree, name, words + folders(name))
    row |= {"executions": last(r"number_of_executed_units: (\d+)", text), "edges": last(r" cov: (\d+)", text),
            "of_edges": last(r"\((\d+) inline 8-bit counters\)", text), "corpus": last(r" corp: (\d+)", text)}
    return tell(row, text)


def run(tree, seconds, wanted):
    programs = sorted(os.path.basename(path) for path in glob.glob(f"{tree}/tests/fuzz/fuzz_*")
                      if os.access(path, os.X_OK) and os.path.isfile(path))
    if not programs:
        sys.exit("campaign: no fuzz program is built")
    failed = []
    for word in wanted or programs:
        name, _, most = word.partition("=")
        if name not in programs:
            sys.exit(f"campaign: there is no program '{name}'; there are: {' '.join(programs)}")
        left = int(float(most)) - done(name) if most else sys.maxsize
        if left <= 0:
            say(f"{name}: {done(name):,} executions are done")
            continue
        say(f"fuzzing {name} for {seconds} s")
        if not (flood if os.path.basename(tree).startswith("flood") else fuzz)(tree, name, seconds, left):
            failed.append(name)
    if failed:
        sys.exit(f"campaign: failed: {' '.join(failed)}")


def merge(tree, names):
    for name in names or sorted(os.listdir(KEPT)):
        with tempfile.TemporaryDirectory(dir=f"{ROOT}/build") as fresh:
            subprocess.run([f"{tree}/tests/fuzz/{name}", "-merge=1", fresh, *reversed(folders(name))],
                           stderr=subprocess.DEVNULL, check=True)
            for old in glob.glob(f"{FOUND}/{name}/*"):
                os.unlink(old)
            for one in os.listdir(fresh):
                os.replace(f"{fresh}/{one}", f"{FOUND}/{name}/{one}")
        say(f"{name}: {len(os.listdir(f'{FOUND}/{name}'))} inputs")


def edges(program, folder):
    shown = subprocess.run([program, "-runs=0", "-use_counters=0", folder], stderr=subprocess.PIPE, text=True, check=True)
    return last(r"INITED cov: (\d+)", shown.stderr)


def shrink(tree, names):
    """Keeps all files that have a name of the project, and those files of a fuzzer that reach another edge."""
    for name in names or sorted(os.listdir(KEPT)):
        program, kept = f"{tree}/tests/fuzz/{name}", f"{KEPT}/{name}"
        found = [one for one in os.listdir(kept) if re.fullmatch("[0-9a-f]{40}", one)]
        if not os.path.exists(program):
            continue
        with tempfile.TemporaryDirectory(dir=f"{ROOT}/build") as folder:
            fresh, old = f"{folder}/fresh", f"{folder}/old"
            shutil.copytree(kept, fresh)
            os.mkdir(old)
            for one in found:
                os.replace(f"{fresh}/{one}", f"{old}/{one}")
            subprocess.run([program, "-merge=1", "-use_counters=0", fresh, old], stderr=subprocess.DEVNULL, check=True)
            before, after = edges(program, kept), edges(program, fresh)
            left = set(os.listdir(fresh))
        if after < before:
            sys.exit(f"campaign: {name}: {after} edges of {before} are left")
        for one in set(found) - left:
            os.unlink(f"{kept}/{one}")
        say(f"{name}: {len(left)} inputs, {len(set(found) - left)} fewer; {before} edges, and {after}")


def lines_reached(tree, name):
    """Lines of the files under test that the inputs reach, and how many these files have."""
    program = f"{tree}/tests/fuzz/{name}"
    if not os.path.exists(program):
        return None
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "LLVM_PROFILE_FILE": f"{folder}/raw"}
        subprocess.run([program, *folders(name)], env=env, stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", f"{folder}/data", f"{folder}/raw"], check=True)
        objects = [word for path in glob.glob(f"{tree}/*/libptybot_*.so") for word in ("-object", path)]
        shown = subprocess.check_output(["llvm-cov", "export", "-summary-only", f"-instr-profile={folder}/data",
                                         program, *objects], stderr=subprocess.DEVNULL)
    covered = count = 0
    for file in json.loads(shown)["data"][0]["files"]:
        if any(os.path.relpath(file["filename"], ROOT).startswith(one) for one in UNDER_TEST.get(name, [])):
            covered += file["summary"]["lines"]["covered"]
            count += file["summary"]["lines"]["count"]
    if count == 0:
        sys.exit(f"campaign: {name}: UNDER_TEST names no file that is in it")
    return covered, count


def report(covered):
    print("program\texecutions\twith sanitizers\ta second\tedges\tof\tinputs\tlines reached\tof")
    found = rows()
    for name in sorted({row["target"] for row in found}):
        own = [row for row in found if row["target"] == name]
        checked = sum(row["executions"] for row in own if row["tree"] != "flood")
        best = max(own, key=lambda row: row.get("edges", 0))
        quick = max(row["executions"] / max(row["seconds"], 1) for row in own)
        lines = lines_reached(covered, name) if covered else None
        print(f"{name}\t{done(name):,}\t{checked:,}\t{quick:,.0f}\t{best.get('edges', '-')}\t{best.get('of_edges', '-')}\t"
              f"{sum(len(os.listdir(one)) for one in folders(name))}\t" + ("\t".join(map(str, lines)) if lines else "-\t-"))


def main(words):
    if words[:1] == ["report"]:
        report(os.path.abspath(words[1]) if len(words) > 1 else None)
    elif words[:1] == ["programs"]:
        print("\n".join(sorted(os.listdir(KEPT))))
    elif words[:1] in (["merge"], ["shrink"]) and len(words) > 1:
        {"merge": merge, "shrink": shrink}[words[0]](os.path.abspath(words[1]), words[2:])
    elif words[1:2] == ["run"] and len(words) > 2:
        run(os.path.abspath(words[0]), int(words[2]), words[3:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
