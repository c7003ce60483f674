# Proves that layers.cmake still catches: one tree in which every line is forbidden and must be
# named, one tree of look-alikes that must pass, and compiled trees with calls in circles.
#     cmake -DWORK=<empty folder> -DCC=<compiler> -DNM=<nm> -P tests/gates/layers_catch.cmake
cmake_minimum_required(VERSION 3.25)

function(run_layers root)
    execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${root} ${ARGN} -P ${CMAKE_CURRENT_LIST_DIR}/layers.cmake
        RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
    string(REGEX REPLACE "[ \n]+" " " output "${out} ${err}") # messages are wrapped
    set(result ${result} PARENT_SCOPE)
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})

# file | include that its layer forbids
set(bad_includes
    "base/a.c|\"protocols/wire.h\""
    "base/b.c|<unistd.h>"
    "physics/a.c|\"protocols/wire.h\""
    "physics/b.h|\"sim/state/state.h\""
    "physics/c.c|\"geom.h\""
    "physics/d.c|\"physics/../pty/pty_link.h\""
    "physics/e.c|<time.h>"
    "physics/f.c|<unistd.h>"
    "physics/g.c|<pthread.h>"
    "physics/h.c|<sys/time.h>"
    "physics/i.c|<yaml.h>"
    "physics/j.c|HEADER"
    "protocols/a.c|\"physics/geom.h\""
    "protocols/b.c|<pty/terminal/pty_link.h>"
    "protocols/c.c|\"protocols/kobuki/kobuki.h\""
    "protocols/kobuki/a.c|\"sim/step/step.h\""
    "protocols/kobuki/b.c|\"protocols/cobot/cobot.h\""
    "pty/a.c|\"protocols/wire.h\""
    "pty/b.c|\"app/run/loop.h\""
    "pty/c.c|<protocols/wire.h>"
    "pty/shim/a.c|\"pty/byte_link.h\""
    "sim/wire/a.c|\"pty/byte_link.h\""
    "sim/wire/b.c|\"sim/scene/scene.h\""
    "sim/state/a.c|\"sim/room/room.h\""
    "sim/state/b.c|<yaml.h>"
    "sim/room/a.c|\"app/run/loop.h\""
    "sim/step/a.c|\"sim/watch/snapshot.h\""
    "sim/watch/a.c|\"viewer/model/view.h\""
    "sim/record/a.c|<jansson.h>"
    "app/run/a.c|\"viewer/model/view.h\""
    "app/cli/b.c|\"tests/support/host.h\""
    "viewer/draw/a.c|\"sim/state/state.h\""
    "viewer/draw/b.c|\"viewer/model/view.h\""
    "viewer/model/a.c|\"viewer/rpc/rpc_requests.h\""
    "viewer/paint/b.c|\"physics/world.h\""
    "viewer/window/c.c|\"pty/terminal/pty_link.h\""
    "viewer/window/d.c|\"protocols/kobuki/kobuki.h\""
    "viewer/window/e.c|\"app/run/loop.h\"")
foreach(row IN LISTS bad_includes)
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 file)
    list(GET row 1 include)
    file(WRITE ${WORK}/bad/${file} "#include ${include}\n")
    string(REGEX REPLACE "^\"(.*)\"$" "{\\1}" include "${include}")
    list(APPEND expected "${file}: may not include ${include} ")
endforeach()

set(bad_calls clock_gettime clock_nanosleep gettimeofday time clock nanosleep usleep sleep rand srand
    random srandom drand48 getenv setenv pthread_create thrd_create mtx_lock fopen open printf vprintf
    fprintf puts perror exit abort system)
foreach(call IN LISTS bad_calls)
    foreach(file base/${call}.c protocols/${call}.c protocols/kobuki/${call}.h physics/${call}.c
        sim/step/${call}.c)
        file(WRITE ${WORK}/bad/${file} "/* a */ char *s = \"x\\\"//\"\nint f(void) {a = ${call} (0);}\n")
        list(APPEND expected "${file}: may not use ${call} ")
    endforeach()
endforeach()
file(WRITE ${WORK}/bad/sim/attic/a.c "int x;\n")
list(APPEND expected "sim/attic/a.c: its folder is in no layer")
file(WRITE ${WORK}/bad/sim/room/x.h "#include \"sim/room/y.h\"\n")
file(WRITE ${WORK}/bad/sim/room/y.h "#include \"sim/room/z.h\"\n")
file(WRITE ${WORK}/bad/sim/room/z.h "#include \"sim/room/x.h\"\n")
list(APPEND expected "files include each other in a circle: " "sim/room/z.h needs include of sim/room/x.h")
file(WRITE ${WORK}/bad/sim/step/stream.c "int f(void) { return g('\"', stderr, '\"')\n }")
list(APPEND expected "sim/step/stream.c: may not use stderr ")

run_layers(${WORK}/bad -DOBJECTS=none)
if(result EQUAL 0)
    message(SEND_ERROR "the bad tree passed")
endif()
foreach(text IN LISTS expected)
    string(FIND "${output}" "${text}" at)
    if(at LESS 0)
        message(SEND_ERROR "not caught: ${text}")
    endif()
endforeach()

# Lines that look forbidden and are not.
set(look_alikes [=[
#include <stdio.h> // not <time.h>
#include <math.h>
/* #include <time.h>
#include "pty/byte_link.h"
** time(0) **/
// printf("x") and sleep(1)
static int my_time(int x), operand(int rand), reopen(void)
int f(void) { return my_time(1) + s->open(2) + s.exit(3) + x_printf("sleep(1)") + next_time (2)
char a = '"', b[] = {1}, *c = "\" time(0) /*", *d = "http://x\\"
snprintf(c, 1, "%d", timeout) /* " */ vsnprintf(c)
char stdout_like, *e = "*/ rand()"
}
]=])
string(REPLACE "\n" " \n" look_alikes "${look_alikes}")
foreach(file base/a.c physics/a.c protocols/a.c protocols/kobuki/a.c sim/step/a.c)
    file(WRITE ${WORK}/good/${file} "${look_alikes}")
endforeach()
file(WRITE ${WORK}/good/physics/b.c "#include \"physics/world.h\"\n")
file(WRITE ${WORK}/good/protocols/robot.h "#include \"protocols/wire.h\"\n")
file(WRITE ${WORK}/good/protocols/registry.c "#include \"protocols/kobuki/kobuki.h\"\n")
file(WRITE ${WORK}/good/protocols/kobuki/b.c
    "#include \"protocols/kobuki/kobuki.h\"\n#include \"protocols/wire.h\"\n#include \"base/rng.h\"\n")
file(WRITE ${WORK}/good/sim/scene/b.c
    "#include \"physics/geom.h\"\n#include \"protocols/robot.h\"\n#include <yaml.h>\n")
file(WRITE ${WORK}/good/sim/record/b.c "#include \"sim/wire/line.h\"\n#include \"sim/watch/snapshot.h\"\n")
file(WRITE ${WORK}/good/app/run/a.c
    "#include \"pty/terminal/pty_link.h\"\n#include \"sim/step/step.h\"\n#include <time.h>\nint t = time(0)\n")
file(WRITE ${WORK}/good/viewer/window/a.c
    "#include \"sim/watch/snapshot.h\"\n#include \"viewer/draw/theme.h\"\n#include <SDL2/SDL.h>\n")
file(WRITE ${WORK}/good/pty/a.c "#include \"pty/byte_link.h\"\n#include <unistd.h>\nint t = open(0)\n")

run_layers(${WORK}/good -DOBJECTS=none)
if(NOT result EQUAL 0)
    message(SEND_ERROR "the good tree failed: ${output}")
endif()

# ---- Compiled trees ----

# compile(TREE FILE CODE): adds an object to a tree, as CMake would name it.
function(compile tree file code)
    file(WRITE ${WORK}/${tree}/${file} "/* A. */\n${code}\n")
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET file FILENAME name)
    set(object ${WORK}/${tree}/build/${folder}/CMakeFiles/some.dir/${name}.o)
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    execute_process(COMMAND ${CC} -std=c17 -c ${WORK}/${tree}/${file} -o ${object}
        COMMAND_ERROR_IS_FATAL ANY)
    file(APPEND ${WORK}/${tree}/lists/all.objects "${object}\n")
endfunction()

# expect_objects(TREE RESULT TEXT...): what the check says of a compiled tree.
function(expect_objects tree expected)
    run_layers(${WORK}/${tree} -DOBJECTS=${WORK}/${tree}/lists -DBUILD=${WORK}/${tree}/build -DNM=${NM})
    if(NOT result EQUAL expected)
        message(SEND_ERROR "${tree}: ended with ${result}, not ${expected}: ${output}")
    endif()
    foreach(text IN LISTS ARGN)
        string(FIND "${output}" "${text}" at)
        if(at LESS 0)
            message(SEND_ERROR "${tree}: does not say '${text}': ${output}")
        endif()
    endforeach()
endfunction()

# A chain is no circle, and a name of which each file has its own belongs to nobody.
compile(chain physics/a.c "int b(void); static int own(void) { return b(); } int a(void) { return own(); }")
compile(chain physics/b.c "int c; static int own(void) { return c; } int b(void) { return own(); }")
expect_objects(chain 0)

compile(calls physics/a.c "int b(void); int a(void) { return b(); }")
compile(calls physics/b.c "int c(void); int b(void) { return c(); }")
compile(calls physics/c.c "int a(void); int c(void) { return a(); }")
compile(calls physics/d.c "int a(void); int d(void) { return a(); }")
expect_objects(calls 1 "files call each other in a circle: " "physics/a.c needs b of physics/b.c"
    "physics/b.c needs c of physics/c.c" "physics/c.c needs a of physics/a.c")
string(FIND "${output}" "physics/d.c" at)
if(NOT at LESS 0)
    message(SEND_ERROR "a file that only calls into a circle is told to be in it: ${output}")
endif()

compile(data base/a.c "extern int table; int count = 1; int a(void) { return table; }")
compile(data base/b.c "extern int count; int table = 1; int b(void) { return count; }")
expect_objects(data 1 "base/a.c needs table of base/b.c" "base/b.c needs count of base/a.c")

# A declaration of one's own instead of an include does not hide a call upward.
compile(upward base/a.c "int up(void); int a(void) { return up(); }")
compile(upward sim/state/b.c "int up(void) { return 1; }")
expect_objects(upward 1 "base/a.c: may not call up of sim/state/b.c")
