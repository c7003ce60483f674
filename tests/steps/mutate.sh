# shellcheck shell=sh
# Do the tests notice small changes of the product? ./dev mutate.

# run_mutate [FOLDER [COUNT [SEED]] | again [FOLDER] | sanitized [FOLDER] | report]: see tests/mutants/mutate.py.
# The results remain in PTYBOT_MUTANTS (default build/mutants.found).
run_mutate() {
    need build web test mutate
    found=${PTYBOT_MUTANTS:-build/mutants.found}
    tree=mutants
    tool() { tests/mutants/own_dev.sh /usr/bin/python3 tests/mutants/mutate.py build/$tree "$found" "$@"; }
    [ "${1:-}" != report ] || { tool "$@"; return; }
    every='base physics protocols sim pty shim clock'
    case ${1:-all} in
    sanitized)
        tree=mutants-asan
        set -- "${2:-$every}" again
        ;;
    again) set -- "${2:-$every}" again ;;
    all) set -- "$every" 50 1 ;;
    esac
    mkdir -p build
    say "building build/$tree"
    cmake --preset $tree >build/$tree.log 2>&1 || { cat build/$tree.log >&2; fail "cannot configure build/$tree"; }
    # shellcheck disable=SC2046,SC2086 # words are meant
    cmake --build --preset $tree -- --quiet $(tool targets $1)
    for folder in $1; do
        if [ "${2:-}" = again ]; then tool again "$folder"; else tool run "$folder" "${2:-50}" "${3:-1}"; fi
    done
    # shellcheck disable=SC2086 # words are meant
    tool report $1
}
