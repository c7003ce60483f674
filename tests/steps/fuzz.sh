# shellcheck shell=sh
# Fuzz programs: ./dev fuzz.

# run_fuzz [SECONDS [PRESET [NAME[=EXECUTIONS]...]]] | merge [NAME...] | shrink [NAME...] | report: fuzz programs
# of the tree fuzz, flood or msan (tests/fuzz/campaign.py); merges the findings into the corpus in
# git; shrinks it to the inputs that add coverage; reports the totals of all runs.
run_fuzz() {
    campaign() { /usr/bin/python3 tests/fuzz/campaign.py "$@"; }
    need build web test
    case ${1:-} in
    merge | shrink)
        verb=$1
        shift
        build fuzz
        campaign "$verb" build/fuzz "$@"
        ;;
    report)
        need mutate
        # shellcheck disable=SC2046 # words are meant
        build mutants $(campaign programs)
        campaign report build/mutants
        ;;
    *)
        seconds=${1:-60}
        tree=${2:-fuzz}
        [ $# -lt 2 ] || shift
        [ $# -lt 1 ] || shift
        build "$tree"
        campaign "build/$tree" run "$seconds" "$@"
        ;;
    esac
}
