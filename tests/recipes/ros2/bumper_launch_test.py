import os
import subprocess
import time
import unittest

import launch
import launch_ros.actions
import launch_testing.actions
import rclpy
from std_msgs.msg import UInt8


def generate_test_description():
    driver = launch_ros.actions.Node(
        package="my_driver", executable="driver", parameters=[{"port": os.environ["PTYBOT_PORT_KOBUKI"]}]
    )
    return launch.LaunchDescription([driver, launch_testing.actions.ReadyToTest()])


class Bumper(unittest.TestCase):
    def test_a_pressed_bumper_is_reported(self):
        rclpy.init()
        node = rclpy.create_node("test_bumper")
        received = []
        node.create_subscription(UInt8, "bumper", lambda message: received.append(message.data), 10)
        subprocess.run(["ptybot", "ctl", "kobuki.press", "bumper=left", "for=30"], check=True)
        end = time.monotonic() + 30
        while 4 not in received and time.monotonic() < end:
            rclpy.spin_once(node, timeout_sec=0.1)
        self.assertIn(4, received)
        rclpy.shutdown()
