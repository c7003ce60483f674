# Journals and their replay.
set(stage
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c
    ../support/control_socket.c ../support/serial_port.c)
ptybot_e2e(test_e2e_journal
    SOURCES test_e2e_journal.c journal_rewrite.c ../hosts/kobuki_client.c ${stage}
    LIBS ptybot_sim m)
ptybot_e2e(test_e2e_repeat SOURCES test_e2e_repeat.c ../hosts/kobuki_client.c ${stage} LIBS m)
