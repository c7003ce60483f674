# Installs into a folder as packagers do, moves what is there, and looks whether it is whole: the
# program runs and finds its scenes and its documentation, whose links lead somewhere.
#     cmake -DROOT=<repository> -DBUILD=<its build tree> -DWORK=<scratch> -P tests/gates/installed.cmake
cmake_minimum_required(VERSION 3.25)

# run(OUT COMMAND...): what the command prints.
function(run out)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE said ERROR_VARIABLE warned RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "${ARGN}\nended with ${code}:\n${said}${warned}")
    endif()
    set(${out} "${said}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(said ${CMAKE_COMMAND} -E env DESTDIR=${WORK}/root
    ${CMAKE_COMMAND} --install ${BUILD} --prefix /opt/any)
file(RENAME ${WORK}/root/opt/any ${WORK}/moved)
file(GLOB_RECURSE left ${WORK}/root/*)
if(left)
    message(FATAL_ERROR "installed outside of the prefix: ${left}")
endif()

set(ptybot ${WORK}/moved/bin/ptybot)
run(said ${ptybot} check kobuki_dock)
run(said ${ptybot} run kobuki --private --fast --for 0.1)
run(said ${ptybot} help --docs)
string(REGEX MATCH "^[^\n]*" docs "${said}")
if(NOT docs STREQUAL "${WORK}/moved/share/ptybot/docs" OR NOT said MATCHES "testing\\.md")
    message(FATAL_ERROR "`ptybot help --docs` says ${said}")
endif()
run(said ${CMAKE_COMMAND} -DROOT=${WORK}/moved/share/ptybot -P ${ROOT}/tests/gates/links.cmake)

run(overview ${ptybot} help)
string(REGEX MATCHALL "\n  [a-z]+" verbs "${overview}")
foreach(verb IN LISTS verbs)
    string(STRIP "${verb}" verb)
    if(NOT EXISTS ${WORK}/moved/share/man/man1/ptybot-${verb}.1.gz)
        message(SEND_ERROR "${verb} has no manual page")
    endif()
endforeach()
foreach(file IN ITEMS man/man1/ptybot.1.gz bash-completion/completions/ptybot
    zsh/vendor-completions/_ptybot fish/vendor_completions.d/ptybot.fish)
    if(NOT EXISTS ${WORK}/moved/share/${file})
        message(SEND_ERROR "${file} is not installed")
    endif()
endforeach()

# Without its documentation it says so.
file(REMOVE_RECURSE ${WORK}/moved/share/ptybot/docs)
execute_process(COMMAND ${ptybot} help --docs OUTPUT_VARIABLE said ERROR_VARIABLE warned)
if(EXISTS ${ROOT}/docs AND NOT "${said}" MATCHES "^${ROOT}/docs\n")
    message(SEND_ERROR "a program of a build tree does not find the documentation there: ${said}${warned}")
endif()
