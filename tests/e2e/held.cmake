# `ptybot test --warp max`: the stage is that of test_verb.cmake.
ptybot_e2e(test_e2e_held
    SOURCES test_e2e_held.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c
    TIMEOUT 600)
target_compile_definitions(test_e2e_held PRIVATE PTYBOT_IS_SANITIZED=$<BOOL:${PTYBOT_SANITIZE}>)
# With the libraries of drivers. Not in sanitized trees: test_e2e_held runs the same code there.
if(PTYBOT_SANITIZE)
    return()
endif()
ptybot_e2e(test_e2e_same
    SOURCES test_e2e_same.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c ../support/host_libraries.c
    TIMEOUT 600)
target_compile_definitions(test_e2e_same PRIVATE
    PTYBOT_CLOCK_WAITS="$<TARGET_FILE:test_clock_shim_waits>"
    PTYBOT_CLOCK_THREADS="$<TARGET_FILE:test_clock_shim_threads>")
add_dependencies(test_e2e_same test_clock_shim_waits test_clock_shim_threads)
ptybot_e2e(test_e2e_slow
    SOURCES test_e2e_slow.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c)
