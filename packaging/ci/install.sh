#!/bin/sh
# Installs ptybot on a machine of a continuous integration: installs the packages in
# build/package/debian if a cache has kept them and they belong to these sources; otherwise builds
# them.
# PICTURES=false: without the picture and the page of a failed test. With `identity`, only prints
# the identity of these sources.
set -eu
cd "$(dirname "$0")/../.."
identity=$(find . \( -path ./.git -o -path ./build \) -prune -o -type f -print0 | LC_ALL=C sort -z |
    xargs -0 sha256sum | sha256sum | cut -c 1-16)-$(. /etc/os-release && echo "$ID-${VERSION_ID:-}")-$(uname -m)
if [ "${1:-}" = identity ]; then
    echo "$identity"
    exit 0
fi
if [ "$(cat build/package/debian/identity 2>/dev/null)" != "$identity" ]; then
    ./dev package
    echo "$identity" >build/package/debian/identity
fi
set -- ./build/package/debian/ptybot_*.deb
[ "${PICTURES:-true}" != true ] || set -- "$@" ./build/package/debian/ptybot-picture_*.deb \
    ./build/package/debian/ptybot-web_*.deb fonts-dejavu-core
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
$as_root apt-get -qq update
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" >/dev/null
ptybot --version
