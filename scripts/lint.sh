# shellcheck shell=sh
# Layout and static analysis: ./dev format, ./dev lint; and wording: ./dev words.

sources() {
    find base physics protocols pty sim app viewer include clients tests \( -name '*.c' -o -name '*.h' \) 2>/dev/null | sort
}

# tidy FILES [OPTION...]: clang-tidy on the .c files of the list FILES that the tree knows.
tidy() {
    files=$1
    shift
    # shellcheck disable=SC2016
    printf '%s\n' "$files" | while read -r file; do
        ! grep -q "/$file\"" build/lint/compile_commands.json || printf '%s\n' "$file"
    done | xargs -n 8 -P "$(nproc)" clang-tidy -p build/lint --quiet "$@" 2>/dev/null
}

# changed_sources: the .c files that changed since the branch began or, on main, since the newest commit that is a
# day older than HEAD; and those whose header changed. All of them if git does not know such a commit.
changed_sources() {
    since=$(git merge-base HEAD origin/main 2>/dev/null) || since=
    [ "$since" != "$(git rev-parse HEAD 2>/dev/null)" ] || since=
    [ -n "$since" ] || since=$(git rev-list -1 --before=$(($(git log -1 --format=%ct 2>/dev/null || echo 0) - 86400)) HEAD 2>/dev/null) || since=
    if [ -z "$since" ]; then
        sources | grep '\.c$'
        return
    fi
    { git diff --name-only "$since"; git ls-files --others --exclude-standard; } | sed -n 's/\.[ch]$/.c/p' | sort -u |
        while read -r file; do
            [ ! -f "$file" ] || printf '%s\n' "$file"
        done
}

# run_lint [quick]: checks the layout of the sources, and runs clang-tidy with its analyzer;
# quick: without the analyzer, which takes four fifths of the time, and only in recently changed
# files. It uses a separate build tree, where only the generated headers are built.
run_lint() {
    need build web test lint
    status=0
    sources | xargs clang-format --dry-run -Werror || status=1
    mkdir -p build
    { cmake --preset release -B build/lint -DPTYBOT_ONLY_READ=ON && cmake --build build/lint --target ptybot_generated; } \
        >build/lint.log 2>&1 || { cat build/lint.log >&2; fail "cannot configure build/lint"; }
    if [ "${1:-}" = quick ]; then
        tidy "$(changed_sources)" '--checks=-clang-analyzer-*' || status=1
    else
        tidy "$(sources | grep '\.c$')" || status=1
    fi
    [ $status -eq 0 ] || fail "lint has findings"
}

# run_words [OPTIONS of tests/words/words.py]: without options fails if text for readers has an odd phrase or a
# misspelled word, or if comments have more odd phrases than before; --write lowers the limit of comments.
run_words() {
    [ $# -gt 0 ] || set -- --gate
    case $1 in
    --gate | --write) set -- "$1" tests/words/baseline.json ;;
    esac
    /usr/bin/python3 tests/words/words.py . "$@"
}
