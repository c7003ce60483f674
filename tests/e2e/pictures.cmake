# Pictures, if the painter was built.
if(TARGET ptybot-picture)
    ptybot_e2e(test_e2e_shot
        SOURCES test_e2e_shot.c ../support/check.c ../support/folder.c ../support/program.c
            ../support/stage.c ../support/serial_port.c
            ../support/kobuki_host.c ../hosts/kobuki_client.c
        LIBS m)
endif()
