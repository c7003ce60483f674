"""Reads a JUnit file as CI systems do and prints its contents.

usage: junit_count.py F.xml     exit 0 only if the file keeps to the schema of Jenkins (junit.xsd, by
xmllint), junitparser reads the same from it, and its totals are those of its cases. Without these
two programs (./dev installs them) it checks only the totals
"""
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

try:
    import junitparser
except ImportError:
    junitparser = None


def check_schema(path):
    schema = pathlib.Path(__file__).with_name("junit.xsd")
    if shutil.which("xmllint"):
        done = subprocess.run(["xmllint", "--noout", "--schema", schema, path], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)


def check_totals(element):
    counts = (len(list(element.iter("testcase"))), len(list(element.iter("failure"))),
              len(list(element.iter("error"))))
    told = tuple(int(element.get(name)) for name in ("tests", "failures", "errors"))
    if counts != told:
        sys.exit(f"{element.get('name')}: tells {told}, has {counts}")
    return counts


def check_parser(path, root):
    """What a CI system would show: the names of the cases and how each came out."""
    if junitparser is None:
        return
    found = [(suite.name, case.name, sorted((type(one).__name__.lower(), one.message) for one in case.result))
             for suite in junitparser.JUnitXml.fromfile(path) for case in suite]
    meant = [(suite.get("name"), case.get("name"),
              sorted((one.tag, one.get("message")) for one in case if one.tag != "system-out"))
             for suite in root for case in suite.iter("testcase")]
    if found != meant:
        sys.exit(f"junitparser reads {found}, there is {meant}")


def main(path):
    check_schema(path)
    root = ElementTree.parse(path).getroot()
    if root.tag != "testsuites":
        sys.exit(f"the root is {root.tag}")
    for suite in root:
        check_totals(suite)
        if int(suite.get("skipped")) != len(list(suite.iter("skipped"))):
            sys.exit(f"{suite.get('name')}: tells {suite.get('skipped')} skipped")
    cases, failures, errors = check_totals(root)
    check_parser(path, root)
    kinds = sorted(one.get("type") for one in root.iter() if one.tag in ("failure", "error"))
    print(f"{len(root)} suites, {cases} cases, {failures} failures, {errors} errors",
          *kinds)


if __name__ == "__main__":
    main(sys.argv[1])
