#!/bin/sh
# test.sh FOLDER: `ptybot test` of the scenes TESTS, with the flags ARGUMENTS and, where it is not empty,
# the line of shell DRIVER. Leaves in FOLDER result.xml, report.txt, and in tests/ what tests leave.
set -eu
folder=$1
mkdir -p "$folder"
# shellcheck disable=SC2086 # words are meant
set -- ${TESTS:-tests/} --out "$folder/tests" --junit "$folder/result.xml" ${ARGUMENTS:-}
[ -z "${DRIVER:-}" ] || set -- "$@" -- sh -c "$DRIVER"
code=0
ptybot test "$@" >"$folder/report.txt" 2>&1 || code=$?
cat "$folder/report.txt"
exit $code
