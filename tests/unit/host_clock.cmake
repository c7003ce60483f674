# The host clock, preloaded into its tests; and the page that it follows.
foreach(test test_host_clock test_host_clock_waits test_host_clock_threads
    test_host_clock_timeouts)
    ptybot_test(${test})
    target_compile_definitions(${test} PRIVATE PTYBOT_CLOCK="$<TARGET_FILE:ptybot_clock>")
    add_dependencies(${test} ptybot_clock)
endforeach()
ptybot_test(test_warp SOURCES test_warp.c ../support/folder.c ../support/check.c LIBS ptybot_app)
add_dependencies(test_warp ptybot_clock)
