# shellcheck shell=sh
# Debian packages of each use, and their installation.

# Debian packages: use, package.
packages='
build  gcc
build  libc6-dev
build  cmake
build  ninja-build
build  pkg-config
build  libyaml-dev
build  libjansson-dev
build  libserialport-dev
build  libstb-dev
build  libcmocka-dev
build  libpango1.0-dev
build  libsdl2-dev
build  fonts-dejavu-core
web    clang
web    lld
web    wasi-libc
web    libclang-rt-dev-wasm32
web    libmicrohttpd-dev
web    zlib1g-dev
avr    libsimavr-dev
avr    gcc-avr
avr    avr-libc
avr    arduino-core-avr
package dpkg-dev
package file
bare debootstrap
bare lintian
image buildah
test   clang
test   ccache
test   libclang-rt-dev
test   libchipmunk-dev
test   xvfb
test   xdotool
test   python3-serial
test   python3-junitparser
test   python3-yaml
test   python3-pytest
test   python3-pytest-xdist
test   mypy
test   python3-pip
test   python3-setuptools
test   python3-venv
test   python3-wheel
test   libxml2-utils
test   default-jre-headless
test   libjssc-java
test   bsh
test   fonts-noto-cjk
test   iproute2
test   ser2net
test   tshark
test   codespell
test   jq
test   g++
test   libgtest-dev
test   catch2
test   nodejs
nightly chromium
test   node-typescript
picture ffmpeg
picture fonts-noto-cjk
size   cloc
lint   clang
lint   clang-format
lint   clang-tidy
nightly gcovr
mutate python3-clang-14
mutate llvm
held   python3-rospy
held   python3-roslaunch
held   golang-go
held   libpython3.11-testsuite
held   bubblewrap
ros    python3-rostest
ros    python3-std-msgs
ros    python3-serial
ros    rosout
nightly python3-pytest-cov
scale  slurmctld
scale  slurmd
scale  slurm-client
scale  munge
scale  parallel
scale  openssh-server
scale  openssh-client
scale  jq
'

# missing USE...: prints the packages of these uses that are not installed.
missing() {
    for use; do
        printf '%s\n' "$packages" | while read -r row_use package; do
            [ "$row_use" = "$use" ] || continue
            dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
                printf '%s ' "$package"
        done
    done
}

# need USE...: installs the missing packages of these uses; without apt, prints what to install.
need() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        for tool in gcc cmake ninja pkg-config; do
            command -v $tool >/dev/null || fail "there is no apt here; install by hand what these" \
                "Debian packages hold: $(printf '%s\n' "$packages" | awk 'NF {print $2}' | sort -u | tr '\n' ' ')"
        done
        return
    fi
    wanted=$(missing "$@")
    [ -n "$wanted" ] || return 0
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "run as root: apt-get install $wanted"
        as_root=sudo
    fi
    say "installing $wanted"
    log=$(mktemp)
    # shellcheck disable=SC2086 # words are meant
    if ! $as_root apt-get -qq update </dev/null ||
        ! progress "$log" $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get -y --no-install-recommends install $wanted </dev/null; then
        tail -n 20 "$log" >&2
        fail "apt-get could not install $wanted"
    fi
    rm -f "$log"
    # Debian starts these packages as services. They are not needed here: the tests start their own.
    for service in ser2net:ser2net slurmctld:slurmctld slurmd:slurmd munge:munge openssh-server:ssh; do
        case " $wanted" in
        *" ${service%:*} "*) ! command -v systemctl >/dev/null || $as_root systemctl -q disable --now "${service#*:}" || : ;;
        esac
    done
}
