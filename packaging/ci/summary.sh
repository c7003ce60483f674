#!/bin/sh
# summary.sh FOLDER [URL]: prints the results of the tests as Markdown: the diagnoses, a table of
# verdicts, the command that repeats a failed run, and the place of its picture. FOLDER contains
# result.xml, and in tests/ the files of `ptybot test --out`; URL is the public address of the
# folder.
set -eu
folder=$1
url=${2:-}
if [ ! -s "$folder/result.xml" ]; then
    printf '**No test was run**\n\n```text\n%s\n```\n' "$(tail -n 20 "$folder/report.txt" 2>/dev/null)"
    exit 0
fi
# ptybot writes one element per line; Markdown has the same entities as XML.
summary='
function attribute(name) {
    if (!match($0, " " name "=\"[^\"]*\"")) return ""
    return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
}
function cell(text) { gsub(/\|/, "\\|", text); return text }
/<testsuites / {
    bad = attribute("failures") + attribute("errors")
    printf "**%s: %d of %d**\n\n", bad ? "FAILED" : "passed", bad ? bad : attribute("tests"), attribute("tests")
}
/<property name="(driver|wire|scene|machine)\.failure"/ {
    kind = attribute("name"); sub(/\..*/, "", kind)
    printf "- %s: %s failure: %s\n", suite_name, kind, attribute("value")
    has_diagnosis = 1
}
/<testsuite / { suite_name = attribute("name") }
/<testsuite / && attribute("failures") + attribute("errors") > 0 { failed[++count] = attribute("name") }
/<testcase / { suite = attribute("classname"); name = attribute("name"); verdict = "passed"; found = "" }
/<skipped/ { verdict = "skipped" }
/<(failure|error) / { verdict = "**FAILED**"; found = attribute("message") }
/<\/testcase>|<testcase .*\/>/ {
    rows = rows sprintf("| %s | %s | <code>%s</code> | %s |\n", cell(suite), verdict, cell(name), cell(found))
}
END {
    if (has_diagnosis) print ""
    printf "| test | verdict | expected | found |\n|---|---|---|---|\n%s", rows
    for (i = 1; i <= count; i++) print failed[i] >"/dev/stderr"
}'
{ awk "$summary" "$folder/result.xml" 2>&3 | cat; } 3>"$folder/.failed"
while read -r suite; do
    # A single test writes its files directly into the folder.
    place=$folder/tests/$suite
    [ -d "$place" ] || place=$folder/tests
    [ -s "$place/run.journal" ] || continue
    printf '\n%s again, to the byte: `ptybot replay %s/run.journal`\n' "$suite" "$place"
    [ ! -s "$place/replay.html" ] || printf '\nThe run to look at, in any browser: %s/replay.html\n' "$place"
    [ ! -s "$place/failure.png" ] || printf '\nThe world as it was then: %s/failure.png\n' "$place"
done <"$folder/.failed"
rm -f "$folder/.failed"
[ -z "$url" ] || printf '\n[All files of the tests](%s)\n' "$url"
