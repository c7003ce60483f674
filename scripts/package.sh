# shellcheck shell=sh
# Installation and packages: ./dev install, ./dev package.

run_install() {
    need build web
    build package
    cmake --install build/package --prefix "${1:-/usr/local}" >build/install.log ||
        fail "not installed; build/install.log says why"
    say "installed to ${1:-/usr/local}: $(wc -l <build/install.log) files"
}

# run_package: the Debian packages of this tree, in build/package/debian. The same tree gives the
# same bytes: the date in the packages is that of the last commit, or SOURCE_DATE_EPOCH.
run_package() {
    need build web avr package
    # Without a git repository, as in a release, all files have the release's date.
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$({ [ -e .git ] && git log -1 --format=%ct 2>/dev/null; } ||
        stat -c %Y CMakeLists.txt)}
    export SOURCE_DATE_EPOCH
    umask 022 # folders of a package have the rights that this leaves
    build package
    rm -rf build/package/debian
    cpack --config build/package/CPackConfig.cmake -B build/package/debian >build/package.log 2>&1 ||
        { cat build/package.log >&2; fail "no packages"; }
    rm -rf build/package/debian/_CPack_Packages
    ls build/package/debian/*.deb
}
