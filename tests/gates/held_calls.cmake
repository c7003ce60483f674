# Checks that the table of docs/reference/virtual-time-calls.md has each call that the library of the clock replaces, and no
# other.
#     cmake -DROOT=<repository> -DLIBRARY=<libptybot_clock.so> -DNM=<nm> -P tests/gates/held_calls.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TW] [a-z0-9_]+" replaced "${text}")
# Other names of the same: __poll, __poll_chk, aio_suspend64.
list(TRANSFORM replaced REPLACE "^ [TW] (__)?" "")
list(TRANSFORM replaced REPLACE "(_chk|64)$" "")
list(REMOVE_DUPLICATES replaced)

file(READ ${ROOT}/docs/reference/virtual-time-calls.md text)
string(REGEX REPLACE ".*\n## Covered calls\n" "" text "${text}")
string(REGEX REPLACE "\n## .*" "" text "${text}")
string(REGEX MATCHALL "\n\\| `[^|]*" rows "${text}")
string(REGEX MATCHALL "`[^`]+`" told "${rows}")
list(TRANSFORM told REPLACE "`" "")

set(missing ${replaced})
list(REMOVE_ITEM missing ${told})
set(strange ${told})
list(REMOVE_ITEM strange ${replaced})
list(LENGTH replaced count)
if(missing OR strange OR count LESS 50)
    message(FATAL_ERROR "docs/reference/virtual-time-calls.md, Covered calls: missing are [${missing}], no call of the library are [${strange}]")
endif()
