# The journal: its lines, and a run from it, in memory.
ptybot_test(test_journal LIBS ptybot_sim)
ptybot_test(test_playback SOURCES test_playback.c playback_inputs.c ../support/simulation.c
    LIBS ptybot_app m)
ptybot_test(test_playback_process
    SOURCES test_playback_process.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_count_allocations(test_playback_process)
