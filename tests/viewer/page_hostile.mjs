// node page_hostile.mjs PTYBOT: hostile web pages in a real browser, with and without the token, under the page's own address by DNS
// rebinding, and hostile text in the page. Nothing reaches the robots, and no script runs.
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, sleep, until } from "./browser.mjs";
import { Run } from "./run.mjs";

const [program] = process.argv.slice(2);
const SCRIPT = "<img src=x onerror=globalThis.pwned=1><script>globalThis.pwned=1</script>";

let failed = 0;
function check(what, holds, found = "") {
  console.log(`${holds ? "ok    " : "FAILED"} ${what}${found === "" ? "" : ` (${found})`}`);
  failed += holds ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "ptybot-hostile-"));
writeFileSync(join(folder, "scene.yaml"), `name: "${SCRIPT}"
world: {size: {x: 4, y: 4}}
robots:
- {name: kobuki, type: kobuki, pose: {x: 2, y: 2}}
- {name: bridge, type: ros_arduino_bridge, pose: {x: 3, y: 3}}
expect: [{name: "${SCRIPT}", that: kobuki.x_m > 3, within: 600}]
`);
const run = await Run.start(program, "run", join(folder, "scene.yaml"));
const { port, pathname } = new URL(run.url);

// The page of an attacker, on another port; its own name is resolved to this machine.
const server = createServer((request, reply) => {
  reply.setHeader("Content-Type", "text/html");
  reply.end("<!doctype html><title>hostile</title><body>");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const other = server.address().port;
const browser = new Browser("--host-resolver-rules=MAP *.example 127.0.0.1");
const place = JSON.stringify({ command: "kobuki.place x=1 y=1 heading=0" });
const start = { x: await run.get("kobuki.x_m"), y: await run.get("kobuki.y_m") };

// All attacks of a page against BASE, which contains the correct token: each returns the text that
// it could read, or "".
const attacks = (base) => `(async () => {
  const quiet = (promise) => promise.then((found) => found || "", () => "");
  const wait = (ms, result = "") => new Promise((resolve) => setTimeout(resolve, ms, result));
  const base = ${JSON.stringify(base)}, body = ${JSON.stringify(place)};
  const found = {};
  const ask = (options) => quiet(fetch(base + "do", { method: "POST", body, ...options }).then((reply) => reply.ok && reply.text()));
  found.json = await ask({ headers: { "Content-Type": "application/json" } });
  found.plain = await ask({ headers: { "Content-Type": "text/plain" }, mode: "no-cors" });
  found.blob = await ask({ body: new Blob([body], { type: "application/json" }), mode: "no-cors" });
  found.beacon = navigator.sendBeacon(base + "do", new Blob([body], { type: "text/plain" })) && "";
  found.keepalive = await ask({ keepalive: true, mode: "no-cors", headers: { "Content-Type": "text/plain" } });
  found.read = await quiet(fetch(base).then((reply) => reply.ok && reply.text()));
  found.events = await Promise.race([wait(2000), new Promise((resolve) => {
    const source = new EventSource(base + "events");
    source.onmessage = source.onopen = () => resolve("events");
  })]);
  found.module = await quiet(import(base + "main.mjs").then(() => "module"));
  const element = (tag, set) => Promise.race([wait(2000), new Promise((resolve) => {
    const made = Object.assign(document.createElement(tag), set);
    made.onload = () => resolve(tag);
    made.onerror = () => resolve("");
    document.body.append(made);
  })]);
  found.script = await element("script", { src: base + "main.mjs" });
  found.style = await element("link", { rel: "stylesheet", href: base + "style.css" });
  const frame = Object.assign(document.createElement("iframe"), { src: base });
  document.body.append(frame);
  await wait(1000);
  try { found.frame = frame.contentDocument?.body?.textContent.length > 200 ? "frame" : ""; } catch { found.frame = ""; }
  const form = document.createElement("form");
  form.method = "POST"; form.enctype = "text/plain"; form.action = base + "do"; form.target = frame.name = "frame";
  form.append(Object.assign(document.createElement("input"), { name: body.slice(0, -1) + ',"a":"', value: '"}' }));
  document.body.append(form);
  form.submit();
  await wait(500);
  found.worker = await quiet(new Promise((resolve, reject) => {
    const worker = new SharedWorker(base + "worker.mjs", { type: "module" });
    worker.onerror = reject;
    worker.port.onmessage = () => resolve("worker");
    worker.port.start();
    setTimeout(resolve, 2000, "");
  }).catch(() => ""));
  const opened = window.open(base);
  await wait(1000);
  try { found.opened = opened?.document?.body?.textContent.length > 200 ? "opened" : ""; } catch { found.opened = ""; }
  return found;
})()`;

// ---- Under other names and from other ports ----

const doors = [
  ["a page of another site that knows the token", `http://hostile.example:${other}/`, run.url],
  ["a page on another port of this machine that knows it", `http://127.0.0.1:${other}/`, run.url],
  ["a page of another name of this machine", `http://localhost:${other}/`, run.url],
  ["a rebound name, with the token", `http://hostile.example:${port}${pathname}`, `http://hostile.example:${port}${pathname}`],
  ["a rebound name without it", `http://hostile.example:${port}/`, `http://hostile.example:${port}/`],
];
for (const [what, address, base] of doors) {
  const page = await browser.page(address);
  await sleep(500);
  const found = await page.eval(attacks(base));
  const got = Object.entries(found).filter(([, text]) => text !== "");
  check(`${what} reads nothing`, got.length === 0, got.map(([how]) => how).join(", "));
}
const after = { x: await run.get("kobuki.x_m"), y: await run.get("kobuki.y_m") };
check("nothing has moved", after.x === start.x && after.y === start.y, JSON.stringify(after));

// ---- What the page shows ----

const page = await browser.page(run.url);
await page.shown();
const wire = openSync(run.about.robots.find(({ name }) => name === "bridge").channels[0].path, "r+");
writeSync(wire, `${SCRIPT}\r`); // a driver says it, and the robot says it again in its answer
for (const tab of await page.eval("[...document.querySelectorAll('[role=tab],button')].map((one) => one.textContent)")) {
  await page.eval(`[...document.querySelectorAll('[role=tab],button')].find((one) => one.textContent === ${JSON.stringify(tab)})?.click()`);
  await sleep(200);
}
check("no script of the scene runs", (await page.eval("globalThis.pwned === undefined && document.querySelector('img[src=x]') === null")) === true);
check("an injected script is refused by the policy", (await page.eval(`(() => {
  const made = document.createElement("script");
  made.textContent = "globalThis.injected = 1";
  document.body.append(made);
  return globalThis.injected === undefined;
})()`)) === true);
const own = await page.eval(attacks(run.url));
check("the page itself may do, read and hear", own.json !== "" && own.read !== "" && own.events !== "", Object.keys(own).filter((how) => own[how]).join(", "));
await until("the robot was placed by it", async () => Math.abs((await run.get("kobuki.x_m")) - 1) < 0.01);

closeSync(wire);
await browser.close();
server.close();
await run.end();
rmSync(folder, { recursive: true, force: true });
process.exit(failed > 0 ? 1 : 0);
