# Not a test: ./dev bench runs it.
ptybot_executable(bench SOURCES bench.c LIBS ptybot_sim)
target_compile_definitions(bench PRIVATE _POSIX_C_SOURCE=200809L)

ptybot_executable(shim_cost SOURCES shim_cost.c LIBS ptybot_pty)
target_compile_definitions(bench PRIVATE
    PTYBOT_SHIM="$<TARGET_FILE:ptybot_shim>"
    PTYBOT_SHIM_COST="$<TARGET_FILE:shim_cost>")
add_dependencies(bench ptybot_shim shim_cost)
