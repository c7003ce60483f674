# Checks that every source file stays in its layer and that no files go in a circle: what it includes,
# what it calls, and which functions and data of other files its object needs.
#     cmake -DROOT=<repository> -DOBJECTS=<folder> -DABSENT=<folder>|... -DBUILD=<folder> -DNM=<nm>
#         -P tests/gates/layers.cmake
# Includes and calls of the system are read from the text, with comments and strings taken out; a call
# through a macro or a pointer is not seen. OBJECTS has files *.objects, one for each program, since two
# programs may define the same names. Each line is the path of an object below BUILD. ABSENT are the
# folders that are not built here because a library is missing. OBJECTS=none checks the text only.
cmake_minimum_required(VERSION 3.25)

file(REAL_PATH "${ROOT}" ROOT)
if(NOT OBJECTS)
    message(FATAL_ERROR "OBJECTS is empty: give the folder with the lists of objects, or none")
endif()
if(NOT ABSENT)
    set(ABSENT "none")
endif()

# Each folder, what its files may include and call (folders, or single headers), and which headers of the
# system. @: the file's own folder. The longest folder that fits a file counts, and a single file is the
# longest.
set(layers
    "base            |@                                                        |libc"
    "physics         |base @                                                   |libc"
    "protocols       |base @                                                   |libc"
    "protocols/*     |base protocols @                                         |libc"
    "protocols/registry.c |base protocols protocols/*                          |libc"
    "pty             |base pty/shim @                                          |any"
    "pty/shim        |base @                                                   |any"
    "pty/link_kinds.c |base pty pty/*                                          |any"
    "sim             |sim/*                                                    |libc"
    "app             |base physics protocols pty pty/* sim sim/* app app/* include/ptybot/firmware_page.h include/ptybot/step_page.h |any"
    "viewer          |viewer/*                                                 |any"
    "include/ptybot/robot.h |base protocols                                    |libc"
    "include/ptybot  |@                                                        |libc"
    "clients/c       |include/ptybot @                                         |any"
    "clients/avr     |include/ptybot protocols/pins.h clients/c @|any")

# add_floors(PARENT USES SYSTEM FOLDER...): the folders of PARENT in their order. Each may use USES and the
# folders before it.
function(add_floors parent uses system)
    foreach(folder IN LISTS ARGN)
        cmake_path(APPEND parent ${folder} OUTPUT_VARIABLE folder)
        list(APPEND layers "${folder}|${uses} @|${system}")
        string(APPEND uses " ${folder}")
    endforeach()
    set(layers "${layers}" PARENT_SCOPE)
endfunction()

add_floors(pty "base pty pty/shim" "any" terminal uart tcp)
add_floors(sim "base physics protocols" "libc yaml" wire scene yaml)
add_floors(sim "base physics protocols sim/wire sim/scene sim/yaml" "libc"
    body parse state room commands verdict step watch)
list(APPEND layers "sim/record|base physics protocols protocols/process sim sim/* @|libc")
set(below_app "base physics protocols protocols/process pty pty/* sim sim/* app include/ptybot/firmware_page.h include/ptybot/step_page.h")
# A run in a web page has no descriptors: it uses no other folder of app.
list(APPEND layers "app/replay|base physics protocols sim sim/* app/links/live.h @|libc")
add_floors(app "${below_app} app/replay" "any"
    cli links time files views firmware control record run drivers test lab/recording lab/compare lab/results lab/batch lab/stress subcommands)
set(seen "base protocols/registry.h protocols/robot.h protocols/wire.h protocols/framing.h protocols/describe.h sim/watch/snapshot.h")
add_floors(viewer "${seen}" "any" draw model panel)
list(APPEND layers "viewer/rpc|${seen} @|any"
    "viewer/paint|${seen} viewer/draw @|any"
    "viewer/window|${seen} viewer/draw viewer/model viewer/panel viewer/paint viewer/rpc @|any"
    "viewer/page|${seen} viewer/draw viewer/model viewer/panel @|libc"
    "viewer/web|base protocols/registry.h protocols/robot.h protocols/wire.h sim/watch/snapshot.h viewer/rpc @|any")

# A variable for each row, so that the row of a file is found without a search. A variable's name has no *.
foreach(row IN LISTS layers)
    string(REGEX REPLACE " *\\|.*" "" name "${row}")
    string(REPLACE "*" "+" name "${name}")
    set(row_${name} "${row}")
endforeach()

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
    foreach(name "${file}" "${folder}" "${parent}/+")
        if(DEFINED row_${name})
            set(${out} "${row_${name}}" PARENT_SCOPE)
            return()
        endif()
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

# Sets OUT to lines `edge FROM TO SYMBOL` for what the objects in a list of files need of each other.
function(call_edges file out)
    file(STRINGS ${file} objects)
    if(NOT objects)
        message(FATAL_ERROR "${file}: a list without an object")
    endif()
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
        if(NOT DEFINED may_${from})
            row_of(${from} row)
            string(REGEX MATCH "^[^|]*\\|([^|]*)\\|" row "${row}")
            allowed_files(${from} "${CMAKE_MATCH_1}" may_${from})
        endif()
        # A header stands for the file behind it.
        string(REGEX REPLACE "\\.c$" ".h" header "${to}")
        if(NOT to MATCHES "${may_${from}}" AND NOT header MATCHES "${may_${from}}")
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

# Every source file must have an object in one of the lists, so that no library can be forgotten.
function(check_objects)
    file(GLOB lists ${OBJECTS}/*.objects)
    if(NOT lists)
        message(FATAL_ERROR "OBJECTS=${OBJECTS}: this folder has no list of objects")
    endif()
    set(compiled "")
    foreach(list IN LISTS lists)
        call_edges(${list} edges)
        check_call_edges("${edges}")
        check_circles(call "${edges}")
        string(REGEX MATCHALL "object [^\n]+" objects "${edges}")
        list(APPEND compiled ${objects})
    endforeach()
    foreach(file IN LISTS files)
        if(file MATCHES "\\.c$" AND NOT "object ${file}" IN_LIST compiled AND NOT file MATCHES "^(${ABSENT})/")
            message(SEND_ERROR "${file}: has no object in the lists of ${OBJECTS}")
        endif()
    endforeach()
endfunction()

# ---- All of it ----

set(include_edges "")
file(GLOB_RECURSE files RELATIVE ${ROOT}
    ${ROOT}/base/*.[ch] ${ROOT}/physics/*.[ch] ${ROOT}/protocols/*.[ch] ${ROOT}/pty/*.[ch]
    ${ROOT}/sim/*.[ch] ${ROOT}/app/*.[ch] ${ROOT}/viewer/*.[ch]
    ${ROOT}/include/*.[ch] ${ROOT}/clients/*.[ch])
foreach(file IN LISTS files)
    row_of(${file} row)
    if(NOT row)
        message(SEND_ERROR "${file}: its folder is in no layer; add a row to tests/gates/layers.cmake")
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
if(NOT OBJECTS STREQUAL "none")
    check_objects()
endif()
list(LENGTH files count)
if(count EQUAL 0)
    message(SEND_ERROR "no source file in ${ROOT}")
endif()
message(STATUS "layers: ${count} files checked")
