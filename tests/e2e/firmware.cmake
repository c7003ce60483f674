# Robots whose firmware is a process: the stage is that of test_verb.cmake.
ptybot_e2e(test_e2e_firmware
    SOURCES test_e2e_firmware.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c
    TIMEOUT 600)
add_dependencies(test_e2e_firmware echo_firmware)
