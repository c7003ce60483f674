# What a viewer sees of a simulation.
ptybot_test(test_snapshot SOURCES test_snapshot.c ../support/simulation.c LIBS ptybot_sim m)
target_link_options(test_snapshot PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc)
