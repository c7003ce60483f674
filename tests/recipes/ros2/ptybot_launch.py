"""An action for launch files: starts a separate run, which ends with the launch. Later actions have
LaunchConfiguration("port_ROBOT") for each robot, and "ptybot_control"."""
import json
import subprocess

from launch.actions import OpaqueFunction, RegisterEventHandler, SetLaunchConfiguration
from launch.event_handlers import OnShutdown


def place(channel):
    return channel.get("path") or "{address}:{port}".format(**channel)


def ptybot(scene, *words):
    def start(context):
        run = subprocess.Popen(
            ["ptybot", "run", scene, "--private", "--json", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        line = run.stdout.readline()
        if not line:
            raise RuntimeError(f"ptybot ended with {run.wait()}")
        about = json.loads(line)
        ports = [
            SetLaunchConfiguration("port_" + robot["name"], place(robot["channels"][0]))
            for robot in about["robots"] if robot["channels"]
        ]

        def end(event, context):
            run.stdin.close()
            run.wait()

        return [
            *ports,
            SetLaunchConfiguration("ptybot_control", about["control"]),
            RegisterEventHandler(OnShutdown(on_shutdown=end)),
        ]

    return OpaqueFunction(function=start)
