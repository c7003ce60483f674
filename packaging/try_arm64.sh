#!/bin/sh
# In a bare Debian (bare_root.sh), after the tests of the scenes in build/release: the program for
# arm64, cross-built and run under qemu. Its tests pass, its state is that of amd64 to the bit, in what
# the tests of all scenes have recorded too.
set -eu
say() { printf '%s\n' "$*" >&2; }
cd /src
dpkg --add-architecture arm64
apt-get -qq update
apt-get -qq -y --no-install-recommends install cmake ninja-build crossbuild-essential-arm64 pkg-config \
    qemu-user file libyaml-dev:arm64 libjansson-dev:arm64 libserialport-dev:arm64 libstb-dev:arm64 \
    libcmocka-dev:arm64 libchipmunk-dev:arm64 libpango1.0-dev:arm64 libsdl2-dev:arm64 \
    fonts-dejavu-core >/dev/null
cmake --preset arm64 >build/arm64.log
cmake --build --preset arm64 -- --quiet
# Without what qemu-user 7.2 cannot do: settings of a pseudo-terminal by TCSETS2 (all tests that open one),
# preloaded libraries, programs that a test starts; and without the tests of the sources.
without='test_control.*|test_pty_.*|test_uart_link|test_quiet|test_serial_shim.*|test_clock_shim.*|test_warp'
without="$without|test_out_of_memory|pages|layers.*|style.*|links|docs|build_id_catch"
ctest --preset arm64 -L fast -E "^($without)\$" -j "$(nproc)" >build/arm64/ctest.log 2>&1 ||
    { grep -v ' Passed \|^ *Start ' build/arm64/ctest.log >&2; exit 1; }
grep 'tests passed' build/arm64/ctest.log >&2

qemu-aarch64 build/arm64/tests/unit/state_hash 2>/dev/null | grep '^seed' >build/arm64/state_hash
cmp build/release/state_hash build/arm64/state_hash
scenes=0
for scene in scenes/*.yaml; do
    name=$(basename "$scene" .yaml)
    journal=build/release/tests/e2e/scenes/$name/run.journal
    qemu-aarch64 build/arm64/app/ptybot replay "$journal" >build/arm64/said 2>&1 ||
        { cat build/arm64/said >&2; say "$name: arm64 departs from amd64"; exit 1; }
    tail -n 1 build/arm64/said
    scenes=$((scenes + 1))
done
say "the same state on arm64 and amd64 in $scenes scenes"
