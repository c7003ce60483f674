#!/bin/sh
# Runs a command as in a container: separate processes, mounts, network (loopback only) and IPC, 64
# MB of shared memory (the size in Docker), a user without a name or privileges, an empty
# environment. FOLDER becomes that user's, and the command runs in it. Needs root; exits with 77 if
# it cannot create such an environment.
# usage: container.sh FOLDER COMMAND [ARGUMENTS...]
set -u
user=64123 # chosen: a number that no /etc/passwd has
path=/usr/local/bin:/usr/bin:/bin # nothing of whoever calls this

skip() {
    echo "skipped: $1"
    exit 77
}

if [ "$1" = --inside ]; then
    folder=$2
    shift 2
    mount -t tmpfs -o size=64m,mode=1777 tmpfs /dev/shm || skip "no tmpfs may be mounted"
    # The second address leads nowhere (RFC 5737). With only loopback addresses, getaddrinfo with
    # AI_ADDRCONFIG (ser2net) finds no addresses, not even 127.0.0.1.
    ip link set lo up && ip address add 192.0.2.1/32 dev lo || skip "there is no ip (iproute2)"
    cd "$folder" || exit 1
    # Without exec: this shell is the first process and must reap orphans (like docker run --init).
    setpriv --reuid $user --regid $user --clear-groups --inh-caps=-all --bounding-set=-all \
        --no-new-privs env -i PATH="$path" LANG=C.UTF-8 HOME="$folder/home" TMPDIR="$folder/tmp" "$@"
    exit $?
fi
folder=$1
unshare -mpnif true 2>/dev/null || skip "separate namespaces need root"
command -v setpriv >/dev/null || skip "setpriv (util-linux) is not there"
mkdir -p "$folder/home" "$folder/tmp" && chown -R $user:$user "$folder" || exit 1
setpriv --reuid $user --regid $user --clear-groups test -w "$folder" ||
    skip "other users do not come into $folder"
shift
exec unshare -mpnif --mount-proc --propagation private "$0" --inside "$folder" "$@"
