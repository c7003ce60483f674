# A robot whose firmware is a process: its messages, its sensors and the keeper of processes.
ptybot_test(test_process_message
    SOURCES test_process_message.c ${PROJECT_SOURCE_DIR}/tests/support/robot_rig.c LIBS ptybot_protocols m)
ptybot_test(test_process_sight
    SOURCES test_process_sight.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_count_allocations(test_process_sight)
ptybot_test(test_keeper SOURCES test_keeper.c ../support/check.c LIBS ptybot_app)
ptybot_test(test_firmware_json LIBS ptybot_app m)
