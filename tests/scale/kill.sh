#!/bin/sh
# kill -9 in the middle, ten times, and --resume each time: the same results as those of an
# uninterrupted run.
#     tests/scale/kill.sh [CASES, 400] [bare|host]
set -eu
. "$(dirname "$0")/common.sh"
cases=${1:-400} kind=${2:-bare}
trap 'rm -rf "$work"' EXIT
cd "$work"
lines() { cat runs.ndjson 2>/dev/null | wc -l; }
write_cases "$cases"
eval "set -- $(flags_of "$kind")"
"$ptybot" test cases.yaml "$@" --results one.ndjson >one.txt || true
for try in $(seq 10); do
    before=$(lines)
    setsid "$ptybot" test cases.yaml "$@" --results runs.ndjson --resume >out.txt 2>&1 &
    run=$!
    # Kills the run in the middle, when the file has some more lines.
    while kill -0 $run 2>/dev/null && [ "$(lines)" -lt $((before + cases / 12)) ]; do
        sleep 0.02
    done
    kill -9 $run 2>/dev/null || say "it had ended"
    wait $run 2>/dev/null || true
    say "kill $try: $(wc -l <runs.ndjson) of $((cases + 1)) lines"
done
"$ptybot" test cases.yaml "$@" --results runs.ndjson --resume >out.txt 2>&1 || true
tail -2 out.txt | head -1
same runs.ndjson one.ndjson
for file in runs one; do
    "$ptybot" merge $file.ndjson >$file.table || true
    sed -E 's/[0-9.]+ s//g; s/ +/ /g' $file.table >$file.steady
done
cmp runs.steady one.steady || fail "the tables differ"
say "the same results and table after ten kills, $cases cases ($kind)"
