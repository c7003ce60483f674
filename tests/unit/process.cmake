# A robot whose firmware is a process: its messages, and what it keeps.
ptybot_test(test_process_message
    SOURCES test_process_message.c ${PROJECT_SOURCE_DIR}/tests/support/robot_rig.c LIBS ptybot_protocols m)
