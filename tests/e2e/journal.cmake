# Journals and their replay.
set(stage
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c ../support/serial_port.c)
foreach(test test_e2e_journal test_e2e_journal_refuse test_e2e_capture)
    ptybot_e2e(${test}
        SOURCES ${test}.c journal_stage.c journal_rewrite.c ../hosts/kobuki_client.c ${stage}
        LIBS ptybot_sim m)
endforeach()
ptybot_e2e(test_e2e_repeat SOURCES test_e2e_repeat.c ../hosts/kobuki_client.c ${stage} LIBS m)
ptybot_e2e(test_e2e_upgrade SOURCES test_e2e_upgrade.c ${stage})
set_tests_properties(test_e2e_upgrade PROPERTIES
    ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/clients/python;PYTHONDONTWRITEBYTECODE=1")
