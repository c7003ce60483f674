# Scenes that act and expect, and what clients of the control socket do with simulated time.
set(expect_stage
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c
    ../support/control_socket.c)
ptybot_e2e(test_e2e_expect SOURCES test_e2e_expect.c ${expect_stage} LIBS m)
ptybot_e2e(test_e2e_watch SOURCES test_e2e_watch.c ${expect_stage} LIBS m)
ptybot_e2e(test_e2e_fence
    SOURCES test_e2e_fence.c ${expect_stage} ../support/serial_port.c ../hosts/kobuki_client.c
    LIBS m)
