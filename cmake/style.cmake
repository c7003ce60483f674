# Checks what clang-format does not: a file fits in one head (400 lines) and has no tab.
#     cmake -DROOT=<repository> -P cmake/style.cmake
cmake_minimum_required(VERSION 3.25)

file(REAL_PATH "${ROOT}" ROOT)

file(GLOB_RECURSE files RELATIVE ${ROOT}
    ${ROOT}/physics/*.[ch] ${ROOT}/protocols/*.[ch] ${ROOT}/pty/*.[ch] ${ROOT}/sim/*.[ch])
foreach(file IN LISTS files)
    file(READ ${ROOT}/${file} text)
    if(text MATCHES "\t")
        message(SEND_ERROR "${file}: has a tab; indent with spaces")
    endif()
    string(REGEX REPLACE "[^\n]" "" newlines "${text}")
    string(LENGTH "${newlines}" lines)
    if(lines GREATER 400)
        message(SEND_ERROR "${file}: ${lines} lines, more than 400; split it at a noun")
    endif()
endforeach()
list(LENGTH files count)
if(count EQUAL 0)
    message(SEND_ERROR "no source file in ${ROOT}")
endif()
message(STATUS "style: ${count} files checked")
