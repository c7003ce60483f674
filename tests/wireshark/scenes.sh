#!/bin/sh
# scenes.sh BUILD: what tshark sees in the recordings that the tests of all scenes have left in a build
# tree. Ends with 1 if any differs, or if a scene has left none.
set -eu
here=$(dirname "$0")
failed=0
for scene in "$here"/../../scenes/*.yaml; do
    name=$(basename "$scene" .yaml)
    left=$1/tests/e2e/scenes/$name
    printf '%s: ' "$name"
    "$here/check_capture.py" "$1/app/ptybot" "$left/run.pcapng" --signals "$left/signals.csv" ||
        failed=1
done
exit $failed
