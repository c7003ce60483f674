#!/bin/sh
# scenes.sh BUILD: checks tshark's output for the recordings that the tests of all scenes have left
# in a build tree. Exits with 1 if any differs, or if a scene has no recording.
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
