// node bench_page.mjs PTYBOT [NAME [SECONDS [ROBOTS,...]]]: cost of a page; page.frames as NAME
// measures only frames. All Kobukis drive in circles, commanded by hosts on their ptys. First:
// bytes per second and CPU time of a stream without a selection and with one robot selected,
// compared with `watch` of the poses, and of all signals, at the same rate. Then the lateness of a
// Kobuki's packets without a listener, with five streams, and (with Chromium) with five visible
// tabs, relative to the most punctual packet. Then the frames per second of a visible page. Prints
// lines like the other benchmarks.
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { execFileSync, spawn } from "node:child_process";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { ReadStream } from "node:tty";
import { createGunzip } from "node:zlib";
import { fileURLToPath } from "node:url";
import { Browser, sleep } from "../viewer/browser.mjs";
import { Run } from "../viewer/run.mjs";

const [program, name = "page", seconds = "6", counts = "1,10,100"] = process.argv.slice(2);
const SECONDS = Number(seconds);
const TICKS = 100; // a second, of /proc/PID/stat
const CIRCLE = Buffer.from("aa55060104c800f401", "hex"); // 200 mm/s on a radius of 500 mm
const FRAME = Buffer.concat([CIRCLE, Buffer.from([CIRCLE.subarray(2).reduce((sum, byte) => sum ^ byte, 0)])]);
const folder = program === "--hear" ? "" : mkdtempSync(`${tmpdir()}/ptybot-bench-`);

const print = (name, value, unit) => console.log(`${name}\t${Number(value.toPrecision(4))}\t${unit}`);

function scene(count) {
  const side = Math.ceil(Math.sqrt(count));
  const robots = Array.from({ length: count }, (_, i) =>
    `  - {name: k${i}, type: kobuki, pose: {x: ${2 + 3 * (i % side)}, y: ${2 + 3 * Math.floor(i / side)}, heading: 0}, links: [{pty: k${i}}]}`);
  const path = `${folder}/${count}.yaml`;
  writeFileSync(path, `name: bench\nworld: {size: {x: ${3 * side + 2}, y: ${3 * side + 2}}}\nrobots:\n${robots.join("\n")}\n`);
  return path;
}

// Starts a host for each robot, which reads and sends drive commands.
function drive(run) {
  const hosts = run.about.robots.filter(({ channels }) => channels[0]?.path).map((robot) => {
    const { path } = robot.channels[0];
    execFileSync("stty", ["-F", path, "raw", "-echo", "115200"]);
    const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    const stream = new ReadStream(fd);
    stream.setRawMode(true);
    stream.on("error", () => {});
    stream.on("data", () => {});
    return { fd, stream };
  });
  const tell = () => hosts.forEach(({ fd }) => writeSync(fd, FRAME));
  tell();
  const timer = setInterval(tell, 500);
  return { hosts, end: () => (clearInterval(timer), hosts.forEach(({ stream }) => stream.destroy())) };
}

const cpu_s = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
};

const serverOf = (run) =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).find((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const parent = stat.split(") ")[1].split(" ")[1]; // its keeper
      return stat.includes("(ptybot-web)") && readFileSync(`/proc/${parent}/stat`, "utf8").split(") ")[1].split(" ")[1] === String(run.process.pid);
    } catch {
      return false;
    }
  });

// A listener that acts like a browser; counts the bytes on the wire and the pictures.
function listen(run) {
  const counter = { bytes: 0, pictures: 0 };
  const asked = request(`${run.url}events`, { headers: { "Accept-Encoding": "gzip" }, agent: false });
  asked.on("socket", (socket) => socket.on("data", (bytes) => (counter.bytes += bytes.length)));
  asked.on("response", (reply) => {
    reply.on("error", () => {});
    const text = reply.pipe(createGunzip()).setEncoding("utf8");
    text.on("data", (more) => (counter.pictures += more.split("event: change").length - 1)).on("error", () => {});
  });
  asked.on("error", () => {});
  asked.end();
  counter.end = () => asked.destroy();
  return counter;
}

function watch(run, signals) {
  const counter = { bytes: 0 };
  const socket = connect(run.about.control);
  socket.on("data", (bytes) => (counter.bytes += bytes.length)).on("error", () => {});
  socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "watch", params: { signals, every_ms: 33 } })}\n`);
  counter.end = () => socket.destroy();
  return counter;
}

async function measure(run, counter) {
  await sleep(1500);
  const pid = serverOf(run);
  const before = [counter.bytes, cpu_s(run.process.pid), cpu_s(pid), counter.pictures];
  const from = process.hrtime.bigint();
  await sleep(1000 * SECONDS);
  const took = Number(process.hrtime.bigint() - from) / 1e9;
  const found = { bytes: (counter.bytes - before[0]) / took, run: (100 * (cpu_s(run.process.pid) - before[1])) / took, web: (100 * (cpu_s(pid) - before[2])) / took, pictures: (counter.pictures - before[3]) / took };
  counter.end();
  return found;
}

async function traffic(count) {
  const run = await Run.start(program, "run", scene(count));
  const hosts = drive(run);
  const nobody = await measure(run, { bytes: 0, end() {} });
  const page = await measure(run, listen(run));
  const chosen = listen(run);
  await sleep(300);
  const headers = { "Content-Type": "application/json" };
  request(`${run.url}look`, { method: "POST", headers }, (reply) => reply.resume()).end(JSON.stringify({ stream: 2, robots: [0] }));
  const selected = await measure(run, chosen);
  const poses = await measure(run, watch(run, ["*.x_m", "*.y_m", "*.heading_deg"]));
  const all = await measure(run, watch(run, ["*"]));
  for (const [name, found] of Object.entries({ page, selected, poses, all })) print(`page.${count}.${name}.bytes`, found.bytes / 1000, "kB/s");
  print(`page.${count}.pictures`, page.pictures, "a second");
  print(`page.${count}.server.cpu`, page.web, "% of a core");
  for (const [name, found] of Object.entries({ nobody, page, poses, all })) print(`page.${count}.${name}.run_cpu`, found.run, "% of a core of the run");
  hosts.end();
  await run.end();
}

// ---- Lateness ----

// A host in its own process, with real-time priority if that is allowed, so that the lateness
// arises at the port and not in the host. It commands the robot to drive, reads its packets, and
// prints the median and the 99th percentile of their lateness in ms.
async function hear(path, from_s, for_s) {
  const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const stream = new ReadStream(fd);
  const at = [];
  let rest = Buffer.alloc(0);
  stream.setRawMode(true);
  const timer = setInterval(() => writeSync(fd, FRAME), 20);
  stream.on("data", (bytes) => {
    const now = Number(process.hrtime.bigint()) / 1e6;
    rest = Buffer.concat([rest, bytes]);
    for (let head; (head = rest.indexOf("aa55", 0, "hex")) >= 0 && rest.length > head + 2; rest = rest.subarray(head + rest[head + 2] + 4)) at.push(now);
  });
  await sleep(1000 * from_s);
  at.length = 0; // all runs by now
  await sleep(1000 * for_s);
  clearInterval(timer);
  stream.destroy();
  const late = at.map((time, i) => time - 20 * i);
  const least = Math.min(...late);
  const sorted = late.map((one) => one - least).sort((a, b) => a - b);
  console.log(sorted[Math.floor(sorted.length / 2)], sorted[Math.floor(sorted.length * 0.99)]);
}

const isAhead = (() => {
  try {
    execFileSync("chrt", ["-f", "2", "true"], { stdio: "ignore" });
    return true;
  } catch {
    console.error("bench page: SCHED_FIFO is not allowed here: how late the host itself is counts too");
    return false;
  }
})();

async function lateness(name, begin) {
  const run = await Run.start(program, "run", scene(1));
  const { path } = run.about.robots[0].channels[0];
  execFileSync("stty", ["-F", path, "raw", "-echo", "115200"]);
  const finish = await begin(run);
  const words = [process.execPath, fileURLToPath(import.meta.url), "--hear", path, "1.5", seconds];
  const host = isAhead ? spawn("chrt", ["-f", "2", ...words]) : spawn(words[0], words.slice(1));
  let said = "";
  host.stdout.on("data", (bytes) => (said += bytes));
  await new Promise((resolve) => host.on("close", resolve));
  const [median, p99] = said.split(" ").map(Number);
  print(`page.late.${name}.median`, median, "ms");
  print(`page.late.${name}.p99`, p99, "ms");
  await finish();
  await run.end();
}

// ---- Frames per second ----

// Runs in a page: number of frames per second, if each frame paints the picture or is empty.
const countFrames = `(isEmpty) => new Promise((resolve) => {
  const { room } = ptybot, { painter } = room, from = performance.now();
  const clear = (canvas) => canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
  if (isEmpty) painter.paint = clear;
  let frames = 0;
  const tick = () => {
    const took = performance.now() - from;
    room.isStale = true;
    frames++;
    if (took < 1000) return requestAnimationFrame(tick);
    delete painter.paint;
    resolve((1000 * frames) / took);
  };
  requestAnimationFrame(tick);
})`;

// Frames with the picture of a run and empty frames alternate; the median counts.
async function frames(browser, name, scene) {
  const run = await Run.start(program, "run", scene);
  const hosts = drive(run);
  const page = await browser.page(run.url);
  await page.shown();
  const ratios = [];
  for (let i = 0; i < 7; i++) {
    const empty = await page.eval(`(${countFrames})(true)`);
    ratios.push((await page.eval(`(${countFrames})(false)`)) / empty);
  }
  print(`page.frames.${name}`, ratios.sort((a, b) => a - b)[3], "of those of an empty canvas");
  hosts.end();
  await page.close();
  await run.end();
}

if (program === "--hear") {
  const [, , , path, from_s, for_s] = process.argv;
  await hear(path, Number(from_s), Number(for_s));
  process.exit(0);
}

// The rooms of the painting benchmark: ten Kobukis that drive in the light of a dock, with full
// trails, and with scanners.
function room(name) {
  const robots = Array.from({ length: 10 }, (_, i) =>
    `  - {name: k${i}, type: kobuki, pose: {x: ${0.5 + 0.95 * i}, y: ${2.5 + 3 * (i % 2)}, heading: ${(37 * i) % 360}}, links: [{pty: k${i}}]}\n` +
    (name === "scans" ? `  - {name: l${i}, type: ld06, mount: {on: k${i}}}\n` : ""));
  const dock = name === "light" ? "  docks: [{name: dock, pose: {x: 9.7, y: 5, heading: 180}}]\n" : "";
  const path = `${folder}/${name}.yaml`;
  writeFileSync(path, `name: bench\nworld:\n  size: {x: 10, y: 10}\n${dock}robots:\n${robots.join("")}`);
  return path;
}

async function all() {
  for (const count of counts.split(",")) await traffic(Number(count));
  await lateness("nobody", async () => async () => {});
  await lateness("five_streams", async (run) => {
    // In a separate process, so that they do not delay the host.
    const code = `for (let i = 0; i < 5; i++) require("http").get(process.argv[1], { headers: { "Accept-Encoding": "gzip" }, agent: false }, (r) => r.resume())`;
    const child = spawn(process.execPath, ["-e", code, `${run.url}events`], { stdio: "ignore" });
    return async () => child.kill();
  });
}

const isAll = !name.startsWith("page.");
try {
  if (isAll) await all();
  const browser = new Browser();
  try {
    for (const scene of ["kobuki_dock", "ten_kobukis"]) await frames(browser, scene, fileURLToPath(new URL(`../../scenes/${scene}.yaml`, import.meta.url)));
    for (const kind of ["light", "trails", "scans"]) await frames(browser, kind, room(kind));
    if (isAll)
      await lateness("five_tabs", async (run) => {
        for (let i = 0; i < 5; i++) await browser.send("Target.createTarget", { url: run.url, newWindow: true });
        await sleep(4000);
        return () => browser.close();
      });
    else await browser.close();
  } catch (error) {
    console.error(`frames and lateness with tabs are not measured: ${error.message}`);
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}
