#!/bin/sh
# lidar.sh PTYBOT SCENE FOLDER: records a host that sends every request to an RPLIDAR A1, in each
# scan mode, with damaged capsules and a reset; then runs check_capture.py.
set -eu
here=$(dirname "$0")
ptybot=$1 scene=$2 out=$3
host='exec 3<>"$PTYBOT_PORT_LIDAR" && stty raw -echo 115200 <&3
cat <&3 >/dev/null & reader=$!
say() { printf "$1" >&3; sleep "$2"; }
say "\245\120\245\122\245\131" 0.1
say "\245\204\4\160\0\0\0\125\245\204\6\177\0\0\0\1\0\131" 2.5
say "\245\40" 1
say "\245\120" 0.2
say "\245\45\245\202\5\1\0\0\0\0\43" 2
say "\245\120" 0.2
say "\245\202\5\2\0\0\0\0\40" 2
say "\245\100" 1
say "\245\120" 0.3
kill $reader'
mkdir -p "$out"
"$ptybot" test "$scene" --start now --warp max --out "$out" --for 60 --set "do=lidar.spoil count=3" \
    -- sh -c "$host" >"$out/said.txt" ||
    { cat "$out/said.txt"; exit 1; }
"$here/check_capture.py" "$ptybot" "$out/run.pcapng" --signals "$out/signals.csv"
