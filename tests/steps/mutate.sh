# shellcheck shell=sh
# Do the tests notice small changes of the product? ./dev mutate.

# run_mutate [FOLDER [COUNT [SEED]] | again [FOLDER] | report]: see tests/mutants/mutate.py.
# The results remain in PTYBOT_MUTANTS (default build/mutants.found).
run_mutate() {
    need build web test mutate
    found=${PTYBOT_MUTANTS:-build/mutants.found}
    tool() { tests/mutants/own_dev.sh /usr/bin/python3 tests/mutants/mutate.py build/mutants "$found" "$@"; }
    [ "${1:-}" != report ] || { tool "$@"; return; }
    mkdir -p build
    say "building build/mutants"
    cmake --preset mutants >build/mutants.log 2>&1 || { cat build/mutants.log >&2; fail "cannot configure build/mutants"; }
    case ${1:-all} in
    again) set -- "${2:-base physics protocols sim pty}" again ;;
    all) set -- 'base physics protocols sim pty' 50 1 ;;
    esac
    # shellcheck disable=SC2046,SC2086 # words are meant
    cmake --build --preset mutants -- --quiet $(tool targets $1)
    for folder in $1; do
        if [ "${2:-}" = again ]; then tool again "$folder"; else tool run "$folder" "${2:-50}" "${3:-1}"; fi
    done
    # shellcheck disable=SC2086 # words are meant
    tool report $1
}
