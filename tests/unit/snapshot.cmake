# What a viewer sees of a simulation.
ptybot_test(test_snapshot SOURCES test_snapshot.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_count_allocations(test_snapshot)
target_link_options(test_snapshot PRIVATE LINKER:--wrap=wire_frame_walk)
ptybot_test(test_frame_splitter LIBS ptybot_sim)
