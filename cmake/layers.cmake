# Checks that every source file stays in its layer and that no files go in a circle: what it includes,
# what it calls, and which functions and data of other files its object needs.
#     cmake -DROOT=<repository> [-DOBJECTS=<list> -DBUILD=<folder> -DNM=<nm>] -P cmake/layers.cmake
# Includes and calls of the system are read from the text, with comments and strings taken out; a call
# through a macro or a pointer is not seen. OBJECTS is a list of files with the path of an object
# a line, all below BUILD: one a program, since two that are not linked may have the same names.
cmake_minimum_required(VERSION 3.25)

file(REAL_PATH "${ROOT}" ROOT)

# The house: each folder, what its files may include and call (folders, or single headers), and which
# headers of the system. @: the file's own folder. The longest folder that fits a file counts, and a
# single file is the longest. The rooms of sim and of app stand in their order: each sees those above.
set(layers
    "base            |@                                                        |libc"
    "physics         |base @                                                   |libc"
    "protocols       |base @                                                   |libc"
    "protocols/*     |base protocols @                                         |libc"
    "protocols/registry.c |base protocols protocols/*                          |libc"
    "pty             |base pty/shim @                                          |any"
    "pty/shim        |base @                                                   |any"
    "sim/wire        |base protocols @                                         |libc"
    "sim/scene       |base physics protocols @                                 |libc yaml"
    "sim/state       |base physics protocols sim/wire sim/scene @              |libc"
    "sim/room        |base physics protocols sim/wire sim/scene sim/state @    |libc"
    "sim/commands    |base physics protocols sim/wire sim/scene sim/state sim/room @|libc"
    "sim/verdict     |base physics protocols sim/wire sim/scene sim/state sim/room sim/commands @|libc"
    "sim/step        |base physics protocols sim/wire sim/scene sim/state sim/room sim/commands sim/verdict @|libc"
    "sim/watch       |base physics protocols sim/wire sim/scene sim/state sim/room sim/commands sim/verdict sim/step @|libc"
    "sim/record      |base physics protocols protocols/process sim/wire sim/scene sim/state sim/room sim/commands sim/verdict sim/step sim/watch @|libc"
    "sim             |sim/*                                                    |libc"
    "app             |base physics protocols pty pty/shim sim sim/* app app/*|any"
    "app/cli         |base physics protocols pty pty/shim sim sim/* app @|any"
    "app/firmware    |base physics protocols protocols/process sim sim/* app app/cli @|any"
    "app/io          |base physics protocols pty pty/shim sim sim/* app app/cli @|any"
    "app/capture     |base physics protocols pty pty/shim sim sim/* app app/cli app/io @|any"
    "app/control     |base physics protocols pty pty/shim sim sim/* app app/cli app/io @|any"
    "app/record      |base physics protocols pty pty/shim sim sim/* app app/cli app/io app/capture @|any"
    "app/replay      |base physics protocols sim sim/* app/io/live.h @|libc"
    "app/run         |base physics protocols pty pty/shim sim sim/* app app/cli app/firmware app/io app/capture app/control app/record app/replay @|any"
    "app/test        |base physics protocols pty pty/shim sim sim/* app app/cli app/io app/capture app/control app/record app/replay app/run app/firmware @|any"
    "app/verbs       |base physics protocols pty pty/shim sim sim/* app app/cli app/io app/capture app/control app/record app/replay app/run app/test app/firmware @|any"
    "viewer          |viewer/*                                                 |any"
    "viewer/draw     |base protocols/registry.h protocols/robot.h protocols/wire.h protocols/describe.h sim/watch/snapshot.h @|any"
    "viewer/paint    |base protocols/registry.h protocols/robot.h protocols/wire.h protocols/describe.h sim/watch/snapshot.h viewer/draw @|any"
    "viewer/window   |base protocols/registry.h protocols/robot.h protocols/wire.h protocols/describe.h sim/watch/snapshot.h viewer/draw viewer/paint @|any"
    "viewer/web      |base protocols/registry.h protocols/robot.h protocols/wire.h sim/watch/snapshot.h viewer/window @|any"
    "viewer/page     |base protocols/registry.h protocols/robot.h protocols/wire.h protocols/describe.h sim/watch/snapshot.h viewer/draw viewer/window @|libc"
    "include/ptybot/robot.h |base protocols                                    |libc"
    "include/ptybot  |@                                                        |libc"
    "clients/c       |include/ptybot @                                         |any"
    "clients/arduino |include/ptybot protocols/pins.h @                        |any"
    "clients/avr     |include/ptybot protocols/pins.h clients/arduino/wiring.h @|any")

# Folders whose files may call the operating system.
set(privileged "^(app|viewer|pty|clients)/")

# Outside app, viewer, pty and clients there is no wall clock, sleep, random number, environment,
# thread, process, file or printing. So a header of the system is forbidden unless it is one of these:
set(libc "assert|ctype|errno|float|inttypes|limits|math|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|string")
# and of those, these calls are not for the core:
string(CONCAT calls
    "clock|clock_[a-z]+|gettimeofday|time|timespec_get|"
    "sleep|usleep|nanosleep|"
    "s?rand|s?random|rand_r|[a-z]rand48|getrandom|getentropy|arc4random|"
    "getenv|secure_getenv|setenv|unsetenv|putenv|"
    "pthread_[a-z_]+|thrd_[a-z_]+|mtx_[a-z]+|cnd_[a-z]+|fork|system|popen|"
    "open|openat|creat|fopen|freopen|fdopen|tmpfile|remove|rename|"
    "v?printf|v?fprintf|v?dprintf|puts|fputs|putchar|putc|fputc|fwrite|perror|"
    "exit|_exit|_Exit|quick_exit|atexit|abort")

# Sets OUT to the text of a file without comments and strings; "x" after #include becomes {x}.
function(read_code path out)
    file(READ ${path} text)
    # To CMake these join lists and quote list items; neither matters here.
    string(REGEX REPLACE "[][]" " " text "${text}")
    string(REPLACE ";" " " text "${text}")
    string(REGEX REPLACE "(#[ \t]*include[ \t]*)\"([^\"\n]*)\"" "\\1{\\2}" text "${text}")
    # In one pass, so that a quote in a comment and a comment in quotes are what they are.
    string(CONCAT pattern
        "\"[^\"\\\n]*(\\\\.[^\"\\\n]*)*\"|'[^'\\\n]*(\\\\.[^'\\\n]*)*'|"
        "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/|//[^\n]*")
    string(REGEX REPLACE "${pattern}" " " text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Sets OUT to what a text includes, each as {name} or <name>.
function(includes_of text out)
    string(REGEX MATCHALL "(^|\n)[ \t]*#[ \t]*include[^\n]*" lines "${text}")
    list(TRANSFORM lines REPLACE "^[\n \t]*#[ \t]*include[ \t]*" "")
    list(TRANSFORM lines STRIP)
    set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# Sets OUT to the row of a file: its longest folder that has one. Empty: none.
function(row_of file out)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder PARENT_PATH parent)
    foreach(name "${file}" "${folder}" "${parent}/*")
        foreach(row IN LISTS layers)
            string(REGEX REPLACE " *\\|.*" "" row_name "${row}")
            if(row_name STREQUAL name)
                set(${out} "${row}" PARENT_SCOPE)
                return()
            endif()
        endforeach()
    endforeach()
    set(${out} "" PARENT_SCOPE)
endfunction()

# Sets OUT to a pattern of the files that those of this row may include: MAY is its second column.
function(allowed_files file may out)
    cmake_path(GET file PARENT_PATH own)
    string(REPLACE "@" "${own}" may "${may}")
    string(REGEX MATCHALL "[^ ]+" entries "${may}")
    set(patterns "")
    foreach(entry IN LISTS entries)
        string(REPLACE "*" "[^/]+" pattern "${entry}")
        if(NOT entry MATCHES "\\.h$") # a folder
            string(APPEND pattern "/[^/]+")
        endif()
        list(APPEND patterns "${pattern}")
    endforeach()
    list(JOIN patterns "|" patterns)
    set(${out} "^(${patterns})$" PARENT_SCOPE)
endfunction()

function(check_includes file row text)
    string(REGEX MATCH "^[^|]*\\|([^|]*)\\|(.*)$" row "${row}")
    set(system "${CMAKE_MATCH_2}")
    allowed_files(${file} "${CMAKE_MATCH_1}" may)
    string(REPLACE "libc" "${libc}" system "${system}")
    string(REPLACE " " "|" system "${system}")
    string(REGEX REPLACE "^any$" ".*" system "${system}")
    includes_of("${text}" includes)
    foreach(include IN LISTS includes)
        string(REGEX REPLACE "^[{<](.*)[}>]$" "\\1" name "${include}")
        if(include MATCHES "^{" AND name MATCHES "${may}" AND NOT name MATCHES "\\.\\.")
            continue()
        endif()
        if(include MATCHES "^<" AND name MATCHES "^(${system})\\.h$"
           AND NOT name MATCHES "^(base|physics|protocols|pty|sim|app|viewer|include|clients|tests)/")
            continue()
        endif()
        message(SEND_ERROR "${file}: may not include ${include}")
    endforeach()
endfunction()

function(check_calls file text)
    # A member of that name is not the call: a.open(...), a->open(...).
    string(REGEX MATCHALL "(^|[^A-Za-z0-9_.>])(${calls})[ \t\n]*\\(" hits "${text}")
    string(REGEX MATCHALL "(^|[^A-Za-z0-9_.>])(stdin|stdout|stderr)([^A-Za-z0-9_]|$)" streams "${text}")
    foreach(hit IN LISTS hits streams)
        string(REGEX MATCH "[A-Za-z0-9_]+" name "${hit}")
        message(SEND_ERROR "${file}: may not use ${name}")
    endforeach()
endfunction()

# ---- Objects: who calls whom ----

# Sets OUT to lines `edge FROM TO SYMBOL` for what the objects in a file need of each other.
function(call_edges file out)
    file(STRINGS ${file} objects)
    execute_process(COMMAND ${NM} -A -g -p ${objects}
        OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "${BUILD}/" "" symbols "${symbols}")
    file(WRITE ${file}.nm "${symbols}")
    execute_process(COMMAND awk -f ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/calls.awk ${file}.nm
        OUTPUT_VARIABLE edges COMMAND_ERROR_IS_FATAL ANY)
    set(${out} "${edges}" PARENT_SCOPE)
endfunction()

# A call to a file that may not be included is a call past the layers.
function(check_call_edges edges)
    string(REGEX MATCHALL "edge [^\n]+" lines "${edges}")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^edge ([^ ]+) ([^ ]+) (.*)$" line "${line}")
        set(from ${CMAKE_MATCH_1})
        set(to ${CMAKE_MATCH_2})
        set(symbol ${CMAKE_MATCH_3})
        row_of(${from} row)
        string(REGEX MATCH "^[^|]*\\|([^|]*)\\|" row "${row}")
        allowed_files(${from} "${CMAKE_MATCH_1}" may)
        # A header stands for the file behind it.
        string(REGEX REPLACE "\\.c$" ".h" header "${to}")
        if(NOT to MATCHES "${may}" AND NOT header MATCHES "${may}")
            message(SEND_ERROR "${from}: may not call ${symbol} of ${to}")
        endif()
    endforeach()
endfunction()

# KIND: "include" or "call".
function(check_circles kind edges)
    string(RANDOM LENGTH 12 name)
    set(file $ENV{TMPDIR})
    if(NOT file)
        set(file /tmp)
    endif()
    set(file ${file}/ptybot-edges-${name})
    file(WRITE ${file} "${edges}")
    execute_process(COMMAND awk -f ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/circles.awk ${file}
        OUTPUT_VARIABLE circles COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE ${file})
    string(REGEX MATCHALL "[^\n]+" circles "${circles}")
    foreach(circle IN LISTS circles)
        message(SEND_ERROR "files ${kind} each other in a circle: ${circle}")
    endforeach()
endfunction()

# ---- All of it ----

set(include_edges "")
file(GLOB_RECURSE files RELATIVE ${ROOT}
    ${ROOT}/base/*.[ch] ${ROOT}/physics/*.[ch] ${ROOT}/protocols/*.[ch] ${ROOT}/pty/*.[ch]
    ${ROOT}/sim/*.[ch] ${ROOT}/app/*.[ch] ${ROOT}/viewer/*.[ch]
    ${ROOT}/include/*.[ch] ${ROOT}/clients/*.[ch])
list(FILTER files EXCLUDE REGEX "^include/ptybot/arduino/") # for sketches, which are written in C++
foreach(file IN LISTS files)
    row_of(${file} row)
    if(NOT row)
        message(SEND_ERROR "${file}: its folder is in no layer; add a row to cmake/layers.cmake")
        continue()
    endif()
    read_code(${ROOT}/${file} text)
    check_includes(${file} "${row}" "${text}")
    if(NOT file MATCHES "${privileged}")
        check_calls(${file} "${text}")
    endif()
    includes_of("${text}" includes)
    foreach(include IN LISTS includes)
        if(include MATCHES "^{(.*)}$")
            string(APPEND include_edges "edge ${file} ${CMAKE_MATCH_1} include\n")
        endif()
    endforeach()
endforeach()
check_circles(include "${include_edges}")
foreach(file IN LISTS OBJECTS)
    call_edges(${file} edges)
    check_call_edges("${edges}")
    check_circles(call "${edges}")
endforeach()
list(LENGTH files count)
if(count EQUAL 0)
    message(SEND_ERROR "no source file in ${ROOT}")
endif()
message(STATUS "layers: ${count} files checked")
