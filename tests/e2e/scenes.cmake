# Each scene of the repository with the host that belongs to its story, through the real program:
# the host must be content, and what the scene expects must come true.
set(hosts ${PROJECT_BINARY_DIR}/tests/hosts)

# ptybot_scene(NAME COMMAND): COMMAND is for a shell, in which $H is the folder of the hosts.
function(ptybot_scene name command)
    set_property(GLOBAL APPEND PROPERTY ptybot_scenes ${name})
    add_test(NAME scene_${name}
        COMMAND ptybot test ${PROJECT_SOURCE_DIR}/scenes/${name}.yaml --host-timeout 200
            -- sh -c "H=${hosts}; ${command}")
    set_tests_properties(scene_${name} PROPERTIES LABELS scenario TIMEOUT 300)
endfunction()

ptybot_scene(kobuki_square "exec $H/kobuki_square $PTYBOT_PORT_KOBUKI")
ptybot_scene(kobuki_dock "exec $H/kobuki_dock $PTYBOT_PORT_KOBUKI")
ptybot_scene(kobuki_room "exec $H/kobuki_listen $PTYBOT_PORT_KOBUKI 900 200 0")
ptybot_scene(kobuki_office "exec $H/kobuki_listen $PTYBOT_PORT_KOBUKI 400 200 0")

# Hosts side by side: the shell fails if one of them does.
set(all "; for p in $pids; do wait $p || exit 1; done")
set(ten "")
foreach(number RANGE 1 10)
    string(APPEND ten "$H/kobuki_listen $PTYBOT_PORT_KOBUKI${number} 100 & pids=\"$pids $!\"; ")
endforeach()
ptybot_scene(ten_kobukis "${ten}:${all}")

set(four "")
foreach(model ackermann differential tracked mecanum)
    string(TOUPPER ${model} upper)
    string(APPEND four
        "$H/cobot_drive $PTYBOT_PORT_COBOT_${upper} 300 0 0 3 & pids=\"$pids $!\"; ")
    if(model STREQUAL mecanum)
        ptybot_scene(cobot_${model} "exec $H/cobot_drive $PTYBOT_PORT_COBOT 0 300 0 3")
    else()
        ptybot_scene(cobot_${model} "exec $H/cobot_drive $PTYBOT_PORT_COBOT 300 0 0 3")
    endif()
endforeach()
ptybot_scene(cobot_all "${four}:${all}")

foreach(model apollo hera zeus)
    ptybot_scene(diff_board_${model} "exec $H/diff_board_poll $PTYBOT_PORT_PIBOT --seconds 6")
endforeach()
ptybot_scene(diff_board_hades
    "exec $H/diff_board_poll $PTYBOT_PORT_PIBOT --fast-line --seconds 6")
ptybot_scene(diff_board_arduino
    "exec $H/diff_board_poll $PTYBOT_PORT_PIBOT --boot 3 --seconds 6")

# A scene without a host would be one that nobody tests.
get_property(tested GLOBAL PROPERTY ptybot_scenes)
file(GLOB scenes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.yaml)
foreach(scene IN LISTS scenes)
    get_filename_component(name ${scene} NAME_WE)
    if(NOT name IN_LIST tested AND NOT name MATCHES "^epuck2")
        message(FATAL_ERROR "scenes/${name}.yaml has no host in tests/e2e/scenes.cmake: "
            "add a row, so that it is tested")
    endif()
endforeach()
