#!/bin/sh
# Runs a driver at every port of a test whose variable begins with PREFIX, all at the same time.
# Exit code 0 only if all succeed. usage: each_port.sh PREFIX HOST [ARGUMENTS...]; the port is the
# first argument
set -u
prefix=$1 host=$2
shift 2
pids=
for port in $(env | sed -n "s/^PTYBOT_PORT_${prefix}[A-Z0-9_]*=//p" | sort -u); do
    "$host" "$port" "$@" &
    pids="$pids $!"
done
code=1
for pid in $pids; do
    wait "$pid" || exit 1
    code=0
done
exit $code
