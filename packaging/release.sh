#!/bin/sh
# release.sh X.Y.Z: makes the files of a release in build/dist/X.Y.Z: the sources, Debian packages
# built from them, the changes, checksums. The same commit gives the same bytes, at any place and
# time. If CMakeLists.txt, CHANGELOG.md and the packages of clients/ do not contain the version yet,
# the script only writes it there, for review and commit.
set -eu
cd "$(dirname "$0")/.."
say() { printf '%s\n' "$*" >&2; }
fail() { say "dev: $*"; exit 1; }

version=${1:-}
printf '%s' "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' ||
    fail "a release has a version of three numbers, such as 1.0.0; not '$version'"
[ -e .git ] || fail "not a git repository: a release is made of a commit"
[ -z "$(git status --porcelain)" ] || fail "commit or remove first what git status shows"

# Each place that contains the version: the file, and the beginning and end of its line.
old=
while IFS=@ read -r file begin end; do
    grep -qxF "$begin$version$end" "$file" || old=yes
    sed -i "s/^$begin[0-9][0-9.]*$end\$/$begin$version$end/" "$file"
    grep -qxF "$begin$version$end" "$file" || fail "$file has no line '${begin}X.Y.Z$end'"
done <<'END'
CMakeLists.txt@    VERSION @
clients/node/package.json@  "version": "@",
clients/python/ptybot/__init__.py@__version__ = "@"
END
if [ -n "$old" ] || ! grep -q "^## \[$version\]" CHANGELOG.md; then
    grep -q "^## \[$version\]" CHANGELOG.md ||
        sed -i "s/^## \[Unreleased\]$/&\n\n## [$version] - $(date -u +%F)/" CHANGELOG.md
    git --no-pager diff --stat >&2
    fail "CHANGELOG.md, CMakeLists.txt and the packages of clients/ speak of $version now: look, commit, then ./dev release $version again"
fi

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
out=$PWD/build/dist/$version
rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

git archive --format=tar --prefix="ptybot-$version/" HEAD | gzip -9n >"$out/ptybot-$version.tar.gz"
awk -v head="## [$version]" '/^## \[/ {on = index($0, head) == 1; next} on' CHANGELOG.md |
    sed '/./,$!d' >"$out/ptybot-$version.changes.md"
[ -s "$out/ptybot-$version.changes.md" ] || fail "CHANGELOG.md says nothing about $version"
# Built from the released archive, not from this working tree.
tar -C "$work" -xzf "$out/ptybot-$version.tar.gz"
"$work/ptybot-$version/dev" package >&2
cp "$work/ptybot-$version"/build/package/debian/*.deb "$out/"
(cd "$out" && sha256sum *.deb *.md *.tar.gz >SHA256SUMS)
chmod 644 "$out"/*
ls "$out"/*
