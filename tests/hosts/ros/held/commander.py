#!/usr/bin/python3
"""A node that drives for three seconds: its commands depend on when they are given and on everything that
the driver has reported."""
import zlib

import rospy
from std_msgs.msg import Int32, String

SECONDS, EACH = 3, 0.05
rospy.init_node("commander")
heard = 0


def hear(message):
    global heard
    heard = zlib.crc32(message.data.encode(), heard)


commands = rospy.Publisher("commands", Int32, queue_size=10)
rospy.Subscriber("heard", String, hear)
while commands.get_num_connections() == 0 or not heard:
    rospy.sleep(0.01)
start = rospy.get_time()
while rospy.get_time() - start < SECONDS:
    at_us = int((rospy.get_time() - start) * 1e6 + 0.5)
    commands.publish((100 + (heard + at_us) % 97) | (at_us % 1009) << 16)
    rospy.sleep(EACH)
