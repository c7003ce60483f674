# The clock shim, preloaded into its tests; and the page that it follows.
foreach(test test_clock_shim test_clock_shim_waits test_clock_shim_threads
    test_clock_shim_timeouts test_clock_shim_load)
    ptybot_test(${test})
    target_compile_definitions(${test} PRIVATE PTYBOT_CLOCK="$<TARGET_FILE:ptybot_clock>")
    add_dependencies(${test} ptybot_clock)
endforeach()
ptybot_test(test_warp SOURCES test_warp.c ../support/folder.c ../support/check.c ../support/machine.c LIBS ptybot_app)
add_dependencies(test_warp ptybot_clock)
# With ptybot's half of a held clock.
foreach(test test_clock_shim_held test_clock_shim_turns test_clock_shim_same)
    ptybot_test(${test} SOURCES ${test}.c ../support/check.c LIBS ptybot_app)
    target_compile_definitions(${test} PRIVATE PTYBOT_CLOCK="$<TARGET_FILE:ptybot_clock>"
        PTYBOT_CLOCK_WAITS="$<TARGET_FILE:test_clock_shim_waits>"
        PTYBOT_CLOCK_THREADS="$<TARGET_FILE:test_clock_shim_threads>")
    add_dependencies(${test} ptybot_clock test_clock_shim_waits test_clock_shim_threads)
endforeach()
