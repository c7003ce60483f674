# Chassis board hosts: written from the public protocol alone.
ptybot_host(diff_board_poll LIBS m)
