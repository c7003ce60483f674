# shellcheck shell=sh
# Demonstrations: ./dev demo, ./dev try.

# The programs ./dev demo shows: scene and host have one name, kobuki_...; create is create2_dock.
demos='dock square create'

# print_truth_of_dock FILE, print_truth_of_square FILE: FILE contains the robot's signals before and
# after, and the output of the host. The first prints the outcome for the robot, the second the
# error of the odometry.
print_truth_of_dock() {
    awk '
    /^(kobuki|create|world)\./ { sub(/^(kobuki|create)\./, "robot."); value[$1, ++count[$1]] = $2 }
    END {
        contact = value["robot.dock_contact", 2]
        printf "In truth its pads %s the pins of the dock, after %.1f s and %d collisions; ",
            contact ? "touch" : "do not touch", value["world.time_s", 2] - value["world.time_s", 1],
            value["robot.collisions", 2]
        printf "its charge goes from %.2f to %.2f %% in %.0f s.\n", 100 * value["robot.charge", 2],
            100 * value["robot.charge", 3], value["world.time_s", 3] - value["world.time_s", 2]
        exit !contact
    }' "$1"
}

print_truth_of_square() {
    awk '
    /^kobuki\./ { value[$1, ++count[$1]] = $2 }
    /^By its odometry/ { gsub(",", ""); believed_x = $10; believed_y = $13; believed = $16 }
    function moved(name) { return value["kobuki." name, 2] - value["kobuki." name, 1] }
    END {
        turn = value["kobuki.heading_deg", 1] * atan2(0, -1) / 180
        x = moved("x_m") * cos(turn) + moved("y_m") * sin(turn)
        y = moved("y_m") * cos(turn) - moved("x_m") * sin(turn)
        printf "In truth it has come to x %.3f m, y %.3f m, heading %.1f degrees: ", x, y,
            moved("heading_deg")
        printf "the odometry is off by %.0f mm and %.1f degrees.\n",
            1000 * sqrt((x - believed_x) ^ 2 + (y - believed_y) ^ 2), moved("heading_deg") - believed
    }' "$1"
}

# run_map NAME SCENE BASE SCANNER HOST: a TurtleBot makes a map of the office from its odometry and
# its scanner; fails unless 95 % of the walls that it has seen are within 0.1 m of the truth.
run_map() {
    need build
    build release ptybot "$5"
    said=$(mktemp -d)
    code=0
    say "a $1 drives through the office for a minute of simulated time"
    build/release/app/ptybot test "scenes/$2.yaml" --out "$said" -- sh -c "exec \"\$0\" \"\$PTYBOT_PORT_$3\" \"\$PTYBOT_PORT_$4\" \"\$@\"" \
        "build/release/tests/hosts/$5" scenes/maps/office.yaml build/map.png || code=$?
    cat "$said/host.log"
    rm -rf "$said"
    [ $code -eq 0 ] || fail "the map is wrong"
    say "the map that it made: build/map.png"
}

# run_demo [NAME]: one of the demos; without NAME, the first.
run_demo() {
    [ "${1:-}" != map ] || { run_map "TurtleBot 2" kobuki_lidar KOBUKI LIDAR lidar_map; return; }
    [ "${1:-}" != burger ] || { run_map "TurtleBot3 Burger" turtlebot3_burger TURTLEBOT3_BURGER LDS_01 turtlebot3_map; return; }
    case " $demos " in
    *" ${1:-${demos%% *}} "*) demo=kobuki_${1:-${demos%% *}} robot=kobuki ;;
    *) fail "there is no demo '$1'; there are: $demos map burger" ;;
    esac
    [ "$demo" != kobuki_create ] || demo=create2_dock robot=create
    need build
    build release ptybot "$demo"
    work=$(mktemp -d)
    ptybot=
    # If ptybot did not start, there is no process to end. When ptybot ends, it removes its link.
    trap '[ -z "$ptybot" ] || { kill "$ptybot" && wait "$ptybot"; } 2>/dev/null || :; rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    # The same scene with its link at a private path, so that two demos do not interfere.
    build/release/app/ptybot run "scenes/$demo.yaml" --link "$robot=$work/$robot" --control "$work/control" >"$work/said" 2>&1 &
    ptybot=$!
    tries=0
    until [ -e "$work/$robot" ] && [ -e "$work/control" ]; do
        kill -0 "$ptybot" 2>/dev/null || { cat "$work/said" >&2; fail "ptybot ended at its start"; }
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "no link after ten seconds"
        sleep 0.1
    done
    say "a virtual robot waits at the serial port $work/$robot; the host $demo opens it"
    where() {
        build/release/app/ptybot ctl --control "$work/control" \
            get world.time_s "$robot.x_m" "$robot.y_m" "$robot.heading_deg" "$robot.charge" \
            "$robot.dock_contact" "$robot.collisions" >>"$work/output"
    }
    where
    # A pipe hides the exit code, so a file carries it.
    { "build/release/tests/hosts/$demo" "$work/$robot"; echo $? >"$work/code"; } | tee -a "$work/output"
    where
    [ "$(cat "$work/code")" -eq 0 ] || fail "the host has failed"
    # Shows that the simulation continues without the host: the battery charges.
    [ "$demo" = kobuki_square ] || { sleep 5; where; }
    "print_truth_of_${demo#*_}" "$work/output"
    say "see it in a browser: ./dev try"
}

# run_try: a page in one file that can be passed on, where every reader can drive a Kobuki.
run_try() {
    need build web
    build release ptybot
    build/release/app/ptybot shot docs/try.yaml -o build/try.html
    say "open this in any browser, on any machine: $PWD/build/try.html"
}
