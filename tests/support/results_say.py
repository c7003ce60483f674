"""Reads files of results (docs/scale/results.md) like any other program, checks the keys of each line, and prints
the requested values.

usage: results_say.py counts F.ndjson...        plans, cases and verdicts
       results_say.py get KEY/KEY... F.ndjson   that value of each case, by number: one per line
       results_say.py same F.ndjson F.ndjson    exit 0 only if both hold the same results
"""
import json
import sys

PLAN = {"type", "format", "plan", "count", "shard", "names", "varied", "better", "version", "build"}
CASE = {"type", "number", "case", "scene", "seed", "vary", "verdict", "code", "reason", "simulated_s", "expect",
        "measures", "diagnoses", "channels", "held", "printed", "run"}
EXPECT = {"name", "that", "when", "verdict", "kind", "found", "at_s", "line", "margin", "margin_at_s", "closest"}
RUN = {"host_name", "started", "wall_s", "cpu_s", "host_cpu_s", "host_max_rss_kb", "hosts", "speed", "files", "version", "build"}


def read(path):
    plans, cases = [], []
    for line in open(path, encoding="utf-8"):
        if not line.endswith("\n"):
            sys.exit(f"{path}: the last line is torn")
        one = json.loads(line)
        if one["type"] == "plan":
            assert PLAN <= set(one), PLAN - set(one)
            assert one["format"] == 1 and len(one["names"]) == one["count"], one
            plans.append(one)
            continue
        assert CASE <= set(one), CASE - set(one)
        assert RUN <= set(one["run"]), RUN - set(one["run"])
        for item in one["expect"]:
            assert EXPECT <= set(item), EXPECT - set(item)
        assert plans[-1]["names"][one["number"]] == one["case"], one["case"]
        cases.append(one)
    return plans, cases


def steady(cases):
    return sorted((json.dumps({key: value for key, value in one.items() if key != "run"}) for one in cases),
                  key=lambda text: json.loads(text)["number"])


def main(verb, *words):
    if verb == "same":
        (plans, cases), (other_plans, other_cases) = map(read, words)
        if plans[0]["plan"] != other_plans[0]["plan"]:
            sys.exit("the plans differ")
        for mine, other in zip(steady(cases), steady(other_cases)):
            if mine != other:
                sys.exit(f"{mine}\n{other}")
        if len(cases) != len(other_cases):
            sys.exit(f"{len(cases)} and {len(other_cases)} cases")
    elif verb == "get":
        for one in sorted(read(words[1])[1], key=lambda case: case["number"]):
            value = one
            for key in words[0].split("/"):
                value = value[int(key)] if isinstance(value, list) else value[key]
            print(json.dumps(value))
    else:
        everything = [read(path) for path in words]
        cases = [one for _, some in everything for one in some]
        verdicts = [one["verdict"] for one in cases]
        print(f"{sum(len(plans) for plans, _ in everything)} plans, {len(cases)} cases,",
              f"{verdicts.count('passed')} passed, {verdicts.count('failed')} failed, {verdicts.count('error')} errors")


if __name__ == "__main__":
    main(*sys.argv[1:])
