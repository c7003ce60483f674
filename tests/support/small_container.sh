#!/bin/sh
# Runs ptybot in a minimal environment: 4 KB of shared memory, 26 descriptors, a read-only home, no
# XDG_RUNTIME_DIR, a user without a name, no /proc. Each attempt must end without a signal, with
# code 0 or 3, and a failure must print its reason. Exits with 77 if such an environment cannot be
# created.
# usage: small_container.sh PTYBOT FOLDER (for its files; emptied first)
set -u
nobody=64123 # chosen: a number that no /etc/passwd has

skip() {
    echo "skipped: $1"
    exit 77
}

as_nobody() {
    setpriv --reuid $nobody --regid $nobody --clear-groups --inh-caps=-all --bounding-set=-all \
        env -i PATH="$PATH" HOME="$home" TMPDIR="$folder/tmp" "$@"
}

# One attempt: the allowed exit codes, a text that it must print, and its arguments.
failed=0
try() {
    codes=$1 text=$2
    shift 2
    as_nobody timeout -k 5 60 sh -c 'cd "$HOME" && ulimit -n '"$descriptors"' && exec "$@"' \
        "$ptybot" "$ptybot" "$@" >"$said" 2>&1
    code=$?
    problem=
    case " $codes " in
    *" $code "*) ;;
    *) problem="code $code, not one of: $codes" ;;
    esac
    [ $code -ne 3 ] || grep -Eq '^ptybot: error: .*: .*[a-z]|^ +ERROR .*: .*[a-z]' "$said" || problem="no reason is given"
    grep -q "$text" "$said" || problem="it does not say: $text"
    [ -z "$problem" ] || failed=1
    echo "$descriptors descriptors, ptybot $*: code $code. $problem"
    [ -z "$problem" ] || cat "$said"
}

inside() {
    home=$folder/home said=$folder/said
    mkdir "$home" "$folder/tmp" && chmod 1777 "$folder/tmp" || exit 1
    as_nobody test -x "$ptybot" || skip "other users may not run $ptybot"
    printf '%s\n' 'world: {size: {x: 4, y: 4}}' \
        'robots: [{type: kobuki, name: kobuki, pose: {x: 2, y: 2, heading: 0}}]' \
        'expect: [{that: kobuki.x_m >= 0, always: true}]' >"$home/scene.yaml"
    mount -t tmpfs -o size=4k,mode=1777 tmpfs /dev/shm || skip "no tmpfs may be mounted"
    mount --bind "$home" "$home" && mount -o remount,bind,ro "$home" || skip "no bind mounts"
    umount -l /proc || skip "/proc cannot be taken away"
    for descriptors in 26 16 12 9 6; do
        codes="0 3" text=ptybot
        [ $descriptors -lt 26 ] || codes=0 text="no modem lines"
        try "$codes" "$text" run kobuki --for 0.5 --fast
        try "$codes" "$text" test scene.yaml --for 0.5
        try "$codes" "$text" test scene.yaml --host-timeout 20 \
            -- sh -c 'exec 3<>"$PTYBOT_PORT_KOBUKI"; stty raw -echo 115200 <&3'
        try "0 3" ptybot test scene.yaml --warp 2 --host-timeout 20 -- true
    done
    exit $failed
}

case $1 in
--inside)
    ptybot=$2 folder=$3
    inside
    ;;
esac
ptybot=$1 folder=$2
unshare -m true 2>/dev/null || skip "separate mounts need root"
command -v setpriv >/dev/null || skip "setpriv (util-linux) is not there"
rm -rf "$folder"
mkdir -p "$folder" && chmod 755 "$folder" || exit 1
exec unshare -m --propagation private "$0" --inside "$ptybot" "$folder"
