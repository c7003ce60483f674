# Not a test: ./dev bench runs it.
set(dock bench_dock.c
    ../support/dock_trial.c ../hosts/dock_drive.c ../hosts/kobuki_client.c)
ptybot_executable(bench SOURCES bench.c ${dock} LIBS ptybot_sim m)
target_compile_definitions(bench PRIVATE _POSIX_C_SOURCE=200809L)
