# shellcheck shell=sh
# Code lines of the product: ./dev size.

# Maximum number of code lines. Chosen: a reader must be able to find a way through them.
size_budget=96000

# run_size [--files] [--budget LINES]: code lines of each folder (two levels) and in total, without tests, documents, scenes
# and packaging; fails if the total is above the budget. --files: source files of each folder instead.
run_size() {
    what=lines
    budget=$size_budget
    while [ $# -gt 0 ]; do
        case $1 in
        --files) what=files ;;
        --budget)
            budget=${2:-}
            printf '%s' "$budget" | grep -qxE '[0-9]+' || fail "--budget takes a number of lines, not '$budget'"
            shift
            ;;
        *) fail "size has no option '$1'; there are: --files, --budget LINES" ;;
        esac
        shift
    done
    command -v cloc >/dev/null || need size
    listed=$(git ls-files) || fail "size needs a clone with git: it counts the files that git tracks"
    # One row for each file: language,path,blank,comment,code.
    printf '%s\n' "$listed" | grep -vE '^(tests|docs|scenes|packaging)/|\.md$|^LICENSE' |
        cloc --quiet --by-file --csv --list-file=- | awk -F, -v what=$what -v budget="$budget" '
        $5 !~ /^[0-9]+$/ || $1 == "SUM" { next }
        {
            depth = split($2, parts, "/")
            folder = depth == 1 ? "." : parts[1] (depth == 2 ? "" : "/" parts[2])
            count = what == "files" ? 1 : $5
            counts[folder] += count
            total += count
        }
        END {
            for (folder in counts) printf "%7d  %s\n", counts[folder], folder | "sort -k 2"
            close("sort -k 2")
            printf "%7d  %s in total\n", total, what
            if (total == 0) { print "dev: cloc found no code" >"/dev/stderr"; exit 1 }
            if (what == "lines" && total > budget) {
                printf "dev: %d code lines are %d more than the budget of %d: remove code before you add code\n",
                    total, total - budget, budget >"/dev/stderr"
                exit 1
            }
        }'
}
