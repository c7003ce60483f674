#!/bin/sh
# chunks.sh PTYBOT HOST FOLDER: records a Kobuki whose link delivers single bytes, so that no block
# of the recording contains a frame; then runs check_capture.py. Also checks that the virtual robot
# does not differ from its own recording, but differs from a robot with another battery.
set -eu
here=$(dirname "$0")
ptybot=$1 host=$2 out=$3
mkdir -p "$out"
cat >"$out/chunks.yaml" <<'END'
world: {size: {x: 9, y: 4}}
robots: [{name: kobuki, type: kobuki, pose: {x: 1, y: 2}, links: [{pty: kobuki, chunks: byte}]}]
END
"$ptybot" test "$out/chunks.yaml" --warp max --out "$out" -- "$host" '{kobuki}' 150 200 0 >"$out/said.txt" ||
    { cat "$out/said.txt"; exit 1; }
"$here/check_capture.py" "$ptybot" "$out/run.pcapng" --signals "$out/signals.csv"
"$ptybot" compare "$out/run.pcapng" "$out/chunks.yaml" >"$out/same.txt" || { cat "$out/same.txt"; exit 1; }
if "$ptybot" compare "$out/run.pcapng" "$out/chunks.yaml" --set kobuki.battery_v=14.5 >"$out/other.txt"; then
    echo "a different battery is not reported" && exit 1
fi
grep battery "$out/other.txt"
