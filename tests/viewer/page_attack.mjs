// node page_attack.mjs PTYBOT: attacks by unauthorized and by misbehaving clients. Nothing may
// reach the robots, and no memory may grow.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { until, sleep } from "./browser.mjs";
import { Run } from "./run.mjs";

const [program] = process.argv.slice(2);
const GROWTH_MAX_KB = 16000; // of the server's memory: its places for connections and listeners, all in use

let failed = 0;
function check(what, holds, found = "") {
  console.log(`${holds ? "ok    " : "FAILED"} ${what}${found === "" ? "" : ` (${found})`}`);
  failed += holds ? 0 : 1;
}

const run = await Run.start(program, "run", "kobuki"); // no scene, whose expectations end with time
const { port, pathname } = new URL(run.url);
const JSON_TYPE = { "Content-Type": "application/json" };
const command = JSON.stringify({ command: "kobuki.place x=1 y=1 heading=0" });

// The status of an answer, or 0 if the connection was closed.
const ask = (method, path, headers = {}, body = "") =>
  new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (reply) => {
      reply.resume();
      reply.on("error", () => resolve(0)).on("end", () => resolve(reply.statusCode));
      if (reply.headers["content-type"] === "text/event-stream") resolve(reply.statusCode), asked.destroy();
    });
    asked.on("error", () => resolve(0));
    asked.end(body);
  });

const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8");

// Whether the run has started process PID, directly or through a keeper.
function isOfRun(pid) {
  const parent = Number(statOf(pid).split(") ").at(-1).split(" ")[1]);
  return parent === run.process.pid || (parent > 1 && isOfRun(parent));
}

function server() {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (statOf(pid).includes("(ptybot-web)") && isOfRun(pid)) return pid;
    } catch {}
  }
  return undefined;
}
const pid = await until("the page's process has begun", server);
const memory_kB = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
const descriptors = () => readdirSync(`/proc/${pid}/fd`).length;

// A connection that sends TEXT and reads nothing.
const open = (text) =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(text, () => resolve(socket)));
    socket.pause();
    socket.on("error", () => resolve(socket));
  });

// ---- An authorized client gets every file that the page names ----

const files = new Map([["", 0]]);
for (const name of files.keys()) {
  const reply = await fetch(run.url + name);
  files.set(name, reply.status);
  for (const [, found] of name.endsWith(".wasm") ? [] : (await reply.text()).matchAll(/["'](?:\.\/)?([a-z]+\.(?:mjs|css|wasm))["']/g))
    if (!files.has(found)) files.set(found, 0);
}
check("all files that the page names are there", files.size > 8 && [...files.values()].every((status) => status === 200), [...files].map((one) => one.join(" ")).join(", "));

// ---- Who must not come in ----

const doors = [
  ["no token", 403, "GET", "/"],
  ["a wrong token", 403, "GET", `/${"0".repeat(32)}/`],
  ["a part of the token", 403, "GET", `${pathname.slice(0, 20)}/`],
  ["a foreign name of the host", 403, "GET", pathname, { Host: `evil.example:${port}` }],
  ["a name that begins like ours", 403, "GET", pathname, { Host: `localhost.evil.example:${port}` }],
  ["another origin", 403, "POST", `${pathname}do`, { ...JSON_TYPE, Origin: "http://evil.example" }, command],
  ["another port of this machine", 403, "POST", `${pathname}do`, { ...JSON_TYPE, Origin: "http://127.0.0.1:1" }, command],
  ["the origin of a file", 403, "POST", `${pathname}do`, { ...JSON_TYPE, Origin: "null" }, command],
  ["a request across sites", 403, "GET", `${pathname}events`, { "Sec-Fetch-Site": "cross-site" }],
  ["a name behind a bracket", 403, "GET", pathname, { Host: "[::1].evil.example" }],
  ["a name for a port", 403, "GET", pathname, { Host: "127.0.0.1:evil.example" }],
  ["a type that begins like ours", 415, "POST", `${pathname}do`, { "Content-Type": "application/jsonx" }, command],
  ["a form", 415, "POST", `${pathname}do`, { "Content-Type": "text/plain" }, command],
  ["another method", 405, "DELETE", `${pathname}do`],
  ["a command by GET", 404, "GET", `${pathname}do?command=kobuki.lift`],
  ["a path out of the page", 404, "GET", `${pathname}../../etc/passwd`],
  ["no JSON", 400, "POST", `${pathname}do`, JSON_TYPE, "kobuki.lift"],
  ["no command", 400, "POST", `${pathname}do`, JSON_TYPE, "{}"],
  ["a stream that is not there", 404, "POST", `${pathname}look`, JSON_TYPE, '{"stream":99}'],
];
const before = { x: await run.get("kobuki.x_m"), memory: memory_kB(), descriptors: descriptors() };
for (const [what, wanted, ...asked] of doors) {
  const found = await ask(...asked);
  check(`${what}: ${wanted}`, found === wanted, found === wanted ? "" : found);
}
check("nothing has moved", (await run.get("kobuki.x_m")) === before.x);

// ---- Who misbehaves ----

for (const [what, length] of [["with its length", { "Content-Length": 1e8 }], ["in pieces", { "Transfer-Encoding": "chunked" }]]) {
  const sent = await new Promise((resolve) => {
    let count = 0;
    const asked = request({ host: "127.0.0.1", port, method: "POST", path: `${pathname}do`, headers: { ...JSON_TYPE, ...length } });
    const piece = Buffer.alloc(1 << 16, "x");
    const more = () => {
      while (count < 1e8 && !asked.destroyed) {
        count += piece.length;
        if (!asked.write(piece)) return asked.once("drain", more);
      }
      asked.end();
    };
    asked.on("response", (reply) => reply.resume()).on("error", () => {}).on("close", () => resolve(count));
    more();
  });
  check(`of a POST of 100 MB ${what} less than a tenth is taken`, sent < 1e7, `${sent} bytes`);
}

// More than there are places, each sends a byte now and then: who knows the token comes in, and none stays longer than 10 s.
const drips = await Promise.all(Array.from({ length: 80 }, () => open("GET / HTTP/1.1\r\nX: ")));
const dripping = setInterval(() => drips.forEach((one) => one.destroyed || one.write("x")), 1000);
const begun_ms = Date.now();
const closed = Promise.all(drips.map((one) => new Promise((resolve) => one.resume().on("close", resolve))));
const waits_ms = [];
for (let i = 0; i < 8; i++) {
  const from_ms = Date.now();
  const status = await Promise.race([ask("GET", pathname), sleep(5000)]);
  waits_ms.push(status === 200 ? Date.now() - from_ms : Infinity);
  await sleep(500);
}
check("slow strangers lock nobody out", Math.max(...waits_ms) < 3000, `${waits_ms} ms`);
await Promise.race([closed, sleep(20000)]);
check("none of them stays", drips.every((one) => one.destroyed) && Date.now() - begun_ms < 18000, `${Date.now() - begun_ms} ms`);
clearInterval(dripping);

const readers = await Promise.all(Array.from({ length: 20 }, () => open(`GET ${pathname}events HTTP/1.1\r\nHost: localhost\r\n\r\n`)));
for (const one of ["kobuki.lift up=true", "kobuki.lift up=false"]) await run.do(one);
await sleep(3000);
check("clients that never read cost bounded memory", memory_kB() - before.memory < GROWTH_MAX_KB, `${memory_kB() - before.memory} kB`);
for (const socket of readers) socket.destroy();
await until("their places are free again", async () => (await ask("GET", `${pathname}events`)) === 200);

const late = await run.get("world.time_s");
const halves = await Promise.all(Array.from({ length: 1000 }, () => open(`GET ${pathname} HTTP/1.1\r\nHost: loc`)));
await sleep(1000);
check("1000 half-open requests take a bounded number of descriptors", descriptors() - before.descriptors < 80, descriptors() - before.descriptors);
check("and bounded memory", memory_kB() - before.memory < GROWTH_MAX_KB, `${memory_kB() - before.memory} kB`);
check("and the run goes on", (await run.get("world.time_s")) > late + 0.5);
for (const socket of halves) socket.destroy();
await until("the page is there again", async () => (await ask("GET", pathname)) === 200);
await until("nothing is left open", () => descriptors() - before.descriptors < 8);
check("nothing has moved by all that", (await run.get("kobuki.x_m")) === before.x);
check("a command with the token is taken", (await ask("POST", `${pathname}do`, JSON_TYPE, command)) === 200 && Math.abs((await run.get("kobuki.x_m")) - 1) < 0.01);

// ---- A page of a run in progress, by a verb of its own ----

const view = spawn(program, ["view", "--web", "0", "--control", run.about.control], { stdio: ["ignore", "pipe", "inherit"] });
const other = new URL(await new Promise((resolve) => view.stdout.once("data", (text) => resolve(String(text).trim()))));
const answer = (path) => new Promise((resolve) => request({ host: "127.0.0.1", port: other.port, path, agent: false }, (reply) => resolve(reply.resume().statusCode)).end());
check("`view --web` serves another page", (await answer(other.pathname)) === 200);
check("which the token of the first does not open", other.pathname !== pathname && (await answer(pathname)) === 403);
check("its command line tells no token", !readFileSync(`/proc/${view.pid}/cmdline`, "utf8").includes(other.pathname.slice(1, -1)));
const viewEnded = new Promise((resolve) => view.once("exit", resolve));
check("the run ends well", (await run.end()) === 0);
check("and with it the page", (await viewEnded) === 0);
process.exit(failed > 0 ? 1 : 0);
