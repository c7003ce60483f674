#!/bin/sh
# Tries the recipes of docs/how-to/recipes.md like a user who has installed ptybot.
# usage: try.sh install BUILD FOLDER     installs the tree BUILD below FOLDER, which is emptied first
#        try.sh cmake|pkg-config|robot|node|python|ros FOLDER   with the installation there
#        try.sh lines                    counts them, and compares them with the document
# Exit 77: the tool of the recipe is not installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)

fail() { echo "$*"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
has() { command -v "$1" >/dev/null || skip "there is no $1"; }

# Installs below DESTDIR, as for a package, in a prefix that is not the tree's prefix.
try_install() {
    rm -rf "$2"
    mkdir -p "$2"
    DESTDIR=$2/root cmake --install "$1" --prefix /opt/robots >"$2/install.log"
}

use() {
    work=$1
    prefix=$work/root/opt/robots
    export PATH="$prefix/bin:$PATH"
    unset PTYBOT PTYBOT_CONTROL
    # GNUInstallDirs has lib, lib64 or lib/<triplet>.
    lib=$(dirname "$(dirname "$(find "$prefix" -name ptybot.pc)")")
}

# find_package, from a separate project.
try_cmake() {
    use "$1"
    has c++
    for header in gtest/gtest.h catch2/catch.hpp cmocka.h; do
        printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$header" | c++ -E -x c++ - >/dev/null 2>&1 ||
            skip "there is no $header"
    done
    cmake -S "$here" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$work/cmake.log"
    grep -q "^PTYBOT_PROGRAM:[A-Z]*=$prefix/bin/ptybot" "$work/cmake/CMakeCache.txt"
    # Catch2 only in `./dev nightly test`: its header takes eight seconds to compile.
    if [ -n "${PTYBOT_ALL_CASES:-}" ]; then
        cmake --build "$work/cmake"
        set --
    else
        cmake --build "$work/cmake" --target bumper_gtest bumper_cmocka
        set -- -E catch2
    fi
    # In a shell that has no ptybot in PATH: CTest knows where it is.
    PATH=${PATH#*:} ctest --test-dir "$work/cmake" --output-on-failure "$@"
    grep -q 'tests="2"' "$work/cmake/ptybot/shell.xml" # the host and its serial settings
}

# pkg-config, static and shared; the headers with strict compiler settings.
try_pkg_config() {
    use "$1"
    has pkg-config
    export PKG_CONFIG_PATH="$lib/pkgconfig"
    flags="-std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror"
    # shellcheck disable=SC2046,SC2086 # words are meant
    {
        cc $flags "$here/bumper_cmocka.c" -o "$work/shared" $(pkg-config --cflags --libs ptybot) -lcmocka
        cc $flags "$here/bumper_cmocka.c" -o "$work/static" $(pkg-config --cflags ptybot) \
            "$lib/libptybot_client.a" $(pkg-config --static --libs-only-l ptybot | sed s/-lptybot_client//) -lcmocka
        for header in client.h client.hpp; do
            echo "#include <ptybot/$header>" | c++ -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Werror \
                -fsyntax-only -x c++ $(pkg-config --cflags ptybot) -
        done
    }
    objdump -p "$work/shared" | grep -q 'NEEDED *libptybot_client.so.1'
    LD_LIBRARY_PATH=$lib "$work/shared"
    "$work/static"
}

# A robot in C outside the tree, from the template to a square: find_package, the object, its journal.
try_robot() {
    use "$1"
    has python3
    rm -rf "$work/robot"
    mkdir -p "$work/robot"
    cd "$work/robot"
    ptybot new robot my_robot >/dev/null
    cd my_robot
    cmake -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" >../cmake.log
    cmake --build build
    ! ptybot check scene.yaml 2>../refused || fail "check has loaded code"
    grep -q 'scene.yaml:6:21: type: .*--allow-code' ../refused
    ptybot check --allow-code scene.yaml
    ptybot test scene.yaml --warp max --journal ../journal --out ../out || fail "no square"
    ! ptybot replay ../journal 2>../refused || fail "replay has loaded code"
    ptybot replay --allow-code ../journal | grep -q 'the same [0-9]* bytes to drivers'
    echo '/* other code */ int another;' >>my_robot.c
    cmake --build build
    ! ptybot replay --allow-code ../journal 2>../refused || fail "replay has taken another object"
    grep -q 'the object has changed since the recording' ../refused
    cd ..
    ! ptybot new robot my_robot 2>refused || fail "new has overwritten a robot"
    grep -q 'cannot make the folder my_robot: File exists' refused
    ptybot new robot in_python --python >/dev/null
    cd in_python
    ptybot check scene.yaml in_python.yaml
    PYTHONPATH="$prefix/share/ptybot/clients/python" ptybot test scene.yaml --warp max --out ../python_out ||
        fail "no square in Python"
}

# The package as npm makes it, in a separate project: the recipe, the package's own tests, its
# types.
try_node() {
    use "$1"
    has node
    has npm
    rm -rf "$work/node"
    mkdir -p "$work/node"
    cd "$work/node"
    export npm_config_cache="$work/node/cache" npm_config_offline=true npm_config_update_notifier=false
    npm pack --silent "$prefix/share/ptybot/clients/node"
    echo '{"private": true}' >package.json
    npm install --silent --no-audit --no-fund ./ptybot-*.tgz
    cp "$here/bumper.test.mjs" "$source"/tests/node/* .
    node --test .
    command -v tsc >/dev/null || { echo "there is no tsc: the types are not checked"; return; }
    cp types.mts types.ts
    cat >tsconfig.json <<'END'
{"compilerOptions": {"noEmit": true, "strict": true, "target": "es2022", "lib": ["es2022", "dom"], "types": [],
    "module": "node16", "moduleResolution": "node16"}, "files": ["types.ts", "types.mts"]}
END
    tsc -p .
}

# The package that is installed with ptybot.
try_python() {
    use "$1"
    /usr/bin/python3 -c 'import pytest, serial' 2>/dev/null || skip "there is no pytest or pyserial"
    PYTHONPATH="$prefix/share/ptybot/clients/python" PYTHONDONTWRITEBYTECODE=1 \
        /usr/bin/python3 -m pytest -q -p ptybot.pytest_plugin -p no:cacheprovider "$here/test_bumper.py"
}

# ROS 1 by Debian's packages, with the Python that they are for.
try_ros() {
    use "$1"
    PATH=/usr/bin:$PATH
    has rostest
    rm -rf "$work/ros"
    export ROS_HOME="$work/ros" ROS_PACKAGE_PATH="$here/ros1:/usr/share" ROS_HOSTNAME=localhost
    ptybot test kobuki --warp off -- rostest ptybot_recipe bumper.test
    grep 'tests="1"' "$ROS_HOME"/test_results/ptybot_recipe/rosunit-bumper.xml | grep -q 'failures="0"'
}

# count FILE: the lines of its test, without those that open and close it.
count() {
    case $1 in
    *.c | *.cpp) awk '/^{/ { inside = 1; next } /^}/ && inside { exit } inside && NF { n++ } END { print n }' "$1" ;;
    *.mjs) awk '/^test\(/ { inside = 1; next } /^}/ { exit } inside && NF { n++ } END { print n }' "$1" ;;
    *.py) awk '/^def / { inside = 1; next } inside && NF { n++ } END { print n }' "$1" ;;
    *.sh) grep -cv '^#' "$1" ;;
    esac
}

# How a document fences it.
language() {
    case $1 in
    *.c) echo c ;;
    *.cpp) echo cpp ;;
    *.mjs) echo js ;;
    *.py) echo python ;;
    *.sh) echo sh ;;
    *.txt) echo cmake ;;
    *.test) echo xml ;;
    esac
}

# shows FILE: the document contains all of FILE as one block.
shows() {
    awk -v fence="\`\`\`$(language "$1")" '
        NR == FNR { wanted = wanted $0 "\n"; next }
        $0 == fence { block = ""; inside = 1; next }
        /^```/ { if (inside && block == wanted) found = 1; inside = 0; next }
        inside { block = block $0 "\n" }
        END { exit !found }' "$1" "$source/docs/how-to/recipes.md"
}

try_lines() {
    version=$(sed -n 's/^ *VERSION \([0-9.]*\)$/\1/p' "$source/CMakeLists.txt")
    grep -q "\"version\": \"$version\"" "$source/clients/node/package.json" || fail "clients/node: not of version $version"
    for file in "$here/CMakeLists.txt" "$here"/*bumper* "$here"/ros1/bumper.test "$here"/ros*/*.py; do
        shows "$file" || fail "docs/how-to/recipes.md does not show ${file##*/} unchanged"
    done
    for file in "$here"/ros*/*.py; do
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$file"
    done
    for file in "$here"/*bumper*; do
        lines=$(count "$file")
        echo "$lines lines: ${file##*/}"
        [ "$lines" -ge 3 ] && [ "$lines" -le 6 ] || fail "${file##*/}: a test of $lines lines; it promises 6"
    done
}

kind=$1
shift
case $kind in
install) try_install "$@" ;;
cmake) try_cmake "$@" ;;
pkg-config) try_pkg_config "$@" ;;
robot) try_robot "$@" ;;
node) try_node "$@" ;;
python) try_python "$@" ;;
ros) try_ros "$@" ;;
lines) try_lines ;;
esac
