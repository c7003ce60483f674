# Shared by the proofs of this folder. Each is one command, and the default tests contain none of
# them:
#     tests/scale/slurm.sh [CASES] [bare|host]
# PTYBOT names another program than that of build/release.
root=$(cd "$(dirname "$0")/../.." && pwd)
ptybot=${PTYBOT:-$root/build/release/app/ptybot}
work=$(mktemp -d "${TMPDIR:-/tmp}/ptybot-scale-XXXXXX")
export TMPDIR="$work" # what failed tests keep goes with it

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || { say "skipped: $1 is not installed ($2)"; exit 77; }; }

# COUNT cases in $work/cases.yaml: a Kobuki at a random pose, which drives for four seconds with a
# host. Some cases fail.
write_cases() {
    cat >"$work/cases.yaml" <<END
world: {size: {x: 6, y: 6}}
robots: [{name: kobuki, type: kobuki, pose: {x: 3, y: 3}}]
measure:
  - {name: path_m, value: abs(kobuki.speed_m_s), take: integral}
  - {name: dropped, value: kobuki.uart.fault_drops}
expect:
  - {that: "world.time_s > 3.5", within: 60}
  - {that: kobuki.x_m < 5.3, at_end: true}
sweep:
  - kobuki.pose in room x $1
  - kobuki.battery_v = 14..16
  - kobuki.fault uart=drop rate=0..0.05
END
    cat >"$work/drive" <<'END'
exec 3<>$PTYBOT_PORT_KOBUKI
stty raw -echo 115200 <&3
for i in 1 2 3 4; do
    printf '\252\125\006\001\004\310\000\000\000\313' >&3
    sleep 1
done
END
}

# The flags of `ptybot test` for KIND: only worlds, or a host for which simulated time waits.
flags_of() {
    case $1 in
    bare) echo --fast ;;
    host) echo "--warp max --jobs 2 --host '. $work/drive'" ;;
    *) fail "no such kind: $1" ;;
    esac
}

# Checks that both files contain the same results, byte for byte except times, host names and
# resources.
same() { python3 "$root/tests/support/results_say.py" same "$1" "$2" || fail "$1 and $2 differ"; }
