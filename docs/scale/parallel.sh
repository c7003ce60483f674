#!/bin/sh
# GNU parallel over ssh: several machines share the cases, the results come back on the ssh connections (no rsync,
# no common folder). ptybot, the driver and the scenes are at the same place on each.
#     parallel.sh alice,bob,carol 12 dock.yaml --warp max -- ./my_driver >all.ndjson
#     ptybot merge all.ndjson --junit result.xml
# A part that could not be run (exit code 3, or its machine is gone) is tried again, on another
# machine. Failed tests are not a failure of this script: merge reports them.
set -eu
hosts=$1 parts=$2
shift 2
words=$(for word; do printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done)
part='f=$(mktemp) && ptybot test --shard {}/'$parts' --results $f '$words' >&2; c=$?; cat $f; rm -f $f; [ $c -lt 3 ]'
seq "$parts" | parallel --sshlogin "$hosts" --workdir "$PWD" --retries 3 "$part"
