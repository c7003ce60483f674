# shellcheck shell=sh
# Measurements and endurance: ./dev bench, ./dev soak.

run_bench() {
    need build web test
    build release
    [ -x build/release/tests/bench/bench ] || fail "build/release/tests/bench/bench is not built"
    case ${1:-} in
    fidelity* | view* | page* | tap* | capture* | decode* | held* | private* | home* | firmware* | avr* | curve*) ;;
    *) build/release/tests/bench/bench "$@" ;;
    esac
    case ${1:-wire} in
    wire*) build/release/tests/bench/wire_bench build/release/app/ptybot "${PTYBOT_BENCH_PICTURE:-build/lateness.svg}" "${1:-}" ;;
    esac
    case ${1:-} in
    curve*) build/release/tests/bench/robot_curve "${PTYBOT_BENCH_PICTURE:-build/cost.svg}" ;;
    esac
    case ${1:-view} in
    view*) [ ! -x build/release/tests/bench/bench_view ] || build/release/tests/bench/bench_view ;;
    esac
    case ${1:-private} in
    private*)
        build/release/tests/bench/private_start build/release/app/ptybot
        PTYBOT=$PWD/build/release/app/ptybot PYTHONPATH=$PWD/clients/python PYTHONDONTWRITEBYTECODE=1 \
            /usr/bin/python3 tests/bench/private_python.py
        ;;
    esac
    case ${1:-tap} in
    tap*) build/release/tests/bench/tap_delay build/release/app/ptybot build/release/pty/libptybot_shim.so ;;
    esac
    case ${1:-page} in
    page*) [ ! -x build/release/viewer/ptybot-web ] || node tests/bench/bench_page.mjs build/release/app/ptybot "${1:-page}" ;;
    esac
    case ${1:-capture} in
    capture* | decode*) build/release/tests/bench/bench_capture "${1:-}" ;;
    esac
    case ${1:-held} in
    held*) build/release/tests/bench/bench_held build/release/app/ptybot ;;
    esac
    case ${1:-firmware} in
    firmware*) build/release/tests/bench/firmware_cost ;;
    esac
    case ${1:-avr} in
    avr*) [ ! -x build/release/tests/bench/avr_bare ] || /usr/bin/python3 tests/bench/avr_cost.py build/release/app/ptybot build/release/tests/bench/avr_bare ;;
    esac
    case ${1:-home} in
    home*) build/release/tests/bench/home_map ;;
    esac
    case ${1:-fidelity} in
    fidelity*) build/release/tests/unit/test_fidelity 2>/dev/null | grep "^${1:-fidelity}" ;;
    esac
}

# run_soak MINUTES [FOLDER] | report [FOLDER]: one more piece of an endurance run
# (tests/soak/soak.py), and a report on all pieces in FOLDER (default build/soak).
run_soak() {
    pieces=${2:-build/soak}
    [ "${1:-}" != report ] || { /usr/bin/python3 tests/soak/soak.py report "$pieces"; return; }
    need build web test
    build release
    /usr/bin/python3 tests/soak/soak.py build/release/app/ptybot build/release/tests/soak/soak_host "${1:-10}" "$pieces"
}
