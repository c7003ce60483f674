#!/bin/sh
# In a bare Debian (bare_root.sh), after the tests of the scenes in build/release: the program for
# another processor, cross-built, and run under qemu if this processor cannot run it. Its tests must
# pass, and its state must equal that of amd64 to the bit, also for the recordings of the tests of
# all scenes (if the byte order is the same).
#   try_arch.sh arm64     64 bits
#   try_arch.sh i386      32 bits, on this processor
#   try_arch.sh s390x     big-endian
set -eu
say() { printf '%s\n' "$*" >&2; }
arch=$1
case $arch in
arm64) emulator=qemu-aarch64 ;;
i386) emulator= ;;
s390x) emulator=qemu-s390x ;;
*) say "try_arch.sh: no such processor: $arch"; exit 2 ;;
esac
cd /src
dpkg --add-architecture "$arch"
apt-get -qq update
# shellcheck disable=SC2086 # words are meant
apt-get -qq -y --no-install-recommends install cmake ninja-build "crossbuild-essential-$arch" pkg-config \
    ${emulator:+qemu-user} file libyaml-dev:"$arch" libjansson-dev:"$arch" libserialport-dev:"$arch" libstb-dev:"$arch" \
    libcmocka-dev:"$arch" libchipmunk-dev:"$arch" libpango1.0-dev:"$arch" libsdl2-dev:"$arch" \
    fonts-dejavu-core >/dev/null
cmake --preset "$arch" >"build/$arch.log"
cmake --build --preset "$arch" -- --quiet
# Excludes the tests of the sources, and the test of the build folder. Under qemu-user 7.2 it also
# excludes unsupported functions: settings of a pseudo-terminal by TCSETS2 (all tests that open
# one), TCP_INFO (qemu returns four bytes of it: linux-user/syscall.c, do_getsockopt), preloaded
# libraries, programs that a test starts, system calls in /proc.
without='gates|words|pages|layers.*|style.*|links|docs|proof|build_id_catch|test_warp'
[ -z "$emulator" ] ||
    without="$without|test_control.*|test_pty_.*|test_tty_mode|test_link_.*|test_links|test_tcp_link|test_uart_.*|test_idle_proof.*|test_external_peers|test_hold|test_host_.*|test_serial_shim.*|test_clock_shim.*|test_out_of_memory"
ctest --preset "$arch" -L 'fast|thorough|sources' -E "^($without)\$" -j "$(nproc)" >"build/$arch/ctest.log" 2>&1 ||
    { grep -v ' Passed \|^ *Start ' "build/$arch/ctest.log" >&2; exit 1; }
grep 'tests passed' "build/$arch/ctest.log" >&2

$emulator "build/$arch/tests/unit/state_hash" 2>/dev/null | grep '^seed' >"build/$arch/state_hash"
if [ "$arch" = s390x ]; then
    # The state hash covers memory in the byte order of the machine. With another byte order, only
    # the events can be equal, and a machine can only replay its own journals, which the tests have
    # done.
    for machine in release "$arch"; do sed 's/: [0-9a-f]*//' "build/$machine/state_hash" >"build/$machine/state_hashes"; done
    cmp build/release/state_hashes "build/$arch/state_hashes"
    say "the same collisions on $arch and amd64"
    exit
fi
cmp build/release/state_hash "build/$arch/state_hash"
scenes=0
for scene in scenes/*.yaml; do
    name=$(basename "$scene" .yaml)
    journal=build/release/tests/e2e/scenes/$name/run.journal
    $emulator "build/$arch/app/ptybot" replay "$journal" >"build/$arch/said" 2>&1 ||
        { cat "build/$arch/said" >&2; say "$name: $arch departs from amd64"; exit 1; }
    tail -n 1 "build/$arch/said"
    scenes=$((scenes + 1))
done
say "the same state on $arch and amd64 in $scenes scenes"
