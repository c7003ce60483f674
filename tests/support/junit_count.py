"""Reads a JUnit file as CI systems do and prints what is in it.

usage: junit_count.py F.xml     exit 0 only if the file has the elements and attributes of the Jenkins
schema (junit-10.xsd of its plugin) in their order, and its totals are those of its cases
"""
import sys
import xml.etree.ElementTree as ElementTree

ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp",
                  "hostname", "id", "package"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time", "assertions", "status"},
    "skipped": {"message", "type"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "system-out": set(),
}
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "testcase": ["skipped", "failure", "error", "system-out"],
}
REQUIRED = {"testsuite": {"name", "tests"}, "testcase": {"name", "classname"}, "property": {"name", "value"}}


def check(element):
    unknown = set(element.attrib) - ATTRIBUTES[element.tag]
    missing = REQUIRED.get(element.tag, set()) - set(element.attrib)
    if unknown or missing:
        sys.exit(f"{element.tag}: unknown {unknown}, missing {missing}")
    order = [CHILDREN.get(element.tag, []).index(child.tag) for child in element]
    if order != sorted(order):
        sys.exit(f"{element.tag}: wrong order of {[child.tag for child in element]}")
    if "time" in element.attrib and float(element.get("time")) < 0:
        sys.exit(f"{element.tag}: time {element.get('time')}")
    for child in element:
        check(child)


def check_totals(element):
    counts = (len(list(element.iter("testcase"))), len(list(element.iter("failure"))),
              len(list(element.iter("error"))))
    told = tuple(int(element.get(name)) for name in ("tests", "failures", "errors"))
    if counts != told:
        sys.exit(f"{element.get('name')}: tells {told}, has {counts}")
    return counts


def main(path):
    root = ElementTree.parse(path).getroot()
    if root.tag != "testsuites":
        sys.exit(f"the root is {root.tag}")
    check(root)
    for suite in root:
        check_totals(suite)
        if int(suite.get("skipped")) != len(list(suite.iter("skipped"))):
            sys.exit(f"{suite.get('name')}: tells {suite.get('skipped')} skipped")
    cases, failures, errors = check_totals(root)
    kinds = sorted(one.get("type") for one in root.iter() if one.tag in ("failure", "error"))
    print(f"{len(root)} suites, {cases} cases, {failures} failures, {errors} errors",
          *kinds)


if __name__ == "__main__":
    main(sys.argv[1])
