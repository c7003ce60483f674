# The virtual LiDARs in whole simulations, with their bytes decoded as drivers decode them.
ptybot_test(test_power_on SOURCES test_power_on.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_lidar_range LIBS ptybot_protocols m)
ptybot_test(test_lidar SOURCES test_lidar.c ../support/simulation.c LIBS ptybot_sim m TIMEOUT 300)
