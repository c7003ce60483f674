#!/bin/sh
# ./dev size: checks that the product is within its budget of code lines, and that a larger product
# would fail with a message that states the excess.
# Skipped (77) without cloc or a clone with git.
set -u
cd "$(dirname "$0")/../.." || exit 1
skip() {
    echo "skipped: $1"
    exit 77
}
command -v git >/dev/null || skip "git is not installed"
command -v cloc >/dev/null || skip "cloc is not installed"
git rev-parse --verify -q HEAD >/dev/null 2>&1 || skip "no git clone here"
./dev size || exit 1
if said=$(./dev size --budget 1 2>&1 >/dev/null); then
    echo "a budget of 1 line has no effect"
    exit 1
fi
case $said in
*" more than the budget of 1: "*) ;;
*)
    echo "the message does not name the excess: $said"
    exit 1
    ;;
esac
