#!/bin/sh
# Runs a command with devices of its own: to a mutant of the links that runs as root nothing is refused, and one has made
# /dev/null unreadable for all others.
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
    mount -t tmpfs -o mode=1777 tmpfs "$dev/shm" # what killed ones leave goes with the last
    mount --move "$dev" /dev
    rmdir "$dev"
    exec "$@"
}
[ "$(id -u)" -eq 0 ] || exec "$@"
exec unshare --mount --propagation private "$0" within "$@"
