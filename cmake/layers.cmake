# Checks that every source file stays in its layer: what it includes, and what it calls.
#     cmake -DROOT=<repository> -P cmake/layers.cmake
# It reads text, not C: comments and strings are taken out first; a call through a macro or a
# function pointer is not seen.
cmake_minimum_required(VERSION 3.25)

file(REAL_PATH "${ROOT}" ROOT)

# Outside sim/app, sim/viewer and pty there is no wall clock, sleep, random number, environment,
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

# Each layer: its files, the project's headers that it may include, the system's headers.
# The first layer that fits a file counts.
set(layers physics robot protocols pty app viewer sim)

set(physics_files    "^physics/")
set(physics_may      "^physics/")
set(physics_system   "^(${libc})\\.h$")

set(robot_files      "^protocols/[^/]+/")
set(robot_may        "^protocols/([^/]+|@OWN@/.*)$") # @OWN@: its own folder, not another robot's
set(robot_system     "^(${libc})\\.h$")

set(protocols_files  "^protocols/")
set(protocols_may    "^protocols/")
set(protocols_system "^(${libc})\\.h$")

set(pty_files        "^pty/")
set(pty_may          "^pty/")
set(pty_system       ".*")

set(app_files        "^sim/app/")
set(app_may          "^(physics|protocols|pty|sim/app)/|^sim/[^/]+$")
set(app_system       ".*")

set(viewer_files     "^sim/viewer/")
set(viewer_may       "^sim/viewer/|^(@VIEWED@)$") # @VIEWED@: see viewed_headers
set(viewer_system    ".*")

set(sim_files        "^sim/")
set(sim_may          "^(physics|protocols)/|^sim/[^/]+$")
set(sim_system       "^(yaml|${libc})\\.h$")

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

# Sets OUT to a pattern of what the viewer may see: snapshots, how a robot looks, and the headers of
# protocols that these include themselves.
function(viewed_headers out)
    set(seen sim/snapshot.h protocols/robot.h protocols/describe.h)
    foreach(header IN LISTS seen)
        if(EXISTS ${ROOT}/${header})
            read_code(${ROOT}/${header} text)
            includes_of("${text}" includes)
            list(FILTER includes INCLUDE REGEX "^{protocols/")
            list(TRANSFORM includes REPLACE "[{}]" "")
            list(APPEND seen ${includes})
        endif()
    endforeach()
    list(JOIN seen "|" seen)
    set(${out} "${seen}" PARENT_SCOPE)
endfunction()

function(check_includes file layer text)
    string(REPLACE "@VIEWED@" "${viewed}" may "${${layer}_may}")
    string(REGEX REPLACE "^protocols/([^/]+)/.*" "\\1" own "${file}")
    string(REPLACE "@OWN@" "${own}" may "${may}")
    includes_of("${text}" includes)
    foreach(include IN LISTS includes)
        string(REGEX REPLACE "^[{<](.*)[}>]$" "\\1" name "${include}")
        if(include MATCHES "^{" AND name MATCHES "${may}" AND NOT name MATCHES "\\.\\.")
            continue()
        endif()
        if(include MATCHES "^<" AND name MATCHES "${${layer}_system}"
           AND NOT name MATCHES "^(physics|protocols|pty|sim|tests)/")
            continue()
        endif()
        message(SEND_ERROR "${file}: may not include ${include} (layer ${layer})")
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

viewed_headers(viewed)
file(GLOB_RECURSE files RELATIVE ${ROOT}
    ${ROOT}/physics/*.[ch] ${ROOT}/protocols/*.[ch] ${ROOT}/pty/*.[ch] ${ROOT}/sim/*.[ch])
foreach(file IN LISTS files)
    read_code(${ROOT}/${file} text)
    foreach(layer IN LISTS layers)
        if(file MATCHES "${${layer}_files}")
            check_includes(${file} ${layer} "${text}")
            if(NOT layer MATCHES "^(pty|app|viewer)$")
                check_calls(${file} "${text}")
            endif()
            break()
        endif()
    endforeach()
endforeach()
list(LENGTH files count)
if(count EQUAL 0)
    message(SEND_ERROR "no source file in ${ROOT}")
endif()
message(STATUS "layers: ${count} files checked")
