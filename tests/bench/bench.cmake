# Not a test: ./dev bench runs it.
set(dock bench_dock.c
    ../support/dock_trial.c ../hosts/dock_drive.c ../hosts/straight_in.c ../hosts/kobuki_client.c)
ptybot_executable(bench SOURCES bench.c ${dock} LIBS ptybot_sim m)
target_compile_definitions(bench PRIVATE _POSIX_C_SOURCE=200809L)

ptybot_executable(shim_cost SOURCES shim_cost.c LIBS ptybot_pty)
target_compile_definitions(bench PRIVATE
    PTYBOT_SHIM="$<TARGET_FILE:ptybot_shim>"
    PTYBOT_SHIM_COST="$<TARGET_FILE:shim_cost>")
add_dependencies(bench ptybot_shim shim_cost)
