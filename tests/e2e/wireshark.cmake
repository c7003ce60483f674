# Only in trees without sanitizers: these tests check a dissector in Lua.
if(PTYBOT_SANITIZE)
    return()
endif()
# The content that tshark shows of the recordings of scenes, compared with `ptybot decode` and the
# run's counters. One scene per robot here; ./dev nightly wireshark tests all of them.
find_program(TSHARK tshark)
find_program(PYTHON3 python3)
set(wireshark ${PROJECT_SOURCE_DIR}/tests/wireshark)
if(TSHARK AND PYTHON3)
    foreach(scene kobuki_square cobot_mecanum diff_board_hera epuck2_maze ros_arduino_bridge_square
            turtlebot3_burger)
        set(left ${CMAKE_CURRENT_BINARY_DIR}/scenes/${scene})
        add_test(NAME wireshark_${scene}
            COMMAND ${PYTHON3} ${wireshark}/check_capture.py $<TARGET_FILE:ptybot>
                ${left}/run.pcapng --signals ${left}/signals.csv)
        set_tests_properties(wireshark_${scene} PROPERTIES
            LABELS e2e TIMEOUT 240 FIXTURES_REQUIRED scene_${scene})
    endforeach()
    add_test(NAME wireshark_lidar
        COMMAND sh ${wireshark}/lidar.sh $<TARGET_FILE:ptybot>
            ${PROJECT_SOURCE_DIR}/scenes/kobuki_lidar.yaml ${CMAKE_CURRENT_BINARY_DIR}/wireshark_lidar)
    set_tests_properties(wireshark_lidar PROPERTIES LABELS e2e TIMEOUT 240)
    add_test(NAME wireshark_chunks
        COMMAND sh ${wireshark}/chunks.sh $<TARGET_FILE:ptybot> ${PROJECT_BINARY_DIR}/tests/hosts/kobuki_listen
            ${CMAKE_CURRENT_BINARY_DIR}/wireshark_chunks)
    set_tests_properties(wireshark_chunks PROPERTIES LABELS e2e TIMEOUT 240)
    add_test(NAME wireshark_faults
        COMMAND sh ${wireshark}/faults.sh $<TARGET_FILE:ptybot>
            ${CMAKE_CURRENT_BINARY_DIR}/scenes/kobuki_square/run.pcapng)
    set_tests_properties(wireshark_faults PROPERTIES
        LABELS e2e TIMEOUT 240 FIXTURES_REQUIRED scene_kobuki_square)
else()
    message(STATUS "tshark or python3 not found: no comparison with Wireshark")
endif()
