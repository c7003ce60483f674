# The Create 2, by its bytes, in a world.
foreach(test test_create2 test_create2_clock test_create2_recorded
        test_create2_time)
    ptybot_test(${test} SOURCES ${test}.c create2_rig.c kobuki_rig.c ../support/simulation.c
        LIBS ptybot_sim m)
endforeach()
ptybot_test(test_create2_state LIBS ptybot_protocols m)
ptybot_test(test_create2_docking SOURCES test_create2_docking.c ../support/home_trial.c
    ../support/simulation.c ../hosts/create2_seek.c ../hosts/create2_client.c LIBS ptybot_sim m)
