# Every scene in scenes/ as users run it: with `ptybot test`, a suitable driver and its own
# expectations.

# ptybot_scene(NAME HOST [FLAGS...]): scenes/NAME.yaml with HOST, a shell command with the test
# drivers in its PATH; "": the scene's own.
function(ptybot_scene name host)
    set(command)
    if(NOT ARGN)
        set(ARGN --warp max)
    endif()
    if(host)
        set(command -- /bin/sh -c ${host})
    endif()
    add_test(NAME scene_${name}
        COMMAND ptybot test ${PROJECT_SOURCE_DIR}/scenes/${name}.yaml
            --host-timeout 200 --out ${CMAKE_CURRENT_BINARY_DIR}/scenes/${name} ${ARGN} ${command})
    set_tests_properties(scene_${name} PROPERTIES
        LABELS e2e TIMEOUT 240 FIXTURES_SETUP scene_${name}
        ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${PROJECT_BINARY_DIR}/tests/hosts")
    set_property(GLOBAL APPEND PROPERTY ptybot_scenes_tested ${name})
endfunction()

# The simulation waits for the drivers, so they pass on a busy machine too, and quickly.
set(each ${PROJECT_SOURCE_DIR}/tests/hosts/each_port.sh)
ptybot_scene(kobuki_square "exec kobuki_square $PTYBOT_PORT_KOBUKI")
ptybot_scene(kobuki_dock "exec kobuki_dock $PTYBOT_PORT_KOBUKI")
ptybot_scene(kobuki_room "exec kobuki_listen $PTYBOT_PORT_KOBUKI 1200 200 0")
ptybot_scene(kobuki_office "exec kobuki_listen $PTYBOT_PORT_KOBUKI 800 100 0")
ptybot_scene(ten_kobukis "exec ${each} KOBUKI kobuki_listen 200")

# A late driver drives on for a while: half the distance to the wall.
foreach(model ackermann differential tracked)
    ptybot_scene(cobot_${model} "exec cobot_drive $PTYBOT_PORT_COBOT 300 0 0 5")
endforeach()
ptybot_scene(cobot_mecanum "exec cobot_drive $PTYBOT_PORT_COBOT 0 200 0 4")
ptybot_scene(cobot_all "exec ${each} COBOT cobot_drive 300 0 0 5")

set(poll "diff_board_poll $PTYBOT_PORT_PIBOT --seconds 4")
foreach(model apollo hera zeus)
    ptybot_scene(diff_board_${model} "exec ${poll}")
endforeach()
ptybot_scene(diff_board_hades "exec ${poll} --fast-line")
# An Arduino boots when its port is opened: drivers wait for that.
ptybot_scene(diff_board_arduino "exec 3<>$PTYBOT_PORT_PIBOT && sleep 2 && ${poll}")

ptybot_scene(ros_arduino_bridge_square "exec /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/hosts/bridge_square.py $PTYBOT_PORT_BOT")

ptybot_scene(turtlebot3_burger "exec turtlebot3_map $PTYBOT_PORT_TURTLEBOT3_BURGER $PTYBOT_PORT_LDS_01 ${PROJECT_SOURCE_DIR}/scenes/maps/office.yaml ${CMAKE_CURRENT_BINARY_DIR}/turtlebot3_map.png")
ptybot_scene(create2_square "exec create2_drive $PTYBOT_PORT_CREATE")
ptybot_scene(create2_dock "exec create2_dock $PTYBOT_PORT_CREATE" --warp 10)
ptybot_scene(create2_room "exec create2_stream $PTYBOT_PORT_CREATE 2000")

ptybot_scene(epuck2_room "exec epuck2_wall $PTYBOT_PORT_EPUCK2 1200")
ptybot_scene(epuck2_maze "exec epuck2_wall $PTYBOT_PORT_EPUCK2 400")
ptybot_scene(epuck2_line "exec epuck2_line $PTYBOT_PORT_EPUCK2 400")
ptybot_scene(epuck2_box "exec epuck2_box $PTYBOT_PORT_EPUCK2 1000")
ptybot_scene(epuck2_serial
    "exec 3<>$PTYBOT_PORT_EPUCK2_SERIAL && stty raw -echo 115200 <&3 && printf 'D,300,300\\r' >&3 && sleep 4")
# Its addresses are fixed and may be in use or not allowed on this machine.
add_test(NAME scene_epuck2_four
    COMMAND ${PROJECT_SOURCE_DIR}/tests/support/own_network.sh $<TARGET_FILE:ptybot> test
        ${PROJECT_SOURCE_DIR}/scenes/epuck2_four.yaml --host-timeout 200 --warp max
            --out ${CMAKE_CURRENT_BINARY_DIR}/scenes/epuck2_four
        -- ${each} EPUCK epuck2_wall 200)
set_tests_properties(scene_epuck2_four PROPERTIES
    LABELS e2e TIMEOUT 240 SKIP_RETURN_CODE 77
    ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${PROJECT_BINARY_DIR}/tests/hosts")
set_property(GLOBAL APPEND PROPERTY ptybot_scenes_tested epuck2_four)

# The other scenes contain a driver, or need none, so no driver must keep up.
file(GLOB scenes CONFIGURE_DEPENDS
    RELATIVE ${PROJECT_SOURCE_DIR}/scenes ${PROJECT_SOURCE_DIR}/scenes/*.yaml)
get_property(tested GLOBAL PROPERTY ptybot_scenes_tested)
foreach(scene IN LISTS scenes)
    string(REGEX REPLACE "\\.yaml$" "" name "${scene}")
    if(NOT name IN_LIST tested)
        file(STRINGS ${PROJECT_SOURCE_DIR}/scenes/${scene} own_host REGEX "^host:")
        if(own_host)
            ptybot_scene(${name} "")
        else()
            ptybot_scene(${name} "" --fast)
        endif()
    endif()
endforeach()
