#!/bin/sh
# held_python.sh PTYBOT: what Python's own tests of waiting find under a held clock and not without it.
# Needs Debian's libpython3.11-testsuite.
set -eu
ptybot=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/s.yaml" <<'END'
world: {size: {x: 10, y: 10}}
robots: [{name: kobuki, type: kobuki, pose: {x: 5, y: 5}}]
expect: [{that: world.time_s >= 0, at_end: true}]
END
# Fifty threads that sleep 10 us each, again and again: each of these waits needs a proof of all threads,
# which makes minutes of a second.
slow='*many_threads*'
# Asks whether a new socket has TCP_NODELAY, which every one has there: docs/explanation/virtual-time.md, `setsockopt`.
explained='^test_set_nodelay '
failed() { sed -n 's/^\(FAIL\|ERROR\): //p' "$1" | sort -u; }

status=0
for suite in ${SUITES:-threading queue selectors subprocess asyncio}; do
    set -- /usr/bin/python3 -m test --verbose --ignore "$slow" "test_$suite"
    (cd "$work" && "$@" >bare.log 2>&1) || :
    "$ptybot" test "$work/s.yaml" --start now --warp max --host-timeout 1800 --out "$work/out" -- \
        "$@" >"$work/said" 2>&1 || :
    # It has come to an end, and it did run tests.
    grep -q '^Result: \|^Tests result: ' "$work/out/host.log" && grep -q ' \.\.\. ok$' "$work/out/host.log" ||
        { echo "test_$suite did not end under the held clock"; tail -n 5 "$work/said"; status=1; }
    failed "$work/bare.log" >"$work/bare"
    failed "$work/out/host.log" >"$work/held"
    new=$(comm -13 "$work/bare" "$work/held" | grep -v "$explained" || :)
    echo "test_$suite: $(grep -c ' \.\.\. ok$' "$work/out/host.log") passed; $(grep '^held\|^not held' "$work/said")"
    [ -z "$new" ] || { echo "only under the held clock: $new"; status=1; }
    rm -rf "$work/out"
done
exit $status
