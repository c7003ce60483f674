# shellcheck shell=sh
# Steps of ./dev nightly on a busy machine, and in virtual time: held, busy.

# Virtual time: each host runs fifty times, and fifty times together with twenty busy programs; all
# runs must give one sequence of bytes. Each part is also a step: name, load, tests (of
# test_e2e_same unless a file is named).
held_parts='
held_told        idle  tests/e2e/test_e2e_held
held_waits       idle  each_wait*
held_c           idle  drivers_that* drivers_of_threads* drivers_over* a_driver_that_has*
held_threads     idle  drivers_whose_threads_race a_driver_with_channels*
held_python      idle  drivers_in_python a_driver_on_pyserial
held_node        idle  *node
held_asking      idle  a_driver_that_never*
held_java        idle  drivers_on_jssc
held_ros         idle  nodes_of_ros
held_c_busy      busy  drivers_that* drivers_of_threads* drivers_over* a_driver_that_has*
held_threads_busy busy drivers_whose_threads_race a_driver_with_channels*
held_python_busy busy  drivers_in_python a_driver_on_pyserial
held_node_busy   busy  *node
held_asking_busy busy  a_driver_that_never*
held_java_busy   busy  drivers_on_jssc
held_ros_busy    busy  nodes_of_ros
held_eight       idle  eight*
held_docking     busy  load_changes* a_good_driver*
held_suites      idle  tests/support/held_python.sh
'

held_names() { printf '%s\n' "$held_parts" | awk 'NF {print $1}'; }

# held_part NAME: that row.
held_part() {
    need held
    build release
    PTYBOT_HELD_RUNS=${PTYBOT_HELD_RUNS:-50}
    set -f
    # shellcheck disable=SC2046 # words are meant
    set -- $(printf '%s\n' "$held_parts" | awk -v name="$1" '$1 == name')
    PTYBOT_HELD_LOAD=$2
    PTYBOT_TIMEOUT_FACTOR=$((20 / $(nproc) + $(timeout_factor)))
    export PTYBOT_HELD_RUNS PTYBOT_HELD_LOAD PTYBOT_TIMEOUT_FACTOR
    shift 2
    for test; do
        case $test in
        *.sh) "$test" build/release/app/ptybot ;;
        */*) "build/release/$test" ;;
        *) build/release/tests/e2e/test_e2e_same "$test" ;;
        esac
    done
}

# The tests of both trees with twenty busy loops running, eight at a time, which make it busier
# still and take half as long as four. The passed tests are recorded for the commit: the step stops
# after PTYBOT_NIGHTLY_SECONDS (without it: never), and the next call continues there.
nightly_busy() {
    need build web test
    end=$(($(date +%s) + ${PTYBOT_NIGHTLY_SECONDS:-1000000}))
    passed=build/nightly/busy-$(git rev-parse HEAD)
    touch "$passed"
    PTYBOT_TIMEOUT_FACTOR=$((28 / $(nproc) + $(timeout_factor)))
    export PTYBOT_TIMEOUT_FACTOR
    for preset in release asan; do build $preset; done
    loops='' failed=''
    trap 'kill $loops 2>/dev/null || :' EXIT
    trap 'exit 130' INT TERM
    while [ "$(echo "$loops" | wc -w)" -lt 20 ]; do
        sh -c 'while kill -0 "$1" 2>/dev/null; do i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done; done' \
            loop $$ &
        loops="$loops $!"
    done
    for preset in release asan; do
        ctest --preset $preset -N | sed -n 's/^ *Test *#\([0-9]*\): .*/\1/p' >build/nightly/busy.all
        left=$(sed -n "s/^$preset //p" "$passed" | grep -vxFf - build/nightly/busy.all | paste -sd, -)
        [ -n "$left" ] || continue
        count=$(echo "$left" | tr , '\n' | wc -l)
        timeout --foreground -s INT $((end > $(date +%s) ? end - $(date +%s) : 1)) \
            ctest --preset $preset -j8 -I "0,0,0,$left" --output-on-failure >build/nightly/busy.log 2>&1 || :
        sed -n "s|^ *[0-9]*/$count Test *#\\([0-9]*\\): .* Passed .*|$preset \\1|p" build/nightly/busy.log >>"$passed"
        say "$preset: $(grep -c "^$preset " "$passed") of $(grep -c . build/nightly/busy.all)" \
            "have passed together with 20 busy programs"
        [ "$(grep -c "^$preset " "$passed")" -eq "$(grep -c . build/nightly/busy.all)" ] ||
            { failed="$failed $preset"; grep -v ' Passed \|^ *Start ' build/nightly/busy.log >&2; }
    done
    [ -z "$failed" ] || fail "$failed: call it again to continue"
}
