# shellcheck shell=sh
# Debian packages of each use, and their installation.

# Debian packages: a use and its packages; a long list has several rows.
packages='
build   gcc libc6-dev cmake ninja-build pkg-config libyaml-dev libjansson-dev libserialport-dev
build   libstb-dev libcmocka-dev libpango1.0-dev libsdl2-dev fonts-dejavu-core
web     clang lld wasi-libc libclang-rt-dev-wasm32 libmicrohttpd-dev zlib1g-dev
avr     libsimavr-dev gcc-avr avr-libc arduino-core-avr
package dpkg-dev file
bare    debootstrap lintian
image   buildah
test    clang ccache libclang-rt-dev libchipmunk-dev xvfb xdotool python3-serial python3-junitparser
test    python3-yaml python3-pytest python3-pytest-xdist mypy python3-pip python3-setuptools
test    python3-venv python3-wheel libxml2-utils default-jre-headless libjssc-java bsh fonts-noto-cjk
test    iproute2 ser2net tshark codespell jq g++ libgtest-dev catch2 nodejs node-typescript
nightly chromium gcovr python3-pytest-cov
picture ffmpeg fonts-noto-cjk
size    cloc
lint    clang clang-format clang-tidy
mutate  python3-clang-14 llvm
held    python3-rospy python3-roslaunch golang-go libpython3.11-testsuite bubblewrap
ros     python3-rostest python3-std-msgs python3-serial rosout
scale   slurmctld slurmd slurm-client munge parallel openssh-server openssh-client jq
'

# missing USE...: prints the packages of these uses that are not installed.
missing() {
    for use; do
        for package in $(printf '%s\n' "$packages" | sed -n "s/^$use //p"); do
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
                "Debian packages hold: $(printf '%s\n' "$packages" | awk '{for (i = 2; i <= NF; i++) print $i}' | sort -u | tr '\n' ' ')"
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
