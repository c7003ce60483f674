#!/bin/sh
# release.sh X.Y.Z: what is given away of a version, in build/dist/X.Y.Z: the sources, Debian packages
# built of them, what has changed, checksums. The same commit gives the same bytes, wherever and
# whenever that is. Where the version is not in CMakeLists.txt, CHANGELOG.md and the packages of clients/
# yet, writes it there instead, for somebody to look at and commit.
set -eu
cd "$(dirname "$0")/.."
say() { printf '%s\n' "$*" >&2; }
fail() { say "dev: $*"; exit 1; }

version=${1:-}
printf '%s' "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' ||
    fail "a release has a version of three numbers, such as 1.0.0; not '$version'"
[ -e .git ] || fail "not a git repository: a release is made of a commit"
[ -z "$(git status --porcelain)" ] || fail "commit or remove first what git status shows"

# Each place that tells the version: the file, and how its line begins and ends.
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
# Built from what is given away, not from what lies here.
tar -C "$work" -xzf "$out/ptybot-$version.tar.gz"
"$work/ptybot-$version/dev" package >&2
cp "$work/ptybot-$version"/build/package/debian/*.deb "$out/"
(cd "$out" && sha256sum *.deb *.md *.tar.gz >SHA256SUMS)
chmod 644 "$out"/*
ls "$out"/*
