#!/usr/bin/env python3
import sys

import rospy
import serial
from std_msgs.msg import UInt8


def packets(port):
    while not rospy.is_shutdown():
        while port.read(1) != b"\xaa" or port.read(1) != b"\x55":
            pass
        yield port.read(port.read(1)[0] + 1)


rospy.init_node("driver")
bumper = rospy.Publisher("bumper", UInt8, queue_size=1)
with serial.Serial(sys.argv[1], 115200) as port:
    for packet in packets(port):
        bumper.publish(packet[4])
