# Faults as a driver on a real pty sees them: the stage is that of run.cmake.
ptybot_e2e(test_e2e_faults
    SOURCES test_e2e_faults.c ../hosts/kobuki_client.c ../support/check.c ../support/folder.c
        ../support/program.c ../support/stage.c
        ../support/serial_port.c ../support/kobuki_host.c
    LIBS m)
