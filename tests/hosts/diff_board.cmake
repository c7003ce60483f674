# Chassis board drivers, based only on the public protocol.
ptybot_host(diff_board_poll LIBS m)
