#!/bin/sh
# --baseline must find a planted regression, from 95 to 80 % passing cases, with 200 new seeds on
# each side, and must report nothing if nothing has changed: each in at least 19 of 20 trials. With
# Fisher's exact test at a level of 1 %, halved by Holm's correction because a measure is tested
# too, the power is 97.9 %, and the probability of a false alarm is below 1 %.
#     tests/scale/baseline.sh [TRIALS, 20] [CASES, 200]
set -eu
. "$(dirname "$0")/common.sh"
trials=${1:-20} cases=${2:-200} seed=1 found=0 silent=0
trap 'rm -rf "$work"' EXIT
cd "$work"

# A link that loses frames: a case passes if none of the 25 of half a second is lost, (1 - RATE)^25.
run() { # RATE FILE: with seeds that nobody has had
    cat >link.yaml <<END
world: {size: {x: 4, y: 4}}
robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]
measure: [{name: lost, value: kobuki.uart.fault_drops, better: less}]
timeline: [{at: 0, do: kobuki.fault uart=drop unit=frame rate=$1}]
expect: [{that: kobuki.uart.fault_drops == 0, always: true}]
END
    code=0
    "$ptybot" test link.yaml --fast --for 0.5 --seeds "$seed..$((seed + cases - 1))" --results "$2" >/dev/null || code=$?
    [ $code -le 1 ] || fail "exit code $code"
    seed=$((seed + cases))
}
passed() { grep -c '"verdict":"passed","code"' "$1"; }
compare() { # NEW: exit code of the comparison
    code=0
    "$ptybot" merge "$1" --baseline old.ndjson >said.txt || code=$?
    [ $code -le 1 ] || fail "exit code $code"
    return $code
}

for trial in $(seq "$trials"); do
    run 0.00205 old.ndjson
    run 0.00205 same.ndjson
    run 0.00889 worse.ndjson
    told=silent
    if compare same.ndjson; then silent=$((silent + 1)); else told=ALARM; fi
    if compare worse.ndjson; then told="$told, MISSED"; else told="$told, found"; found=$((found + 1)); fi
    say "$trial: $(passed old.ndjson), $(passed same.ndjson), $(passed worse.ndjson) of $cases: $told"
done
say "found in $found of $trials, silent in $silent of $trials ($cases cases each)"
[ $((20 * found)) -ge $((19 * trials)) ] || fail "the regression was missed"
[ $((20 * silent)) -ge $((19 * trials)) ] || fail "an alarm for nothing"
