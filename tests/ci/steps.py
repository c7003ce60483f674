#!/usr/bin/env python3
"""Prints a shell script that does what a job of continuous integration does, according to its file: the
shell steps of action.yml, packaging/ci/gitlab.yml or packaging/ci/Jenkinsfile, each in a separate
shell, started as by that service, in the current folder. Work of the service itself (caches, artifacts)
is left out.

    steps.py SERVICE [--without TEXT] [NAME=VALUE...]

NAME=VALUE: inputs of the action, variables of the job. --without: leaves out the steps with TEXT."""
import argparse
import os
import re
import shlex
import sys

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Step:
    def __init__(self, name, shell, script, when="success", env=None):
        self.name, self.shell, self.script, self.when, self.env = name, shell, script, when, env or {}


def github(given):
    action = yaml.safe_load(read("action.yml"))
    inputs = {name: str(row.get("default", "")) for name, row in action["inputs"].items()}
    unknown = set(given) - set(inputs)
    if unknown:
        sys.exit(f"action.yml has no input {unknown}")
    inputs.update(given)

    def value(match):
        word = match[1].strip()
        if word.startswith("inputs."):
            return inputs[word[len("inputs."):]]
        if word == "steps.kept.outputs.artifact-url":
            return "https://example.com/artifact"
        sys.exit(f"action.yml: what is {word}?")

    for step in action["runs"]["steps"]:
        if "run" not in step:
            continue
        if "${{" in step["run"]:
            sys.exit(f"action.yml: {step['name']}: an expression in a script is an injection; pass it by env")
        env = {name: re.sub(r"\$\{\{(.*?)\}\}", value, text) for name, text in step.get("env", {}).items()}
        env["GITHUB_ACTION_PATH"] = ROOT
        when = {None: "success", "always()": "always", "failure()": "failure"}[step.get("if")]
        yield Step(step["name"], step["shell"] + " -e", step["run"], when, env)


def gitlab(given):
    job = yaml.safe_load(read("packaging/ci/gitlab.yml"))[".ptybot"]
    env = {**job["variables"], **given}
    for name, when in ("before_script", "success"), ("script", "success"), ("after_script", "always"):
        yield Step(name, "sh -e", "\n".join(job[name]), when, env)


def jenkins(given):
    text = re.sub(r"(^|\s)//[^\n]*", r"\1", read("packaging/ci/Jenkinsfile"))
    env = dict(re.findall(r"^\s*([A-Z_]+) = '(.*?)'", text, re.M))
    env.update(given)
    stages, post = text.split("post {")
    for part, when in (stages, "success"), (post, "always"):
        for script in re.findall(r"sh '''\n(.*?)'''", part, re.S):
            yield Step(script.strip().split("\n")[-1], "sh -xe", script, when, env)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("service", choices=["github", "gitlab", "jenkins"])
    parser.add_argument("given", nargs="*")
    parser.add_argument("--without", action="append", default=[])
    arguments = parser.parse_intermixed_args()
    given = dict(pair.split("=", 1) for pair in arguments.given)
    print("code=0")
    for step in globals()[arguments.service](given):
        if any(text in step.script for text in arguments.without):
            continue
        test = {"success": "[ $code -eq 0 ]", "failure": "[ $code -ne 0 ]", "always": ":"}[step.when]
        env = " ".join(f"{name}={shlex.quote(text)}" for name, text in step.env.items())
        print(f"if {test}; then\n    echo {shlex.quote('== ' + step.name)}")
        print(f"    env {env} {step.shell} -c {shlex.quote(step.script)} || code=1\nfi")
    print("exit $code")


main()
