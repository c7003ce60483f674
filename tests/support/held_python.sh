#!/bin/sh
# held_python.sh PTYBOT: reports failures of Python's own tests of waiting that occur only under a
# held clock.
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
# Fifty threads sleep 10 us each, repeatedly. Each of these waits needs a proof for all threads, so
# one second becomes minutes.
slow='*many_threads*'
# Checks TCP_NODELAY of a new socket, which is always set under a held clock:
# docs/explanation/virtual-time.md, `setsockopt`.
explained='^test_set_nodelay '
failed() { sed -n 's/^\(FAIL\|ERROR\): //p' "$1" | sort -u; }

status=0
for suite in ${SUITES:-threading queue selectors subprocess asyncio}; do
    set -- /usr/bin/python3 -m test --verbose --ignore "$slow" "test_$suite"
    (cd "$work" && "$@" >bare.log 2>&1) || :
    "$ptybot" test "$work/s.yaml" --start now --warp max --host-timeout 1800 --out "$work/out" -- \
        "$@" >"$work/said" 2>&1 || :
    # The suite has ended, and it has run tests.
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
