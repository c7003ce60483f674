"""Uses the modem lines of a port with pyserial, and claims it for itself.

usage: modem_pyserial.py PORT     says "ready" with DTR off, then waits until CTS goes off
"""
import sys
import time

import serial

TIMEOUT_S = 30


def expect(condition, text):
    if not condition:
        sys.exit(text)


def claim_is_refused(path):
    try:
        serial.Serial(path, 115200, exclusive=True).close()
    except serial.SerialException:
        return True
    return False


def main(path):
    with serial.Serial(path, 115200, timeout=10, exclusive=True) as port:
        expect(claim_is_refused(path), "the claim of another was not refused")
        expect(port.cts and port.dsr and port.cd and not port.ri, "the robot is not ready")
        port.rts = False
        port.rts = True
        port.dtr = False
        expect(len(port.read(81)) == 81, "the robot is silent")
        port.reset_input_buffer()
        port.set_low_latency_mode(True)
        port.send_break(0.01)
        print("ready", flush=True)
        end = time.monotonic() + TIMEOUT_S
        while port.cts and time.monotonic() < end:
            time.sleep(0.01)
        expect(not port.cts, "CTS does not go off")
        expect(port.dsr, "DSR went, too")
        port.dtr = True
        print("cts went off", flush=True)
        while not port.ri and time.monotonic() < end:
            time.sleep(0.01)
        expect(port.ri, "RI does not come")


if __name__ == "__main__":
    main(sys.argv[1])
