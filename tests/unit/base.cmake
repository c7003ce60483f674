# The ground, below all; what options, numbers and errors do is asked in protocols.cmake.
ptybot_test(test_array LIBS ptybot_base)
ptybot_count_allocations(test_array)
ptybot_test(test_ring LIBS ptybot_base)
ptybot_count_allocations(test_ring)
ptybot_test(test_link_kind LIBS ptybot_base)
ptybot_test(test_text LIBS ptybot_base)
ptybot_test(test_plain_text LIBS ptybot_base)
ptybot_test(test_serial_settings LIBS ptybot_base)
