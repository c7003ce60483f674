#!/bin/sh
# Runs a command with a loopback network of its own, in which every address and port is free and
# allowed. Exit 77 where that cannot be had. usage: own_network.sh COMMAND [ARGUMENTS...]
set -u
if [ "$1" = --inside ]; then
    shift
    ip link set lo up || exit 77
    exec "$@"
fi
if ! unshare -n true; then
    echo "skipped: a separate network needs root"
    exit 77
fi
exec unshare -n "$0" --inside "$@"
