ptybot_test(test_room SOURCES test_room.c ../support/simulation.c LIBS ptybot_sim m)
