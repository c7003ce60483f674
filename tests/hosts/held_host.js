// Kobuki drivers in JavaScript: held_host.js tty|workers|serialport|net. As in held_host.c,
// commands depend on their time and on all bytes received.
"use strict";
const fs = require("fs");
const { execFileSync } = require("child_process");

const MILLISECONDS = 3000, EACH_MS = 50;
const place = process.env.PTYBOT_PORT_KOBUKI;
let heard = 0, count = 0;

function hear(bytes) {
  for (const byte of bytes) heard = (heard * 31 + byte + ++count) % 1000003;
}

function drive(write, atUs) {
  const payload = Buffer.from([1, 4, 0, 0, 0, 0]);
  payload.writeInt16LE(100 + ((heard + atUs) % 97), 2);
  payload.writeInt16LE(atUs % 1009, 4);
  const checksum = payload.reduce((sum, byte) => sum ^ byte, payload.length);
  write(Buffer.from([0xaa, 0x55, payload.length, ...payload, checksum]));
}

// Two timers and the received bytes, as in a driver.
function run(write) {
  const start = performance.now();
  setInterval(() => {
    const atUs = Math.round((performance.now() - start) * 1000);
    drive(write, atUs);
    if (atUs >= MILLISECONDS * 1000) process.exit(0);
  }, EACH_MS);
  setInterval(() => (heard += 7), 9);
}

const ways = {
  // Without a library: file system streams.
  tty() {
    const port = fs.openSync(place, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
    execFileSync("stty", ["raw", "-echo", "115200"], { stdio: [port, "ignore", "inherit"] });
    const stream = new (require("tty").ReadStream)(port);
    stream.on("data", hear);
    run((bytes) => fs.writeSync(port, bytes));
  },
  // Three threads race for the port at each byte that was read.
  workers() {
    const { Worker } = require("worker_threads");
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const port = fs.openSync(place, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
    execFileSync("stty", ["raw", "-echo", "115200"], { stdio: [port, "ignore", "inherit"] });
    const code = `
      const { workerData: { port, shared, number } } = require("worker_threads");
      for (let seen = 0; ; seen = Atomics.load(shared, 0)) {
        Atomics.wait(shared, 0, seen, 500);
        const state = Atomics.exchange(shared, 1, (Atomics.load(shared, 1) * 31 + number) % 65521);
        const payload = [1, 4, 100 + (state % 97), 0, number, 0];
        const checksum = payload.reduce((sum, byte) => sum ^ byte, payload.length);
        require("fs").writeSync(port, Buffer.from([0xaa, 0x55, 6, ...payload, checksum]));
      }`;
    for (const number of [1, 2, 3])
      new Worker(code, { eval: true, workerData: { port, shared, number } });
    const start = performance.now();
    new (require("tty").ReadStream)(port).on("data", (bytes) => {
      hear(bytes);
      Atomics.add(shared, 0, 1);
      Atomics.notify(shared, 0);
      if (performance.now() - start >= MILLISECONDS) process.reallyExit(0);
    });
  },
  serialport() {
    const { SerialPort } = require("serialport");
    const port = new SerialPort({ path: place, baudRate: 115200 });
    port.on("data", hear);
    port.on("open", () => run((bytes) => port.write(bytes)));
  },
  net() {
    const [host, number] = place.split(":");
    const port = require("net").connect(Number(number), host);
    port.on("data", hear);
    port.on("connect", () => run((bytes) => port.write(bytes)));
  },
};

ways[process.argv[2]]();
