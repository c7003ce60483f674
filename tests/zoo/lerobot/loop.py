"""Reads and writes a robot of lerobot at 30 Hz for 4 s: loop.py lekiwi|so101 PORT.

Bus and robot are classes of lerobot. Modules that lerobot imports for other purposes are replaced.
"""

import importlib.machinery
import pathlib
import sys
import tempfile
import time
import types
from unittest.mock import MagicMock

ROOT = next(pathlib.Path(place) for place in sys.path if (pathlib.Path(place) / "lerobot").is_dir())


class ChoiceRegistry:
    """Stands for the class of draccus, which reads command lines."""

    @classmethod
    def register_subclass(cls, _name):
        return lambda subclass: subclass


def module(name, path=(), **members):
    """Makes a module. PATH: where its own modules are; its __init__ is not run, as it imports all of lerobot."""
    made = types.ModuleType(name)
    made.__dict__.update(members, __path__=[str(place) for place in path])
    made.__spec__ = importlib.machinery.ModuleSpec(name, None)
    sys.modules[name] = made
    return made


def replace_others():
    module("draccus", ChoiceRegistry=ChoiceRegistry, load=None, dump=None, config_type=None)
    module("draccus.choice_types", ChoiceRegistry=ChoiceRegistry)
    module("tqdm", tqdm=lambda items, *_, **__: items)
    module("huggingface_hub")
    module("huggingface_hub.constants", HF_HOME=tempfile.gettempdir())
    module("lerobot", [ROOT / "lerobot"])
    module("lerobot.utils", [ROOT / "lerobot" / "utils"])
    module("lerobot.cameras", CameraConfig=object, Cv2Rotation=MagicMock(), make_cameras_from_configs=lambda _: {})
    module("lerobot.cameras.opencv", OpenCVCameraConfig=MagicMock())
    for name in ("types", "lerobot_types"):  # the same file, before and after it was renamed
        module(f"lerobot.{name}", RobotAction=dict, RobotObservation=dict)
    for name in ("so_follower.robot_kinematic_processor", "lekiwi.lekiwi_client"):
        sys.modules[f"lerobot.robots.{name}"] = MagicMock()


def give_packages():
    """The packages of the bus, which lerobot looks for by the names of their installation."""
    import scservo_sdk
    import serial
    from lerobot.motors import motors_bus
    from lerobot.motors.feetech import feetech

    motors_bus.serial, feetech.scs = serial, scservo_sdk
    motors_bus.DeepDiff = lambda one, other: one != other
    motors_bus.require_package = feetech.require_package = lambda *_, **__: None


def make_robot(kind, port):
    if kind == "lekiwi":
        from lerobot.robots.lekiwi.config_lekiwi import LeKiwiConfig as Config
        from lerobot.robots.lekiwi.lekiwi import LeKiwi as Robot
    else:
        from lerobot.robots.so_follower.config_so_follower import SOFollowerRobotConfig as Config
        from lerobot.robots.so_follower.so_follower import SOFollower as Robot
    config = Config(port=port, cameras={})
    config.id, config.calibration_dir = None, pathlib.Path(tempfile.mkdtemp())
    return Robot(config)


def main():
    kind, port = sys.argv[1:]
    replace_others()
    give_packages()
    robot = make_robot(kind, port)
    robot.connect(calibrate=False)
    robot.bus.calibration = robot.bus.read_calibration()
    action = {**robot.get_observation(), "x.vel": 0.1, "y.vel": 0.0, "theta.vel": 0.0}
    if kind != "lekiwi":
        action = {key: value for key, value in action.items() if key.endswith(".pos")}
    for _ in range(120):
        began = time.monotonic()
        robot.get_observation()
        robot.send_action(action)
        time.sleep(max(0.0, 1 / 30 - (time.monotonic() - began)))
    robot.disconnect()


main()
