# The chassis board. Ten simulated minutes of polling take a while.
ptybot_e2e(test_diff_board SOURCES test_diff_board.c
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c ../support/serial_port.c
    TIMEOUT 400)
