#!/bin/sh
# In a bare Debian (bare_root.sh), after ./dev package: the steps of a user who installs the
# packages.
set -eux
cp /src/build/package/debian/*.deb /
refuses() { if "$@"; then exit 1; fi; } # what follows `!` never ends a shell
apt-get -qq update
apt-get -qq -y --no-install-recommends install /ptybot_*.deb
refuses ls /usr/lib/*/libSDL2* # headless is headless
cd /tmp
ptybot --version
ptybot run kobuki --for 0.5
ptybot check kobuki_dock epuck2_maze
refuses ptybot shot kobuki_room -o room.png 2>said
grep -q 'install the package ptybot-picture' said
refuses ptybot test kobuki --view -- true 2>said
zcat /usr/share/man/man1/ptybot-run.1.gz | grep -q SYNOPSIS
apt-get -qq -y --no-install-recommends install /ptybot-picture_*.deb fonts-dejavu-core
ptybot shot kobuki_room -o room.png
test -s room.png
apt-get -qq -y --no-install-recommends install /ptybot-viewer_*.deb
refuses ptybot test kobuki --view -- true 2>said
grep -q DISPLAY said
refuses ptybot run kobuki --web --for 0.5 2>said
grep -q 'install the package ptybot-web' said
apt-get -qq -y --no-install-recommends install /ptybot-web_*.deb
ptybot run kobuki --web --for 1 2>said
grep -q 'its page: http://127.0.0.1:' said
# Packages for building tests in C and C++.
apt-get -qq -y --no-install-recommends install /libptybot-*.deb gcc libc6-dev libcmocka-dev pkg-config
# shellcheck disable=SC2046 # words are meant
cc /src/tests/recipes/bumper_cmocka.c -o bumper $(pkg-config --cflags --libs ptybot) -lcmocka
./bumper
apt-get -qq -y purge ptybot
refuses ls /usr/bin/ptybot
refuses ls /usr/share/ptybot
