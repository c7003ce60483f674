# The app: its clock arithmetic, and the control socket over real sockets and ptys.
ptybot_test(test_pacer LIBS ptybot_app)
ptybot_test(test_arguments LIBS ptybot_app)
ptybot_test(test_control LIBS ptybot_app)
target_compile_definitions(test_control PRIVATE _GNU_SOURCE)
ptybot_test(test_map_file SOURCES test_map_file.c ../support/folder.c ../support/check.c
    LIBS ptybot_app)
