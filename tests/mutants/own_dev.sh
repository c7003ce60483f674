#!/bin/sh
# Runs a command with its own devices and processes, on files that it cannot change: a mutant that
# runs as root has all permissions, and one mutant has made /dev/null unreadable for all others. The
# command can write to build/ and to its own /tmp.
#   own_dev.sh COMMAND...
set -eu
[ "${1:-}" != within ] || {
    shift
    dev=$(mktemp -d)
    mount -t tmpfs -o mode=755 tmpfs "$dev"
    for name in null zero full random urandom tty ptmx ttyS0; do
        [ ! -e "/dev/$name" ] || cp -a "/dev/$name" "$dev/"
    done
    ln -s /proc/self/fd /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 "$dev/"
    mv "$dev/0" "$dev/stdin"
    mv "$dev/1" "$dev/stdout"
    mv "$dev/2" "$dev/stderr"
    mkdir "$dev/pts" "$dev/shm"
    mount --bind /dev/pts "$dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$dev/shm" # files of killed mutants disappear with the last one
    mount --move "$dev" /dev
    rmdir "$dev"
    mkdir -p build
    mount --bind build build
    case $PWD in
    /tmp/*) mount --bind /tmp /tmp ;;
    *) mount -t tmpfs -o mode=1777 tmpfs /tmp ;;
    esac
    mount -o remount,bind,ro /
    cd "$PWD" # through the new mounts
    "$@" &
    child=$!
    trap 'kill "$child"' INT TERM
    wait "$child"
    exit
}
[ "$(id -u)" -eq 0 ] || exec "$@"
exec unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$0" within "$@"
