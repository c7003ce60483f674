#!/bin/sh
# A Kobuki that docks from anywhere in the light of its dock, by the driver of this repository under held time: how often,
# how fast, from where. Leaves docking.ndjson and docking.html in the current folder.
#     tests/scale/docking.sh [STARTS, 2000] [JOBS, 2]
set -eu
. "$(dirname "$0")/common.sh"
starts=${1:-2000} jobs=${2:-2} here=$PWD
trap 'rm -rf "$work"' EXIT
host=$(dirname "$ptybot")/../tests/hosts/kobuki_dock
[ -x "$host" ] || fail "build it first: $host"
sed '/^expect:/,$d' "$root/scenes/kobuki_dock.yaml" >"$work/docking.yaml"
cat >>"$work/docking.yaml" <<'END'
measure:
  - {name: docked_s, value: world.time_s, when: kobuki.charging == true, better: less}
  - {name: path_m, value: abs(kobuki.speed_m_s), take: integral}
  - {name: turned_deg, value: abs(kobuki.turn_deg_s), take: integral}
  - {name: refused, value: kobuki.uart.bad_frames}
expect:
  - {that: kobuki.charging == true, within: 180}
  - {that: kobuki.collisions == 0, always: true, stop: no}
END
cd "$work"
begin=$(date +%s)
"$ptybot" test docking.yaml --vary "kobuki.pose in light(dock) x $starts" --warp max --jobs "$jobs" \
    --results "$here/docking.ndjson" --resume --html "$here/docking.html" -- "$host" "{kobuki}" >docking.txt || true
tail -2 docking.txt
took=$(($(date +%s) - begin))
say "$starts starts in $took s"
jq -s -r 'map(select(.type == "case")) | (map(.measures.docked_s | select(. != null)) | sort) as $t |
    "docked \($t | length) of \(length); median \($t[($t | length) / 2 | floor]) s, slowest \($t[-1]) s"' "$here/docking.ndjson"
