# How tests are declared. Each kind of test has a folder with lists (*.cmake) that call these
# functions; file names are relative to that folder.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Chipmunk is another physics engine, the reference for ours. Only tests and the benchmark use it,
# and they are omitted if it is not installed; ./dev test and ./dev bench install it.
find_library(CHIPMUNK_LIBRARY chipmunk)
find_path(CHIPMUNK_INCLUDE_DIR chipmunk/chipmunk.h)
if(CHIPMUNK_LIBRARY AND CHIPMUNK_INCLUDE_DIR)
    add_library(chipmunk INTERFACE IMPORTED)
    target_link_libraries(chipmunk INTERFACE ${CHIPMUNK_LIBRARY})
    target_include_directories(chipmunk SYSTEM INTERFACE ${CHIPMUNK_INCLUDE_DIR})
else()
    message(STATUS "Chipmunk (libchipmunk-dev) not found: no comparison with it")
endif()

# tests/places.h: paths of programs and files of the tests. They are in a separate header, so that
# objects that do not include it are the same in each checkout.
set(ptybot_places PTYBOT_SOURCE_DIR "${PROJECT_SOURCE_DIR}"
    PTYBOT_HOSTS_DIR "${PROJECT_BINARY_DIR}/tests/hosts"
    PTYBOT_NODE_DIR "${PROJECT_BINARY_DIR}/tests/node"
    PTYBOT_PAGE_WASM "${PROJECT_BINARY_DIR}/viewer/page.wasm"
    PTYBOT_PLAYER_WASM "${PROJECT_BINARY_DIR}/viewer/player.wasm")
list(APPEND ptybot_places PTYBOT_BUILT_IN_OBJECTS "$<TARGET_FILE:built_in_objects>")
if(TARGET ptybot)
    list(APPEND ptybot_places PTYBOT_BINARY "$<TARGET_FILE:ptybot>")
endif()
set(ptybot_place_lines)
while(ptybot_places)
    list(POP_FRONT ptybot_places place path)
    string(APPEND ptybot_place_lines "#define ${place} \"${path}\"\n")
endwhile()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/include/tests/places.h CONTENT "${ptybot_place_lines}")
include_directories(${PROJECT_BINARY_DIR}/include)

# These tests begin first, the longest of them foremost, so that no processor waits for one of them at the end. On two processors
# each of them takes 25 s to 130 s among the others, or 10 s to 80 s with sanitizers.
set(ptybot_long_tests test_e2e_stress python_plugin test_e2e_same test_e2e_arduino test_e2e_firmware test_e2e_judge test_e2e_held
    test_every_command test_e2e_report test_e2e_merge test_window_life test_e2e_stress_robots gates test_e2e_warp python_docs
    read_docs_scale_results_md python_types test_e2e_cobot test_compare test_e2e_epuck2_crowd test_window_use words
    test_docking read_docs_tutorials_testing_md recipes_node test_e2e_stream zoo_runner)
# Unit tests that take more than about 2 s on an idle machine. They do not have the label `fast`,
# whose tests run at every save.
set(ptybot_thorough_tests test_clock_shim_waits test_compare test_control_watch test_create2_docking
    test_create2_time test_every_command test_idle_proof_repeats test_lidar test_oracle test_out_of_memory
    test_robot_habits test_robot_time test_room test_scenes_at_random test_robot_programs test_uart_link)

# ptybot_shared_objects(SOURCES_VARIABLE target...): replaces every source after the first by the objects of a
# library with only that source, which is compiled once per tree and linked into all programs that name
# it. It is compiled for the libraries of the first program. Definitions that it needs are properties of the source.
function(ptybot_shared_objects variable)
    set(sources "${${variable}}")
    list(POP_FRONT sources shared)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source NORMALIZE)
        file(RELATIVE_PATH object ${PROJECT_SOURCE_DIR} ${source})
        string(REGEX REPLACE "[^A-Za-z0-9_]" "_" object "shared_${object}")
        if(NOT TARGET ${object})
            add_library(${object} OBJECT ${source})
            target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR})
            target_link_libraries(${object} PRIVATE ${ARGN} ptybot_warnings ptybot_sanitizers)
        endif()
        list(APPEND shared $<TARGET_OBJECTS:${object}>)
    endforeach()
    set(${variable} "${shared}" PARENT_SCOPE)
endfunction()

# ptybot_test(NAME [SOURCES file...] [LIBS target...] [LABELS label...] [TIMEOUT seconds])
# A cmocka program; SOURCES defaults to NAME.c, LABELS to fast (thorough if it is slow), TIMEOUT to 240 (a busy machine is slow).
function(ptybot_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBS;LABELS")
    if(NOT arg_SOURCES)
        set(arg_SOURCES ${name}.c)
    endif()
    if(NOT arg_LABELS)
        set(arg_LABELS fast)
        if(name IN_LIST ptybot_thorough_tests)
            set(arg_LABELS thorough)
        endif()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 240)
    endif()
    if(CMAKE_CROSSCOMPILING) # an emulator is some ten times as slow
        math(EXPR arg_TIMEOUT "10 * ${arg_TIMEOUT}")
    endif()
    ptybot_shared_objects(arg_SOURCES ${arg_LIBS} PkgConfig::CMOCKA)
    ptybot_executable(${name} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS} PkgConfig::CMOCKA)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# ptybot_schedule(DIRECTORY): its long tests begin first, and its tests may take PTYBOT_TIMEOUT_FACTOR times as long (an environment
# variable, which ./dev test sets by the load of the machine). Called at the end of the list.
function(ptybot_schedule directory)
    get_property(tests DIRECTORY "${directory}" PROPERTY TESTS)
    foreach(test IN LISTS tests)
        list(FIND ptybot_long_tests ${test} place)
        if(NOT place EQUAL -1)
            math(EXPR cost "1000 - ${place}") # only the order matters; ctest takes 0 for the others
            set_property(TEST ${test} PROPERTY COST ${cost})
        endif()
        get_property(seconds TEST ${test} PROPERTY TIMEOUT)
        if(seconds AND "$ENV{PTYBOT_TIMEOUT_FACTOR}" MATCHES "^[1-9][0-9]*$")
            math(EXPR seconds "$ENV{PTYBOT_TIMEOUT_FACTOR} * ${seconds}")
            set_property(TEST ${test} PROPERTY TIMEOUT ${seconds})
        endif()
    endforeach()
endfunction()

# ptybot_count_allocations(NAME): the program may read tests/support/allocations.h.
function(ptybot_count_allocations name)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/allocations.c)
    if(PTYBOT_LIBRARIES STREQUAL "SHARED")
        target_compile_definitions(${name} PRIVATE PTYBOT_SHARED)
    else()
        target_link_options(${name} PRIVATE
            LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=strdup,--wrap=free)
    endif()
endfunction()

# ptybot_host(NAME [SOURCES file...] [LIBS target...])
# A host program that talks to a robot as a driver does. Plain libc: it knows nothing of ptybot.
function(ptybot_host name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    if(NOT arg_SOURCES)
        set(arg_SOURCES ${name}.c)
    endif()
    ptybot_shared_objects(arg_SOURCES ${arg_LIBS})
    ptybot_executable(${name} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS})
    set_property(GLOBAL APPEND PROPERTY ptybot_hosts ${name})
endfunction()

# ptybot_e2e(NAME [SOURCES file...] [LIBS target...] [TIMEOUT seconds])
# A cmocka program that drives the real binary and the hosts (tests/places.h).
function(ptybot_e2e name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    if(NOT arg_SOURCES)
        set(arg_SOURCES ${name}.c)
    endif()
    ptybot_test(${name} SOURCES ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/cases.c
        LIBS ${arg_LIBS} LABELS e2e TIMEOUT ${arg_TIMEOUT})
    target_link_libraries(${name} PRIVATE ptybot_client_static)
    target_link_options(${name} PRIVATE LINKER:--wrap=_cmocka_run_group_tests)
    get_property(hosts GLOBAL PROPERTY ptybot_hosts)
    add_dependencies(${name} ptybot ${hosts})
endfunction()

# ptybot_fuzz(NAME [SOURCES file...] [LIBS target...])
# SOURCES (NAME.c) defines LLVMFuzzerTestOneInput. With PTYBOT_FUZZ it becomes a program of libFuzzer
# or of tests/fuzz/flood.c, else a test that gives it every file of tests/fuzz/corpus/NAME.
function(ptybot_fuzz name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    if(NOT arg_SOURCES)
        set(arg_SOURCES ${name}.c)
    endif()
    if(PTYBOT_FUZZ STREQUAL "flood")
        ptybot_executable(${name} SOURCES ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/flood.c
            LIBS ptybot_base ${arg_LIBS})
        add_dependencies(ptybot_fuzzers ${name})
    elseif(PTYBOT_FUZZ)
        ptybot_executable(${name} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS})
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        add_dependencies(ptybot_fuzzers ${name})
    else()
        list(APPEND arg_SOURCES ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
        ptybot_shared_objects(arg_SOURCES ${arg_LIBS})
        ptybot_executable(${name} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS})
        add_test(NAME ${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
        set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 240)
    endif()
endfunction()

# Includes every list of the calling folder.
macro(ptybot_include_lists)
    file(GLOB lists CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cmake)
    foreach(list IN LISTS lists)
        include(${list})
    endforeach()
    ptybot_schedule("${CMAKE_CURRENT_SOURCE_DIR}")
endmacro()

# ptybot_script(NAME SCRIPT [-Dvar=value...]): a test that is a CMake script: it reads sources and objects.
function(ptybot_script name script)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} ${ARGN} -P ${PROJECT_SOURCE_DIR}/tests/gates/${script})
    set_tests_properties(${name} PROPERTIES LABELS sources TIMEOUT 240)
endfunction()
