# The virtual COBOT, in a whole simulation.
foreach(noun frame hosts imu motion options rates watchdog)
    ptybot_test(test_cobot_${noun} SOURCES test_cobot_${noun}.c cobot_rig.c ../support/simulation.c
        LIBS ptybot_sim m)
endforeach()
