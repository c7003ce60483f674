// A driver's test with the npm package serialport: drives a Kobuki half a meter by its encoders, and
// stops. Takes the port from the environment, as `ptybot test` sets it. Exit 0 only if it got there,
// every packet was whole, and the modem lines of the port answer.
"use strict";
const { SerialPort } = require("serialport");

const TICK_MM = 0.085292; // Kobuki's public documentation, Conversion: 85.292 um of travel a tick
const GOAL_MM = 500;
const TIMEOUT_MS = 60000;

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

function baseControl(speed) {
  const payload = Buffer.from([1, 4, 0, 0, 0, 0]);
  payload.writeInt16LE(speed, 2);
  const checksum = payload.reduce((sum, byte) => sum ^ byte, payload.length);
  return Buffer.from([0xaa, 0x55, payload.length, ...payload, checksum]);
}

// Calls take(payload) for each whole packet; returns the bytes that are left.
function takePackets(bytes, take) {
  while (bytes.length >= 3 && bytes.length >= bytes[2] + 4) {
    const size = bytes[2];
    const packet = bytes.subarray(0, size + 4);
    if (packet[0] !== 0xaa || packet[1] !== 0x55 || packet.subarray(2).reduce((a, b) => a ^ b, 0))
      fail(`a damaged packet: ${packet.toString("hex")}`);
    take(packet.subarray(3, size + 3));
    bytes = bytes.subarray(size + 4);
  }
  return bytes;
}

const port = new SerialPort({ path: process.env.PTYBOT_PORT_KOBUKI, baudRate: 115200 });
let first = null;
let bytes = Buffer.alloc(0);
let isDone = false;

function look(payload) {
  if (isDone) return;
  // Basic sensor data is the first sub-payload: head, time, bumper, drop, cliff, encoders.
  const left = payload.readUInt16LE(7);
  if (first === null) first = left;
  const driven = ((left - first) & 0xffff) * TICK_MM;
  if (driven < GOAL_MM) return void port.write(baseControl(200));
  isDone = true;
  port.write(baseControl(0));
  port.drain(() =>
    port.close(() => {
      console.log(`drove ${driven.toFixed(0)} mm`);
      process.exit(0);
    })
  );
}

port.on("error", (error) => fail(error.message));
port.on("open", () =>
  port.get((error, lines) => {
    if (error) fail(error.message);
    if (!lines.cts || !lines.dsr) fail("the robot is not ready");
  })
);
port.on("data", (chunk) => (bytes = takePackets(Buffer.concat([bytes, chunk]), look)));
setTimeout(() => fail("the robot is too slow"), TIMEOUT_MS);
