# Drivers that wait in many ways, for tests of virtual time.
ptybot_host(held_host SOURCES held_host.c kobuki_client.c LIBS m)
# Many sleeping threads, and the signals that they receive.
ptybot_host(held_crowd SOURCES held_crowd.c)
# Drivers in C++20 and Rust, where their compilers are installed; without them the tests skip.
function(ptybot_foreign_host name source)
    set(program "${CMAKE_CURRENT_BINARY_DIR}/${name}")
    add_custom_command(OUTPUT "${program}"
        COMMAND ${ARGN} -o "${program}" "${CMAKE_CURRENT_SOURCE_DIR}/${source}"
        DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${source}"
        COMMENT "Host ${name}" VERBATIM)
    add_custom_target(build_${name} ALL DEPENDS "${program}")
endfunction()
find_program(PTYBOT_CXX g++)
if(PTYBOT_CXX)
    ptybot_foreign_host(threads_host threads_host.cpp ${PTYBOT_CXX} -std=c++20 -O1 -pthread)
endif()
find_program(PTYBOT_RUSTC rustc)
if(PTYBOT_RUSTC)
    ptybot_foreign_host(channels_host threads_host.rs ${PTYBOT_RUSTC} -O)
endif()
