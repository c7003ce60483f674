# shellcheck shell=sh
# Pictures of the documentation, and expected pictures of the tests: ./dev picture, ./dev update-golden.

# picture_window FILE: the window while a robot docks, its panel with two plots.
picture_window() {
    work=$(mktemp -d)
    started=
    trap 'kill $started 2>/dev/null || :; rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    Xvfb -screen 0 1280x800x24 -nolisten tcp -displayfd 3 -noreset 3>"$work/display" 2>/dev/null &
    started=$!
    until [ -s "$work/display" ]; do sleep 0.1; done
    DISPLAY=:$(cat "$work/display") SDL_AUDIODRIVER=dummy
    export DISPLAY SDL_AUDIODRIVER
    build/release/app/ptybot run scenes/kobuki_dock.yaml --view --link "kobuki=$work/kobuki" --control "$work/control" \
        >"$work/said" 2>&1 &
    started="$! $started"
    until xdotool search --name Kobuki >"$work/said" 2>&1; do sleep 0.1; done
    sleep 3 # chosen: until it is painted
    # Opens the tab of signals and selects two signals.
    for point in '1005 126' '960 232' '960 385'; do
        # shellcheck disable=SC2086 # words are meant
        xdotool mousemove $point sleep 0.5 click 1 sleep 0.5
    done
    build/release/tests/hosts/kobuki_dock "$work/kobuki" >/dev/null &
    started="$! $started"
    build/release/app/ptybot ctl --control "$work/control" wait 'kobuki.speed_m_s > 0.04 and kobuki.x_m > 4.95' --within 100
    build/release/app/ptybot ctl --control "$work/control" pause
    xdotool mousemove 640 790 sleep 2
    ffmpeg -loglevel error -y -f x11grab -draw_mouse 0 -video_size 1280x800 -i "$DISPLAY" -frames:v 1 "$1"
}

# picture_page FILE: a docking in one file, in a browser, with two plots.
picture_page() {
    work=$(mktemp -d)
    # shellcheck disable=SC2016
    build/release/app/ptybot test scenes/kobuki_dock.yaml --out "$work/out" --warp max -- sh -c \
        'build/release/tests/hosts/kobuki_dock "$PTYBOT_PORT_KOBUKI"' >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "the robot has not docked"; }
    build/release/app/ptybot replay "$work/out/run.journal" --html "$work/page.html" >"$work/said"
    node tests/viewer/page_picture.mjs "$work/page.html" "$1"
    rm -rf "$work"
}

# run_picture: regenerates the pictures of the documentation: of the robots, of the window, of the
# page, and docs/docking.gif from a run where the host of the demo docks. Look at them before you
# commit them.
run_picture() {
    need build web test nightly picture
    build release
    build/release/app/ptybot shot docs/robots.yaml -o docs/robots.svg --at 0.5 --size 1400x480
    say "a host docks before the window; this takes about 40 seconds"
    (picture_window docs/window.png)
    picture_page docs/page.png
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # Time waits for the host and for the painter: no picture is missing, however busy the machine is.
    # shellcheck disable=SC2016
    build/release/app/ptybot test scenes/kobuki_dock.yaml --warp max --frames "$work/frames" --fps 5 --size 720x440 \
        --around dock --span 2.9 -- sh -c 'build/release/tests/hosts/kobuki_dock "$PTYBOT_PORT_KOBUKI" && sleep 2' \
        >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "the robot has not docked"; }
    # Played three times as fast as the run.
    ffmpeg -loglevel error -y -framerate 15 -i "$work/frames/frame-%06d.png" -filter_complex \
        'split[a][b];[a]palettegen=max_colors=192:stats_mode=diff[p];[b][p]paletteuse=dither=none:diff_mode=rectangle' \
        docs/docking.gif
    say "docs/robots.svg docs/window.png docs/page.png docs/docking.gif"
}

# run_update_golden: rewrites the expected pictures of the tests from the current ones, and the pages of the messages.
run_update_golden() {
    need build web test
    build release
    PTYBOT_UPDATE_GOLDEN=1 ctest --preset release -L viewer --output-on-failure >build/update_golden.log ||
        { cat build/update_golden.log >&2; fail "the tests of pictures fail in another way"; }
    build/release/app/ptybot describe --markdown >/dev/null
    git status --short tests/viewer docs/protocols
}
