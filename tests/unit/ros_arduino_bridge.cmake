# The virtual board of ros_arduino_bridge, in a whole simulation.
ptybot_test(test_ros_arduino_bridge SOURCES test_ros_arduino_bridge.c ../support/simulation.c LIBS ptybot_sim m)
