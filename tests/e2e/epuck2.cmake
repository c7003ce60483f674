# e-puck2 on real sockets: the stage is that of run.cmake.
set(epuck2
    ../support/epuck2_host.c ../support/check.c ../support/folder.c ../support/program.c
    ../support/stage.c)
ptybot_e2e(test_e2e_epuck2 SOURCES test_e2e_epuck2.c ../support/serial_port.c ${epuck2})
ptybot_e2e(test_e2e_epuck2_crowd SOURCES test_e2e_epuck2_crowd.c ${epuck2})
# A driver that gives up, in virtual time: the stage is that of test_verb.cmake.
ptybot_e2e(test_e2e_epuck2_calls
    SOURCES test_e2e_epuck2_calls.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c)
