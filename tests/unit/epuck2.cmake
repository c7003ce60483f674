# The e-puck2: packets and their timing, motion, senses, serial protocol.
foreach(test packet stream motion senses image sercom)
    ptybot_test(test_epuck2_${test} SOURCES test_epuck2_${test}.c epuck2_rig.c
        LIBS ptybot_protocols m)
endforeach()
# In a world, by its bytes.
ptybot_test(test_epuck2_world SOURCES test_epuck2_world.c ../support/simulation.c
    LIBS ptybot_sim m)
