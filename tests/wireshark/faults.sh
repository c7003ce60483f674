#!/bin/sh
# faults.sh PTYBOT CAPTURE: plants ten faults in a copy of a capture; tshark must report each of
# them.
set -eu
here=$(dirname "$0")
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
times=$("$here/plant_faults.py" "$2" "$copy")
"$here/check_capture.py" "$1" "$copy" --near "$times"
