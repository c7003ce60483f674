"""Drives a circle with the class Transport of pypibot, and polls the odometry. After three failed requests it opens the port again."""

import signal
import sys
import time

from dataholder import MessageID
from transport import Transport

for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: sys.exit(0))
while True:
    board = Transport(sys.argv[1], 115200)
    failures = 0 if board.start() else 3
    speed = board.getDataHolder()[MessageID.ID_SET_VEL]
    speed.v_liner_x, speed.v_angular_z = 20, 50
    odometry = board.getDataHolder()[MessageID.ID_GET_ODOM]
    while failures < 3:
        try:
            works = board.request(MessageID.ID_SET_VEL) and board.request(MessageID.ID_GET_ODOM)
        except OSError:
            works = False
        failures = 0 if works else failures + 1
        if works:
            print(f"ptybot estimate speed_m_s={odometry.v_liner_x / 100} turn_deg_s={odometry.v_angular_z / 100 * 57.2958}", flush=True)
        time.sleep(0.1)
    if hasattr(board, "_Serial"):
        board.Stop()
    time.sleep(0.5)
