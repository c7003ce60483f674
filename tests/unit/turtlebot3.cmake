# Dynamixel 2.0.
ptybot_test(test_dynamixel LIBS ptybot_protocols)
# The TurtleBot3s, in whole simulations.
ptybot_test(test_turtlebot3 SOURCES test_turtlebot3.c ../support/simulation.c LIBS ptybot_sim m)
# Their scanners.
ptybot_test(test_lds SOURCES test_lds.c ../support/simulation.c LIBS ptybot_sim m)
