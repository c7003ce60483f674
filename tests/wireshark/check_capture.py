#!/usr/bin/env python3
"""Whether tshark with our dissectors sees in a capture what `ptybot decode` sees, value by value, and
as many frames as the run's own counters say.

    check_capture.py PTYBOT CAPTURE [--signals F.csv] [--near SECONDS,SECONDS...]

--near: at each of these times something was broken; tshark must report it within 0.3 s, and nothing at
other times. Prints a line with the comparisons; exits with 1 and the first difference otherwise."""

import collections
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

EXPERTS = {"bad checksum": "Bad checksum", "bad length": "Impossible length",
           "noise": "Bytes outside any frame", "cut off": "Frame cut off"}
TIME = "frame.time_epoch"
LINE = "frame.interface_name"


def fail(*words):
    print("FAILED:", *words)
    sys.exit(1)


def field_names(packet, names):
    """(packet, field) -> its filters, one of each type that has such a packet; through elements that repeat."""
    for field in packet["fields"]:
        names[packet["name"], field["name"]].add(field["filter"])
    if "element" in packet:
        field_names(packet["element"], names)


def dissect(capture, home, fields):
    """What tshark finds: a list of rows, each a dict field -> list of texts. HOME has the plugins."""
    command = ["tshark", "-n", "-r", "-", "-T", "fields", "-E", "separator=\t", "-E",
               "aggregator=\x1f", "-E", "occurrence=a"]
    for field in fields:
        command += ["-e", field]
    # From 4.4 on it reads no scripts of root.
    user, group = ("nobody", "nogroup") if os.geteuid() == 0 else (None, None)
    with open(capture, "rb") as file:
        got = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False, user=user, group=group,
                             env={**os.environ, "HOME": home, "LC_ALL": "C"})
    if got.returncode != 0 or "rror" in got.stderr:
        fail("tshark:", got.stderr[-2000:])
    rows = []
    for line in got.stdout.splitlines():
        rows.append({field: text.split("\x1f")
                     for field, text in zip(fields, line.split("\t")) if text})
    return rows


def take_fields(part, packet, names, values):
    for key, value in part.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            # Elements of one field are shown as bytes.
            if len(value[0]) > 1:
                for element in value:
                    take_fields(element, key, names, values)
        elif (packet, key) in names:
            values[packet, key] += value if isinstance(value, list) else [value]


def decode(ptybot, capture, names):
    """Findings of our decoder: values by packet and field, times of frames and how many pieces are broken by line and
    direction, and these by kind."""
    values = collections.defaultdict(list)
    frames = collections.defaultdict(list)
    bad, broken = collections.Counter(), collections.Counter()
    got = subprocess.run([ptybot, "decode", "--json", capture], capture_output=True, text=True,
                         check=True)
    for line in got.stdout.splitlines():
        frame = json.loads(line)
        if "event" in frame:
            continue
        if "bad" in frame:
            bad[EXPERTS[frame["bad"]]] += 1
            broken[frame["line"], frame["to"]] += 1
            continue
        frames[frame["line"], frame["to"]].append(float(frame["t"]))
        for part in frame.get("parts", []):
            if "packet" in part:
                take_fields(part, part["packet"], names, values)
    return values, frames, bad, broken


def is_same(ours, theirs):
    if isinstance(ours, str):  # tshark writes the ends of lines so
        return ours.replace("\r", "\\r").replace("\n", "\\n") == theirs
    if ours is None:
        return not math.isfinite(float(theirs))
    return math.isclose(ours, float(theirs), rel_tol=1e-6, abs_tol=1e-9)


def compare_values(ours, names, rows):
    count = 0
    for name, values in ours.items():
        # An empty text leaves no column.
        values = [value for value in values if value != ""]
        theirs = [text for row in rows for key in names[name] for text in row.get(key, []) if text]
        if len(theirs) != len(values):
            fail(name, "occurs", len(theirs), "times in tshark,", len(values), "times here")
        for index, (mine, other) in enumerate(zip(values, theirs)):
            if not is_same(mine, other):
                fail(name, "number", index, "is", other, "in tshark,", mine, "here")
        count += len(values)
    return count


def count_frames(rows, types):
    """Times of frames by line and direction, as tshark has them."""
    frames = collections.defaultdict(list)
    for row in rows:
        for kind in types:
            for way in row.get(kind + ".direction", []):
                frames[row[LINE][0], way.split()[-1]].append(float(row[TIME][0]))
    return frames


def compare_counters(frames, broken, path, types):
    """The last row of the log of signals, against the frames up to its time. On a channel of text a
    robot says several lines at once, which are a frame each here and one to its counter. A frame that
    the robot itself has damaged exists only for its counter."""
    text = {channel["name"] for kind in types for channel in kind["channels"]
            if (channel["to_host"] or {}).get("is_text")}
    with open(path, encoding="utf-8") as file:
        row = list(csv.DictReader(file))[-1]
    end_s = float(row["world.time_s"])
    count = 0
    for key, value in row.items():
        line, _, signal = key.rpartition(".")
        way = {"to_host_frames": "host", "frames": "robot"}.get(signal)
        if not way or line.count(".") != 1:
            continue
        seen = sum(1 for t in frames.get((line, way), []) if t <= end_s + 1e-7)
        is_text = way == "host" and line.split(".")[1] in text
        if seen + broken[line, way] < int(float(value)) or (seen > int(float(value)) and not is_text):
            fail(key, "is", value, "during the run; tshark has", seen)
        count += 1
    return count


def check_near(rows, times):
    said = [float(row[TIME][0]) for row in rows
            if any(text in EXPERTS.values() for text in row.get("_ws.expert.message", []))]
    for time_s in times:
        if not any(time_s - 1e-6 <= at <= time_s + 0.3 for at in said):
            fail("the damage at", time_s, "is not reported")
    for at in said:
        if not any(time_s - 1e-6 <= at <= time_s + 0.3 for time_s in times):
            fail("at", at, "something is reported as broken, and is not")


def main():
    arguments = sys.argv[1:]
    options = {}
    while len(arguments) > 2:
        options[arguments[-2]] = arguments[-1]
        arguments = arguments[:-2]
    ptybot, capture = arguments
    types = [json.loads(line) for line in
             subprocess.run([ptybot, "describe", "--json"], capture_output=True, text=True,
                            check=True).stdout.splitlines()]
    names = collections.defaultdict(set)
    for kind in types:
        for packet in kind["packets"]:
            field_names(packet, names)
    with tempfile.TemporaryDirectory() as folder:
        plugins = os.path.join(folder, ".local/lib/wireshark/plugins")
        os.makedirs(plugins)
        os.chmod(folder, 0o755)
        subprocess.run([ptybot, "describe", "--wireshark", plugins], check=True,
                       stdout=subprocess.DEVNULL)
        kinds = [kind["name"] for kind in types]
        fields = [TIME, LINE, "_ws.malformed", "_ws.expert.message"]
        fields += [kind + ".direction" for kind in kinds] + sorted(set().union(*names.values()))
        rows = dissect(capture, folder, fields)
    ours, our_frames, bad, broken = decode(ptybot, capture, names)
    malformed = sum("_ws.malformed" in row for row in rows)
    if malformed:
        fail(malformed, "malformed packets")
    experts = collections.Counter(text for row in rows for text in row.get("_ws.expert.message", []))
    for message in EXPERTS.values():
        if experts[message] != bad[message]:
            fail(message, "is said", experts[message], "times by tshark,", bad[message], "here")
    frames = count_frames(rows, kinds)
    for key in set(frames) | set(our_frames):
        if len(frames.get(key, [])) != len(our_frames.get(key, [])):
            fail(key, "has", len(frames.get(key, [])), "frames in tshark,",
                 len(our_frames.get(key, [])), "here")
    counters = 0
    if "--signals" in options:
        counters = compare_counters(frames, broken, options["--signals"], types)
    if "--near" in options:
        check_near(rows, [float(word) for word in options["--near"].split(",")])
    print(f"{sum(map(len, frames.values()))} frames, {compare_values(ours, names, rows)} values, "
          f"{counters} counters, {sum(experts.values())} expert infos: the same")


main()
