# The protocol leaf.
ptybot_test(test_checksum LIBS ptybot_protocols)
ptybot_test(test_describe LIBS ptybot_protocols)
ptybot_test(test_framing LIBS ptybot_protocols m)
ptybot_test(test_frame_maker SOURCES test_frame_maker.c ../fuzz/frame_maker.c ../fuzz/frames_mutate.c LIBS ptybot_protocols m)
ptybot_test(test_error LIBS ptybot_protocols)
ptybot_test(test_inertial LIBS ptybot_protocols m)
ptybot_test(test_number LIBS ptybot_protocols)
ptybot_test(test_option LIBS ptybot_protocols)
ptybot_test(test_pins LIBS ptybot_protocols)
ptybot_test(test_rng LIBS ptybot_protocols m)
ptybot_test(test_angle LIBS ptybot_base m)
ptybot_test(test_wire LIBS ptybot_protocols m)
ptybot_test(test_writer LIBS ptybot_base m)

# The contract of every robot in the registry, built in and as a body file. Shared code is in tests/support.
set(golden ${PROJECT_SOURCE_DIR}/tests/support/golden.c)
set(rig ${PROJECT_SOURCE_DIR}/tests/support/robot_rig.c)
ptybot_test(test_golden SOURCES test_golden.c ${golden} LIBS ptybot_protocols)
ptybot_test(test_robot_body SOURCES test_robot_body.c ${rig} LIBS ptybot_sim m)
ptybot_test(test_robot_conduct
    SOURCES test_robot_conduct.c ${golden} ${rig} LIBS ptybot_sim m)
ptybot_test(test_robot_noise SOURCES test_robot_noise.c ${golden} ${rig} LIBS ptybot_sim m)
ptybot_test(test_robot_rows LIBS ptybot_sim m)
ptybot_test(test_robot_names LIBS ptybot_sim m)
ptybot_test(test_robot_time SOURCES test_robot_time.c ${golden} ${rig} LIBS ptybot_sim m)
ptybot_test(test_robot_types SOURCES test_robot_types.c ${rig} LIBS ptybot_sim m)

# Allocations inside a robot's functions are counted.
target_link_options(test_robot_conduct PRIVATE
    LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free)
