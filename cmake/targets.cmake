# Options and functions for every target of the project. Flags belong to targets, never to
# CMAKE_C_FLAGS.

# Language options and warnings. assert stays active in optimized builds too: an assert that is off
# in the users' build finds no bug.
add_library(ptybot_warnings INTERFACE)
target_compile_options(ptybot_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    # Enumerators are integers in C; clang 19 warns of arithmetic with them, gcc does not.
    $<$<C_COMPILER_ID:Clang>:-Wno-enum-float-conversion -Wno-enum-enum-conversion>
    $<$<BOOL:${PTYBOT_WERROR}>:-Werror>
    -UNDEBUG
    # A fused multiply-add rounds once instead of twice, so compilers would disagree on the state hash.
    -ffp-contract=off
    # The same sources give the same bytes in any folder.
    $<$<BOOL:${PTYBOT_PACKAGE}>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>)

# Sanitizers, coverage and the fuzzer's counters: all instrumentation that changes the machine code.
# A library that is preloaded into foreign programs must not link this.
add_library(ptybot_sanitizers INTERFACE)
set(instrument "")
if(PTYBOT_SANITIZE)
    set(sanitizers ${PTYBOT_SANITIZE})
    if("undefined" IN_LIST sanitizers)
        # Not in the group of "undefined": the range of a double that goes into a wire integer.
        list(APPEND sanitizers float-cast-overflow)
    endif()
    list(JOIN sanitizers "," sanitizers)
    list(APPEND instrument -fsanitize=${sanitizers} -fno-sanitize-recover=all)
    # Reports need the lines of the stack only: full debug information costs a tenth of the compile time.
    target_compile_options(ptybot_sanitizers INTERFACE -fno-omit-frame-pointer
        $<$<C_COMPILER_ID:Clang>:-gline-tables-only>)
endif()
if(PTYBOT_COVERAGE)
    list(APPEND instrument --coverage)
endif()
if(PTYBOT_FUZZ AND NOT PTYBOT_FUZZ STREQUAL "flood")
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "PTYBOT_FUZZ needs clang's libFuzzer: configure with cmake --preset fuzz")
    endif()
    list(APPEND instrument -fsanitize=fuzzer-no-link)
endif()
target_compile_options(ptybot_sanitizers INTERFACE ${instrument})
target_link_options(ptybot_sanitizers INTERFACE ${instrument})

# lld links a program of the tests several times as fast as GNU ld. Packages use the compiler's
# default linker.
find_program(PTYBOT_LLD ld.lld)
if(PTYBOT_LLD AND NOT PTYBOT_PACKAGE AND NOT CMAKE_CROSSCOMPILING)
    add_link_options(-fuse-ld=lld LINKER:--threads=1,-O0) # several run at once, and none merges strings
endif()

# ptybot_library(NAME [FOLDERS folder...] [SOURCES file...] [LIBS target...])
# Uses all source files of FOLDERS, which are below the calling folder, and SOURCES.
function(ptybot_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;SOURCES;LIBS")
    foreach(folder IN LISTS arg_FOLDERS)
        file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c)
        list(APPEND arg_SOURCES ${files})
    endforeach()
    add_library(${name} ${PTYBOT_LIBRARIES} ${arg_SOURCES})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${arg_LIBS} PRIVATE ptybot_warnings ptybot_sanitizers)
endfunction()

# ptybot_executable(NAME SOURCES file... [LIBS target...])
function(ptybot_executable name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} ptybot_warnings ptybot_sanitizers)
endfunction()
