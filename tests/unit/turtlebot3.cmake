# Dynamixel 2.0.
ptybot_test(test_dynamixel LIBS ptybot_protocols)
