# The virtual chassis board, in a whole simulation.
foreach(noun memory motion odometry travel wire)
    ptybot_test(test_diff_board_${noun}
        SOURCES test_diff_board_${noun}.c diff_board_rig.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
endforeach()
