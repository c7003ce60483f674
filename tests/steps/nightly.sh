# shellcheck shell=sh
# ./dev nightly: tests that are too slow for ./dev test. Each step is a function nightly_STEP, here or in nightly_*.sh,
# and runs in its own shell, so that a failed step does not end the others.

nightly_steps="test held busy wireshark tap poll decode lint tsan coverage fuzz msan container bench \
page python package pytest trixie read ci release image podman arm64 i386 s390x ros scale \
compilers soak mutants avr map"

# run_nightly [STEP...]: those steps, or all; then which of them failed.
run_nightly() {
    # shellcheck disable=SC2086 # words are meant
    [ $# -gt 0 ] || set -- $nightly_steps
    for step; do
        case " $nightly_steps $(held_names | tr '\n' ' ') " in
        *" $step "*) ;;
        *) fail "there is no nightly step '$step'; there are: $nightly_steps; parts of held:" \
            "$(held_names | tr '\n' ' ')" ;;
        esac
    done
    # shellcheck disable=SC2046 # words are meant
    set -- $(for step; do if [ "$step" = held ]; then held_names; else echo "$step"; fi; done)
    need build web test lint nightly
    mkdir -p build/nightly
    failed=
    for step; do
        began=$(date +%s)
        verdict=passed
        # Its words go to a file; an errexit inside a condition would be switched off.
        ./dev "$step"-of-nightly >"build/nightly/$step.log" 2>&1 || { verdict=FAILED; failed="$failed $step"; }
        say "$(printf '%-9s %s after %d s' "$step" $verdict $(($(date +%s) - began)))"
        grep ' equal\|dockings passed\|beside 20 busy programs$\|^[a-z]*\.sh: .*the same' "build/nightly/$step.log" >&2 || :
        [ $verdict = passed ] || tail -n 30 "build/nightly/$step.log" >&2
    done
    [ -z "$failed" ] || fail "failed:$failed; the whole of it is in build/nightly"
}

# With the cases that ./dev test leaves out: see tests/support/sample.h.
nightly_test() {
    PTYBOT_ALL_CASES=1
    export PTYBOT_ALL_CASES
    run_test
}
nightly_lint() { run_lint; }
nightly_bench() { run_bench; }
nightly_map() { run_map; }

# An hour of endurance; ./dev soak does more of it.
nightly_soak() { run_soak "${PTYBOT_SOAK_MINUTES:-60}" build/nightly/soak; }

nightly_fuzz() { run_fuzz "${PTYBOT_FUZZ_SECONDS:-600}"; }

# Finds reads of uninitialized memory; short, since fuzz has found the inputs.
nightly_msan() { run_fuzz "${PTYBOT_FUZZ_SECONDS:-60}" msan; }

# New mutants in addition to the known ones; the results remain.
nightly_mutants() {
    PTYBOT_MUTATE_SECONDS=${PTYBOT_MUTATE_SECONDS:-1800}
    PTYBOT_MUTANTS=build/nightly/mutants
    export PTYBOT_MUTATE_SECONDS PTYBOT_MUTANTS
    for folder in base physics protocols sim pty shim clock; do run_mutate $folder 2000; done
    run_mutate app 1000
}

# Recordings of all scenes, as their tests left them.
nightly_wireshark() {
    build release
    ctest --preset release -R '^scene_' -j2
    tests/wireshark/scenes.sh build/release
}

# Ten minutes of a robot and its driver with a tap between: the same bytes at both ends.
nightly_tap() {
    build release
    PTYBOT_TAP_SECONDS=${PTYBOT_TAP_SECONDS:-600} build/release/tests/e2e/test_e2e_tap a_long_drive*
}

# Ten minutes of three PIBOT boards, polled 20, 100 and 1,000 times a second.
nightly_poll() {
    build release
    PTYBOT_POLL_SECONDS=${PTYBOT_POLL_SECONDS:-605} build/release/tests/e2e/test_diff_board a_long_polling*
}

# Recordings of 20 MB to 2 GB are decoded in the same memory.
nightly_decode() {
    build release
    # shellcheck disable=SC2016
    build/release/app/ptybot test kobuki --for 20 --warp max --out build/nightly/decode -- \
        sh -c 'cat "$PTYBOT_PORT_KOBUKI"' >/dev/null || :
    tests/support/decode_large.py build/release/app/ptybot build/nightly/decode/run.pcapng 20 200 2000
}

# The sanitizer has its own condition variables, which no preloaded library can replace: the test of
# condition variables is excluded.
nightly_tsan() {
    build tsan
    ctest --preset tsan -L 'fast|thorough|sources' -E test_clock_shim_threads
}

# Coverage of the leaves and of the folders that join them.
nightly_coverage() {
    build coverage
    ctest --preset coverage -L 'fast|thorough|sources'
    gcovr --root . --filter '(base|physics|protocols|sim)/' --print-summary build/coverage |
        tail -n 3 >&2
}

# Coverage of the Python package by its own tests, also in the pytest sessions that they start.
nightly_python() {
    build release
    cd clients/python || exit
    PTYBOT=$OLDPWD/build/release/app/ptybot PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1 \
        COVERAGE_FILE=$OLDPWD/build/nightly/python.coverage /usr/bin/python3 -m pytest -q \
        --basetemp="$OLDPWD/build/nightly/python" --cov="$PWD/ptybot" --cov-branch --cov-report=term \
        --cov-fail-under=90
}

# The suite as a user without rights in a small container, in a copy of the tree (which any user may
# come into, unlike some homes).
nightly_container() {
    tree=$(mktemp -d "${TMPDIR:-/tmp}/ptybot-container.XXXXXX")
    trap 'rm -rf "$tree"' EXIT
    chmod 755 "$tree"
    git ls-files -z | xargs -0 cp --parents -t "$tree"
    # Without programs in the user's home, which other users may not run.
    PATH=/usr/local/bin:/usr/bin:/bin CCACHE_BASEDIR=$tree "$tree/dev" build release
    tests/support/container.sh "$tree" ctest --preset release
}

# A sketch on an AVR: the replies to 10,000 lines are those of the built-in robot; a square; speed.
nightly_avr() {
    need build avr
    build release
    PTYBOT_SKETCH_LINES=${PTYBOT_SKETCH_LINES:-10000} build/release/tests/e2e/test_e2e_arduino
    PTYBOT_SKETCH_LINES=1 build/release/tests/e2e/test_e2e_arduino_api
}

# The pages in Chromium, all of them: also what axe-core finds, and pictures at all sizes, to be looked at.
nightly_page() {
    build release
    PTYBOT_PAGE_WASM=$PWD/build/release/viewer/page.wasm PTYBOT_NODE_DIR=$PWD/build/release/tests/node \
        PTYBOT_PAGE_PICTURES=$PWD/build/nightly/page node tests/viewer/page_use.mjs "$PWD/build/release/app/ptybot" all
    node tests/viewer/page_hostile.mjs "$PWD/build/release/app/ptybot"
    PTYBOT_NODE_DIR=$PWD/build/release/tests/node node tests/viewer/replay_use.mjs "$PWD/build/release/app/ptybot" "$PWD/build/nightly/replay"
    build/release/app/ptybot test scenes/ten_kobukis.yaml scenes/kobuki_dock.yaml --fast --for 2 --seeds 1..20 --html build/nightly/report.html || true
    PTYBOT_NODE_DIR=$PWD/build/release/tests/node node tests/viewer/report_use.mjs "$PWD/build/nightly/report.html" "$PWD/build/nightly/report"
    # A minute of each scene in WebAssembly.
    PTYBOT_PLAYER_S=60 build/release/tests/viewer/test_player
}

# Each compiler with each optimization: no warning, the fast tests pass, and the state is the same to the bit.
nightly_compilers() {
    build release
    build/release/tests/unit/state_hash 2>/dev/null | grep '^seed' >build/release/state_hash
    for compiler in gcc clang; do
        for level in -O0 -O2 -O3; do
            tree=build/compilers/$compiler$level
            cmake -G Ninja -B "$tree" -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=$level
            cmake --build "$tree" -- --quiet
            ctest --test-dir "$tree" -L 'fast|thorough|sources' -j "$(nproc)" --output-on-failure
            "$tree/tests/unit/state_hash" 2>/dev/null | grep '^seed' | cmp build/release/state_hash
            echo "$compiler $level: the same state, equal"
        done
    done
}

# The recipe for ROS 1, by Debian's packages of it.
nightly_ros() {
    need ros
    build release
    sh tests/recipes/try.sh install build/release "$PWD/build/recipes"
    sh tests/recipes/try.sh ros "$PWD/build/recipes"
}

# Many machines and many cases, a few for each script; a script that cannot run here reports it and
# passes.
nightly_scale() {
    need scale
    build release
    for call in 'slurm 240 bare' 'slurm 60 host' 'parallel 240 bare' 'parallel 60 host' 'kill 240 bare' 'kill 60 host' \
        baseline 'docking 20'; do
        # shellcheck disable=SC2086 # words are meant
        set -- $call
        script=$PWD/tests/scale/$1.sh
        shift
        (cd build/nightly && "$script" "$@") || [ $? -eq 77 ]
    done
}
