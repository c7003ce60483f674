# shellcheck shell=sh
# Steps of ./dev nightly on a bare Debian: packages, releases, documents, images, other processors.

# The packages on a bare Debian: installed by its tools, they run, paint, and leave nothing behind.
nightly_package() {
    need bare
    run_package
    lintian --allow-root --fail-on error build/package/debian/*.deb
    mkdir -p build/package/first
    mv build/package/debian/*.deb build/package/first
    rm -rf build/package/app build/package/viewer build/package/clients build/package/packaging
    run_package
    for package in build/package/first/*.deb; do
        cmp "$package" "build/package/debian/${package##*/}"
    done
    rm -rf build/bare
    packaging/bare_root.sh make build/bare
    packaging/bare_root.sh run build/bare sh /src/packaging/try_packages.sh
}

# Two releases of one commit, made in clones at different places under different circumstances and by
# different users, are the same bytes; and the first call for a new version writes it where it belongs,
# and makes nothing.
nightly_release() {
    need build package
    unset CMAKE_C_COMPILER_LAUNCHER # a cache would give both the same objects
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    chmod 711 "$work"
    git clone -q . "$work/one"
    git -C "$work/one" config user.name nobody
    git -C "$work/one" config user.email nobody@localhost
    for told in 'look, commit' 'commit or remove'; do
        if "$work/one/dev" release 99.0.1 2>"$work/said"; then exit 1; fi
        grep "$told" "$work/said"
    done
    [ ! -e "$work/one/build/dist" ]
    git -C "$work/one" commit -qam 'Version 99.0.1'
    "$work/one/dev" release 99.0.1
    mkdir -p "$work/elsewhere/tmp"
    git clone -q "$work/one" "$work/elsewhere/another"
    as_other=
    if [ "$(id -u)" -eq 0 ]; then
        chown -R 65534:65534 "$work/elsewhere"
        as_other='setpriv --reuid=65534 --regid=65534 --clear-groups'
    fi
    (umask 077 && $as_other env TZ=Asia/Tokyo LC_ALL=C HOME="$work/elsewhere" TMPDIR="$work/elsewhere/tmp" \
        "$work/elsewhere/another/dev" release 99.0.1)
    diff -r "$work/one/build/dist" "$work/elsewhere/another/build/dist"
    cd "$work/one/build/dist/99.0.1" || exit
    sha256sum -c SHA256SUMS
    [ "$(wc -l <SHA256SUMS)" -eq $(($(find . -type f | wc -l) - 1)) ] # nothing is left out but itself
    ls ptybot_99.0.1_*.deb ptybot-99.0.1.tar.gz ptybot-99.0.1.changes.md
    dpkg-deb -c python3-ptybot_99.0.1_all.deb | grep 'ptybot-99.0.1.dist-info/METADATA'
    tar -xzOf ptybot-99.0.1.tar.gz ptybot-99.0.1/clients/node/package.json | grep '"version": "99.0.1"'
}

# The documents, as for a reader with a bare Debian and the sources: including commands that
# install, build or take long.
nightly_read() {
    need bare
    packaging/bare_root.sh make build/roots/read
    git clone -q . build/roots/read/ptybot
    packaging/bare_root.sh run build/roots/read /src/packaging/try_documents.sh
}

# Ten tests with pytest on a bare Debian.
nightly_pytest() {
    need bare
    run_package
    packaging/bare_root.sh make build/roots/pytest
    packaging/bare_root.sh run build/roots/pytest /src/packaging/try_pytest.sh
}

# Debian 13, whose C library has other conditions and clocks: packages are built there, installed, and tried with
# virtual time and pytest.
nightly_trixie() {
    need bare
    export PTYBOT_SUITE=trixie
    packaging/bare_root.sh make build/roots/trixie
    git clone -q . build/roots/trixie/home/ptybot-source
    packaging/bare_root.sh run build/roots/trixie /src/packaging/try_trixie.sh
}

# The files for continuous integration, with every package that they install.
nightly_ci() {
    need bare
    packaging/bare_root.sh make build/roots/ci
    git clone -q --bare . build/roots/ci/ptybot.git
    packaging/bare_root.sh run build/roots/ci /src/packaging/try_ci.sh
}

# The images of the Containerfile, on a bare Debian instead of one from a registry.
nightly_image() {
    need bare image
    packaging/bare_root.sh keep
    packaging/try_image.sh
}

nightly_podman() {
    need bare podman
    run_package
    packaging/try_podman.sh
}

# on_arch ARCH: the same bits on another machine: the scenes' tests here, their journals again there.
on_arch() {
    need bare
    build release
    ctest --preset release -R '^scene_' -j2
    build/release/tests/unit/state_hash 2>/dev/null | grep '^seed' >build/release/state_hash
    packaging/bare_root.sh make "build/roots/$1"
    packaging/bare_root.sh run "build/roots/$1" /src/packaging/try_arch.sh "$1"
}

nightly_arm64() { on_arch arm64; }
nightly_i386() { on_arch i386; }
nightly_s390x() { on_arch s390x; }
