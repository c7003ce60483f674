import serial

def test_a_bump_reaches_the_driver(ptybot_sim):
    with serial.Serial(ptybot_sim.port(), 115200, timeout=5) as robot:
        ptybot_sim.do("kobuki.press", bumper="left")
        assert any(robot.read_until(b"\xaa\x55")[5:6] == b"\x04" for _ in range(50))
