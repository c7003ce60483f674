# The trunk.
ptybot_test(test_line LIBS ptybot_sim)
