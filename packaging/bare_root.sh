#!/bin/sh
# A bare Debian 12 in a folder, for checks that must not depend on this machine. Needs root.
# PTYBOT_SUITE: another release, by its name.
#   bare_root.sh keep                     one in build/roots/bookworm.tar, which is fetched once a week
#   bare_root.sh make FOLDER              a fresh one
#   bare_root.sh run FOLDER COMMAND...    in it, with its own processes, mounts and terminals, the
#                                         network of this machine, and this repository at /src,
#                                         where only build/ is writable
set -eu
sources=$(cd "$(dirname "$0")/.." && pwd)

suite=${PTYBOT_SUITE:-bookworm}
kept=$sources/build/roots/$suite.tar

keep_root() {
    mkdir -p "$sources/build/roots"
    if [ -z "$(find "$kept" -mtime -7 2>/dev/null)" ]; then # chosen: Debian 12 changes every few months
        work=$(mktemp -d "$sources/build/roots/making.XXXXXX")
        debootstrap --variant=minbase "$suite" "$work"
        rm -f "$work"/var/cache/apt/archives/*.deb
        tar -C "$work" -cf "$work.tar" .
        mv "$work.tar" "$kept"
        rm -rf "$work"
    fi
}

make_root() {
    keep_root
    rm -rf --one-file-system "$1"
    mkdir -p "$1"
    tar -C "$1" -xf "$kept"
    chmod 755 "$1" # for all users in it
}

# Runs in a separate mount and process namespace.
enter_root() {
    root=$1
    shift
    mount --bind "$root" "$root" # whoever makes namespaces in it needs a file system at its top
    mkdir -p "$root/src"
    mount --bind "$sources" "$root/src"
    mount -o remount,bind,ro "$root/src"
    mount --bind "$sources/build" "$root/src/build"
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys" # as any container has
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
    ln -sf pts/ptmx "$root/dev/ptmx"
    cp /etc/resolv.conf "$root/etc/"
    exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}

verb=$1
shift
case $verb in
keep) keep_root ;;
make) make_root "$1" ;;
run) exec unshare --mount --pid --fork --propagation private "$0" enter "$@" ;;
enter) enter_root "$@" ;;
esac
