#!/usr/bin/python3
"""A node that has the serial port: reports the packets of the Kobuki, and sends it commands."""
import os
import termios
import threading
import tty

import rospy
from std_msgs.msg import Int32, String

port = os.open(os.environ["PTYBOT_PORT_KOBUKI"], os.O_RDWR | os.O_NOCTTY)
tty.setraw(port)
mode = termios.tcgetattr(port)
mode[4] = mode[5] = termios.B115200
termios.tcsetattr(port, termios.TCSANOW, mode)
rospy.init_node("driver")
heard = rospy.Publisher("heard", String, queue_size=100)


def send(message):
    payload = bytes([1, 4]) + (message.data & 0xFFFFFFFF).to_bytes(4, "little")
    checksum = len(payload)
    for byte in payload:
        checksum ^= byte
    os.write(port, bytes([0xAA, 0x55, len(payload)]) + payload + bytes([checksum]))


def read():
    while not rospy.is_shutdown():
        heard.publish(os.read(port, 256).hex())


rospy.Subscriber("commands", Int32, send)
threading.Thread(target=read, daemon=True).start()
rospy.spin()
