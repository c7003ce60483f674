# Not a test: ./dev bench runs it.
ptybot_executable(bench SOURCES bench.c LIBS ptybot_sim)
target_compile_definitions(bench PRIVATE _POSIX_C_SOURCE=200809L)
