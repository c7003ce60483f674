# The COBOT on real ptys: the stage is that of run.cmake.
ptybot_e2e(test_e2e_cobot
    SOURCES test_e2e_cobot.c ../hosts/cobot_client.c ../support/check.c ../support/folder.c
        ../support/program.c ../support/stage.c
        ../support/serial_port.c
    LIBS m)
