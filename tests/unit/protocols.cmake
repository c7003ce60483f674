# The protocol leaf.
ptybot_test(test_checksum LIBS ptybot_protocols)
ptybot_test(test_describe LIBS ptybot_protocols)
ptybot_test(test_error LIBS ptybot_protocols)
ptybot_test(test_number LIBS ptybot_protocols)
ptybot_test(test_option LIBS ptybot_protocols)
ptybot_test(test_rng LIBS ptybot_protocols m)
ptybot_test(test_wire LIBS ptybot_protocols m)
