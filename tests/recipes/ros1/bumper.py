#!/usr/bin/env python3
import subprocess
import unittest

import rospy
import rostest
from std_msgs.msg import UInt8


class Bumper(unittest.TestCase):
    def test_a_pressed_bumper_is_reported(self):
        rospy.init_node("test_bumper")
        while rospy.wait_for_message("bumper", UInt8, timeout=30).data != 0:
            pass
        subprocess.run(["ptybot", "ctl", "kobuki.press", "bumper=left", "for=30"], check=True)
        while rospy.wait_for_message("bumper", UInt8, timeout=30).data != 4:
            pass


rostest.rosrun("ptybot_recipe", "bumper", Bumper)
