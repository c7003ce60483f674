# Not a test: ./dev bench runs it.
set(sources bench_dock.c ../support/dock_trial.c ../hosts/dock_drive.c ../hosts/straight_in.c
    ../hosts/kobuki_client.c bench.c bench_camera.c bench_lidar.c bench_physics.c engine_floor.c engine_ours.c walkers.c)
set(libs ptybot_sim m)
if(TARGET chipmunk)
    list(APPEND sources engine_chipmunk.c)
    list(APPEND libs chipmunk)
endif()
if(TARGET ptybot_paint)
    list(APPEND sources bench_paint.c)
    list(APPEND libs ptybot_paint)
endif()
ptybot_executable(bench SOURCES ${sources} LIBS ${libs})
target_compile_definitions(bench PRIVATE
    _POSIX_C_SOURCE=200809L $<$<TARGET_EXISTS:chipmunk>:BENCH_CHIPMUNK>
    $<$<TARGET_EXISTS:ptybot_paint>:BENCH_PAINT>)

ptybot_executable(shim_cost SOURCES shim_cost.c LIBS ptybot_pty)
target_compile_definitions(bench PRIVATE
    PTYBOT_SHIM="$<TARGET_FILE:ptybot_shim>"
    PTYBOT_SHIM_COST="$<TARGET_FILE:shim_cost>")
add_dependencies(bench ptybot_shim shim_cost)

# ./dev bench private
ptybot_executable(private_start SOURCES private_start.c)
add_dependencies(private_start ptybot)

# ./dev bench tap
ptybot_executable(tap_delay SOURCES tap_delay.c LIBS ptybot_pty)
add_dependencies(tap_delay ptybot ptybot_shim)

find_program(XVFB_BINARY Xvfb)
if(TARGET ptybot_window AND XVFB_BINARY)
    ptybot_executable(bench_view SOURCES bench_view.c)
    target_compile_definitions(bench_view PRIVATE XVFB_BINARY="${XVFB_BINARY}")
    add_dependencies(bench_view ptybot)
endif()

# The floor has what the world has: the same optimization.
set_source_files_properties(engine_floor.c PROPERTIES COMPILE_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O3>)

ptybot_executable(bench_capture SOURCES bench_capture.c LIBS ptybot_lab m)
add_dependencies(bench_capture ptybot)

# ./dev bench held
ptybot_executable(bench_held SOURCES bench_held.c)
add_dependencies(bench_held ptybot)

# ./dev bench home; ./dev nightly
ptybot_executable(home_map SOURCES home_map.c ../support/home_trial.c ../support/simulation.c
    ../hosts/create2_seek.c ../hosts/create2_client.c LIBS ptybot_sim PkgConfig::CMOCKA m)

# ./dev bench firmware
ptybot_executable(firmware_cost SOURCES firmware_cost.c LIBS ptybot_app)
add_dependencies(firmware_cost echo_firmware ptybot)

# ./dev bench wire
ptybot_executable(wire_bench SOURCES wire/wire_bench.c plot.c wire/late_picture.c wire/wire_late.c wire/wire_answer.c
    wire/wire_crowd.c LIBS ptybot_client_static m)
target_compile_definitions(wire_bench PRIVATE BENCH_PYTHON="${PROJECT_SOURCE_DIR}/clients/python"
    BENCH_LOCKSTEP="${CMAKE_CURRENT_SOURCE_DIR}/wire/lockstep.py")
add_dependencies(wire_bench ptybot)

# ./dev bench curve
ptybot_executable(robot_curve SOURCES robot_curve.c plot.c engine_floor.c walkers.c LIBS ptybot_sim m)
target_compile_definitions(robot_curve PRIVATE _POSIX_C_SOURCE=200809L)

# ./dev bench avr
if(TARGET ptybot-avr)
    ptybot_executable(avr_bare SOURCES avr_bare.c ${PROJECT_SOURCE_DIR}/clients/avr/chip.c
        ${PROJECT_SOURCE_DIR}/clients/avr/mpu6050.c ${PROJECT_SOURCE_DIR}/protocols/pins.c)
    target_include_directories(avr_bare SYSTEM PRIVATE ${SIMAVR_INCLUDE_DIR} ${SIMAVR_INCLUDE_DIR}/simavr)
    target_link_libraries(avr_bare PRIVATE ${SIMAVR_LIBRARY} m)
    add_dependencies(avr_bare ptybot ptybot-avr)
endif()
