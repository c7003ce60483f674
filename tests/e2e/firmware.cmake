# Robots whose firmware is a process: the stage is that of test_verb.cmake. It is slow because it
# waits until the timeouts of processes that sleep and compute (2 and 5 s), and twenty runs start
# Python.
ptybot_e2e(test_e2e_firmware
    SOURCES test_e2e_firmware.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c
    TIMEOUT 600)
add_dependencies(test_e2e_firmware echo_firmware seeing_firmware)
# Arduino sketches; they need the packages that `./dev` lists for `avr` and `sketch`.
ptybot_e2e(test_e2e_arduino
    SOURCES test_e2e_arduino.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c
    TIMEOUT 600)
ptybot_e2e(test_e2e_arduino_api
    SOURCES test_e2e_arduino_api.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c
    TIMEOUT 600)
set(avr "")
if(TARGET ptybot-avr)
    add_dependencies(test_e2e_arduino ptybot-avr)
    add_dependencies(test_e2e_arduino_api ptybot-avr)
    set(avr $<TARGET_FILE:ptybot-avr>)
endif()
# Each sketch compiles the whole core of Arduino. These tests take a compiled core from a cache:
# shared by all trees of ./dev test (PTYBOT_SKETCH_CACHE), otherwise of the tree.
find_program(PTYBOT_CCACHE ccache)
find_program(PTYBOT_AVR_GCC avr-gcc)
if(PTYBOT_CCACHE AND PTYBOT_AVR_GCC)
    set(cached ${CMAKE_CURRENT_BINARY_DIR}/avr_cached)
    cmake_path(GET PTYBOT_AVR_GCC PARENT_PATH folder)
    foreach(name IN ITEMS avr-gcc avr-g++)
        file(CONFIGURE OUTPUT ${cached}/${name} CONTENT "#!/bin/sh
CCACHE_DIR=\"\${PTYBOT_SKETCH_CACHE:-${cached}/cache}\" exec '${PTYBOT_CCACHE}' '${folder}/${name}' \"$@\"
" @ONLY)
        file(CHMOD ${cached}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    endforeach()
    set_tests_properties(test_e2e_arduino test_e2e_arduino_api PROPERTIES
        ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${cached}")
endif()
target_compile_definitions(test_e2e_arduino PRIVATE PTYBOT_AVR="${avr}")
target_compile_definitions(test_e2e_arduino_api PRIVATE PTYBOT_AVR="${avr}")
ptybot_e2e(test_e2e_keeper
    SOURCES test_e2e_keeper.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c)
add_dependencies(test_e2e_keeper echo_firmware)
