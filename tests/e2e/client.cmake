# The client library: what a test program may ask of it.
ptybot_e2e(test_e2e_client
    SOURCES test_e2e_client.c ../hosts/kobuki_client.c ../support/check.c ../support/folder.c
        ../support/serial_port.c
    LIBS m)
