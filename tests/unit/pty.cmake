# Byte links: the kernel they are built on, well-behaved and other hosts, paths, the contract in memory.
ptybot_test(test_pty_kernel)
ptybot_test(test_pty_link LIBS ptybot_pty)
ptybot_test(test_pty_hosts LIBS ptybot_pty)
ptybot_test(test_pty_plug LIBS ptybot_pty)
ptybot_test(test_pty_path LIBS ptybot_pty)
ptybot_test(test_pty_claim LIBS ptybot_pty)
ptybot_test(test_byte_link_memory LIBS ptybot_pty)
# Vanished hosts take seconds to be found.
ptybot_test(test_tcp_link LIBS ptybot_pty LABELS slow TIMEOUT 120)
