# Checks what clang-format does not: a function fits on a screen (60 lines), a source file says what it
# is, nothing has a tab, and no text speaks of how it was made. Of a file of more than 700 lines it
# warns: a noun may be as long as that, but rarely is.
#     cmake -DROOT=<repository> -P cmake/style.cmake
cmake_minimum_required(VERSION 3.25)

file(REAL_PATH "${ROOT}" ROOT)

# Notes to oneself, numbers of tickets, places on a machine of ours.
set(notes "TODO|FIXME|[Ii]ssue #[0-9]|\\(#[0-9]+\\)|[ \"(]/work/|\\.\\./shared/")

# count_lines(OUT TEXT)
function(count_lines out text)
    string(REPLACE "\n" "" joined "${text}")
    string(LENGTH "${text}" size)
    string(LENGTH "${joined}" size_joined)
    math(EXPR lines "${size} - ${size_joined}")
    set(${out} ${lines} PARENT_SCOPE)
endfunction()

# A function is what stands between braces at the margin.
function(check_functions file text)
    string(REGEX REPLACE "[][;]" "," text "${text}")
    string(REPLACE "\n}\n" "\n\t\n" text "${text}")
    string(REGEX MATCHALL "[^\n]*\n{\n[^\t]*\t" functions "${text}")
    foreach(function IN LISTS functions)
        count_lines(lines "${function}")
        math(EXPR lines "${lines} - 2") # without head and braces
        if(lines GREATER 60)
            string(REGEX REPLACE "\n.*" "" head "${function}")
            message(SEND_ERROR "${file}: ${lines} lines in '${head}', more than 60; split it")
        endif()
    endforeach()
endfunction()

function(check_source file text)
    if(text MATCHES "\t")
        message(SEND_ERROR "${file}: has a tab; indent with spaces")
    endif()
    count_lines(lines "${text}")
    if(lines GREATER 700)
        message(WARNING "${file}: ${lines} lines, more than 700; is it one noun?")
    endif()
    # A source file with a header of its own has its head there.
    string(REGEX REPLACE "\\.c$" ".h" header "${file}")
    if(NOT text MATCHES "^(#define _GNU_SOURCE\n)?/[/*]" AND
        (file MATCHES "\\.h$" OR NOT text MATCHES "^(#define _GNU_SOURCE\n)?#include \"${header}\""))
        message(SEND_ERROR "${file}: begin with a comment that says what it is")
    endif()
    check_functions(${file} "${text}")
endfunction()

set(folders base physics protocols pty sim app viewer include clients tests)
set(sources)
set(others cmake docs scenes)
foreach(folder IN LISTS folders)
    list(APPEND sources ${ROOT}/${folder}/*.[ch])
endforeach()
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${sources})
file(GLOB texts RELATIVE ${ROOT} ${ROOT}/*.md ${ROOT}/*.txt ${ROOT}/dev)
foreach(folder IN LISTS folders others)
    file(GLOB_RECURSE more RELATIVE ${ROOT} ${ROOT}/${folder}/*.md ${ROOT}/${folder}/*.txt
        ${ROOT}/${folder}/*.cmake ${ROOT}/${folder}/*.yaml ${ROOT}/${folder}/*.sh
        ${ROOT}/${folder}/*.py ${ROOT}/${folder}/*.js ${ROOT}/${folder}/*.mjs)
    list(APPEND texts ${more})
endforeach()
list(FILTER texts EXCLUDE REGEX "^cmake/style|^tests/fuzz/corpus|/node_modules/")

foreach(file IN LISTS sources)
    file(READ ${ROOT}/${file} text)
    check_source(${file} "${text}")
endforeach()
foreach(file IN LISTS sources texts)
    file(READ ${ROOT}/${file} text)
    if(text MATCHES "${notes}")
        message(SEND_ERROR "${file}: has '${CMAKE_MATCH_0}'; the text must speak of the project alone")
    endif()
endforeach()
list(LENGTH sources count)
if(count EQUAL 0)
    message(SEND_ERROR "no source file in ${ROOT}")
endif()
message(STATUS "style: ${count} source files checked")
