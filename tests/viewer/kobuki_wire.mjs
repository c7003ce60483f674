// A host of a Kobuki that only listens: the last basic sensor data of its wire.
// Frames are AA 55, length, parts of id and length, XOR of all behind the head; part 1 is basic data:
// time (2), bumpers, wheel drops, cliffs, encoders (2, 2), pwm (1, 1), buttons, charger, battery, overcurrent.
import { execFileSync } from "node:child_process";
import { constants, closeSync, openSync } from "node:fs";
import { ReadStream } from "node:tty";

export class Wire {
  constructor(path) {
    execFileSync("stty", ["-F", path, "raw", "-echo", "115200"]);
    this.fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    this.frames = this.bad = 0;
    this.hasEnded = false;
    let rest = Buffer.alloc(0);
    this.stream = new ReadStream(this.fd);
    this.stream.setRawMode(true);
    this.stream.on("error", () => (this.hasEnded = true));
    this.stream.on("end", () => (this.hasEnded = true));
    this.stream.on("data", (bytes) => (rest = this.take(Buffer.concat([rest, bytes]))));
  }

  take(bytes) {
    for (;;) {
      const head = bytes.indexOf("aa55", 0, "hex");
      if (head < 0) return bytes.subarray(Math.max(0, bytes.length - 1));
      bytes = bytes.subarray(head);
      if (bytes.length < 3 || bytes.length < bytes[2] + 4) return bytes;
      const frame = bytes.subarray(2, bytes[2] + 4);
      if (frame.reduce((sum, byte) => sum ^ byte, 0) !== 0) {
        this.bad++;
        bytes = bytes.subarray(2);
        continue;
      }
      this.frames++;
      if (frame[1] === 1)
        this.basic = { bumper: frame[5], drop: frame[6], left: frame.readUInt16LE(8), buttons: frame[14], charger: frame[15] };
      bytes = bytes.subarray(frame.length + 2);
    }
  }

  close() {
    this.stream.destroy();
    try {
      closeSync(this.fd);
    } catch {}
  }
}
