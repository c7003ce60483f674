# End-to-end tests: the real program, real ptys, hosts that only know the wire.
set(stage
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c
    ../support/control_socket.c)
set(kobuki
    ../support/serial_port.c ../support/kobuki_host.c ../hosts/kobuki_client.c)

ptybot_e2e(test_kobuki_stream SOURCES test_kobuki_stream.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_kobuki_hosts SOURCES test_kobuki_hosts.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_kobuki_fleet SOURCES test_kobuki_fleet.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_kobuki_square SOURCES test_kobuki_square.c ${stage} LIBS m)
ptybot_e2e(test_run SOURCES test_run.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_control SOURCES test_control.c ${stage})
