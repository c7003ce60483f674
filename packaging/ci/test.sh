#!/bin/sh
# test.sh FOLDER: `ptybot test` of the scenes TESTS, with the flags ARGUMENTS and, if it is not
# empty, the shell command DRIVER. Writes to FOLDER result.xml, report.txt, and in tests/ the files
# of the tests.
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
