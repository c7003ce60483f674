# Not a test: ./dev bench runs it.
set(sources bench.c bench_physics.c engine_floor.c engine_ours.c walkers.c)
set(libs ptybot_sim m)
if(TARGET chipmunk)
    list(APPEND sources engine_chipmunk.c)
    list(APPEND libs chipmunk)
endif()
ptybot_executable(bench SOURCES ${sources} LIBS ${libs})
target_compile_definitions(bench PRIVATE
    _POSIX_C_SOURCE=200809L $<$<TARGET_EXISTS:chipmunk>:BENCH_CHIPMUNK>)
