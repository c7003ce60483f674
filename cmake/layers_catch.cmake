# Proves that layers.cmake still catches: one tree in which every line is forbidden and must be
# named, one tree of look-alikes that must pass.
#     cmake -DWORK=<empty folder> -P cmake/layers_catch.cmake
cmake_minimum_required(VERSION 3.25)

function(run_layers root)
    execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${root} -P ${CMAKE_CURRENT_LIST_DIR}/layers.cmake
        RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
    string(REGEX REPLACE "[ \n]+" " " output "${out} ${err}") # messages are wrapped
    set(result ${result} PARENT_SCOPE)
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})

# file | include that its layer forbids
set(bad_includes
    "physics/a.c|\"protocols/wire.h\""
    "physics/b.h|\"sim/sim.h\""
    "physics/c.c|\"geom.h\""
    "physics/d.c|\"physics/../pty/pty_link.h\""
    "physics/e.c|<time.h>"
    "physics/f.c|<unistd.h>"
    "physics/g.c|<pthread.h>"
    "physics/h.c|<sys/time.h>"
    "physics/i.c|<yaml.h>"
    "physics/j.c|HEADER"
    "protocols/a.c|\"physics/geom.h\""
    "protocols/b.c|<pty/pty_link.h>"
    "protocols/kobuki/a.c|\"sim/sim.h\""
    "protocols/kobuki/b.c|\"protocols/cobot/cobot.h\""
    "pty/a.c|\"protocols/wire.h\""
    "pty/b.c|\"sim/app/loop.h\""
    "pty/c.c|<protocols/wire.h>"
    "sim/a.c|\"pty/byte_link.h\""
    "sim/b.c|\"sim/app/loop.h\""
    "sim/c.c|\"sim/viewer/view.h\""
    "sim/d.c|<jansson.h>"
    "sim/app/a.c|\"sim/viewer/view.h\""
    "sim/app/b.c|\"tests/support/host.h\""
    "sim/viewer/a.c|\"sim/sim.h\""
    "sim/viewer/b.c|\"physics/world.h\""
    "sim/viewer/c.c|\"pty/pty_link.h\""
    "sim/viewer/d.c|\"protocols/kobuki/kobuki.h\"")
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
    foreach(file protocols/${call}.c protocols/kobuki/${call}.h physics/${call}.c sim/${call}.c)
        file(WRITE ${WORK}/bad/${file} "/* a */ char *s = \"x\\\"//\"\nint f(void) {a = ${call} (0);}\n")
        list(APPEND expected "${file}: may not use ${call} ")
    endforeach()
endforeach()
file(WRITE ${WORK}/bad/sim/stream.c "int f(void) { return g('\"', stderr, '\"')\n }")
list(APPEND expected "sim/stream.c: may not use stderr ")

run_layers(${WORK}/bad)
if(result EQUAL 0)
    message(SEND_ERROR "the bad tree passed")
endif()
foreach(text IN LISTS expected)
    string(FIND "${output}" "${text}" at)
    if(at LESS 0)
        message(SEND_ERROR "not caught: ${text}")
    endif()
endforeach()

# What looks forbidden and is not.
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
foreach(file physics/a.c protocols/a.c protocols/kobuki/a.c sim/a.c)
    file(WRITE ${WORK}/good/${file} "${look_alikes}")
endforeach()
file(WRITE ${WORK}/good/physics/b.c "#include \"physics/world.h\"\n")
file(WRITE ${WORK}/good/protocols/robot.h "#include \"protocols/wire.h\"\n")
file(WRITE ${WORK}/good/protocols/robot_types.c "#include \"protocols/kobuki/kobuki.h\"\n")
file(WRITE ${WORK}/good/protocols/kobuki/b.c
    "#include \"protocols/kobuki/kobuki.h\"\n#include \"protocols/wire.h\"\n")
file(WRITE ${WORK}/good/sim/b.c
    "#include \"physics/world.h\"\n#include \"protocols/robot.h\"\n#include <yaml.h>\n")
file(WRITE ${WORK}/good/sim/app/a.c
    "#include \"pty/pty_link.h\"\n#include \"sim/sim.h\"\n#include <time.h>\nint t = time(0)\n")
file(WRITE ${WORK}/good/sim/viewer/a.c
    "#include \"sim/snapshot.h\"\n#include \"protocols/wire.h\"\n#include <SDL2/SDL.h>\n")
file(WRITE ${WORK}/good/pty/a.c "#include \"pty/byte_link.h\"\n#include <unistd.h>\nint t = open(0)\n")

run_layers(${WORK}/good)
if(NOT result EQUAL 0)
    message(SEND_ERROR "the good tree failed: ${output}")
endif()
