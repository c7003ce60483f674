# The trunk.
ptybot_test(test_line LIBS ptybot_sim)
ptybot_test(test_sim SOURCES test_sim.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_sim_motion SOURCES test_sim_motion.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
target_link_options(test_sim PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc)
ptybot_test(state_hash SOURCES state_hash.c diff_board_rig.c kobuki_rig.c
    ../support/simulation.c LIBS ptybot_sim)
ptybot_test(test_scenes_at_random SOURCES test_scenes_at_random.c kobuki_rig.c
    ../support/simulation.c LIBS ptybot_sim m TIMEOUT 300)
ptybot_test(test_fidelity SOURCES test_fidelity.c kobuki_bench.c kobuki_rig.c
    ../support/simulation.c LIBS ptybot_sim m TIMEOUT 120)
ptybot_test(test_senses SOURCES test_senses.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
