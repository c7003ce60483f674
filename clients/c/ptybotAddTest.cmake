# ptybot_add_test(NAME name [SCENE scene] [OPTIONS option...] [TIMEOUT seconds] COMMAND program [argument...])
# Adds a test for CTest. With SCENE, it runs `ptybot test SCENE OPTIONS... -- program argument...`, which
# tests the driver in the scene. Its report goes to ptybot/NAME in the build folder, with a JUnit file. A
# scene file is relative to the calling CMakeLists.txt. Without SCENE, it runs a program that starts runs
# with the client library. Both find ptybot by PTYBOT and in PATH. The program may be a target. Needs
# CMake 3.22 or later.
function(ptybot_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SCENE;TIMEOUT" "OPTIONS;COMMAND")
    if(NOT arg_NAME OR NOT arg_COMMAND OR arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "ptybot_add_test: give NAME and COMMAND, and perhaps SCENE, OPTIONS and "
            "TIMEOUT; there is: ${ARGV}")
    endif()
    if(arg_OPTIONS AND NOT arg_SCENE)
        message(FATAL_ERROR "ptybot_add_test(NAME ${arg_NAME} ...): OPTIONS are of `ptybot test`, "
            "which needs a SCENE")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300) # as the host of `ptybot test`
    endif()
    cmake_path(GET PTYBOT_PROGRAM PARENT_PATH folder)
    set(test)
    if(arg_SCENE)
        if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCENE})
            set(arg_SCENE ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCENE})
        endif()
        list(GET arg_COMMAND 0 program)
        if(TARGET ${program}) # add_test itself looks at the first word alone
            list(REMOVE_AT arg_COMMAND 0)
            list(PREPEND arg_COMMAND $<TARGET_FILE:${program}>)
        endif()
        set(out ${CMAKE_CURRENT_BINARY_DIR}/ptybot/${arg_NAME})
        file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/ptybot)
        set(test ptybot::ptybot test ${arg_SCENE} --out ${out} --keep --junit ${out}.xml ${arg_OPTIONS} --)
    endif()
    add_test(NAME ${arg_NAME} COMMAND ${test} ${arg_COMMAND})
    set_tests_properties(${arg_NAME} PROPERTIES
        LABELS ptybot TIMEOUT ${arg_TIMEOUT} ENVIRONMENT PTYBOT=${PTYBOT_PROGRAM}
        ENVIRONMENT_MODIFICATION PATH=path_list_prepend:${folder})
endfunction()
