// node replay_served.mjs PTYBOT JOURNAL: `replay --web` serves the page that `replay --html` writes, and nothing else.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { until } from "./browser.mjs";

const [program, journal] = process.argv.slice(2);

function check(what, holds, found = "") {
  if (!holds) throw new Error(`${what}; found: ${JSON.stringify(found)}`);
}

execFileSync(program, ["replay", journal, "--html", "page.html"], { stdio: "ignore" });
const replay = spawn(program, ["replay", journal, "--web", "--web-port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((resolve) => replay.once("exit", resolve));
try {
  let said = "";
  replay.stdout.on("data", (text) => (said += text));
  const url = await until("it says where the page is", () => /its page: (\S+)/.exec(said)?.[1]);
  const reply = await fetch(url);
  check("it is that page", (await reply.text()) === readFileSync("page.html", "utf8"));
  check("which may load nothing", reply.headers.get("content-security-policy").startsWith("default-src 'none';"));
  const json = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"command": "world.pause", "stream": 1}' };
  for (const [place, options, status] of [["events", {}, 404], ["page.wasm", {}, 404], ["view", json, 405], ["do", json, 403]]) {
    const other = await fetch(url + place, options);
    check(`${place} is refused`, other.status === status, other.status);
  }
  check("without the token nothing is answered", !(await fetch(new URL("/", url))).ok);
} finally {
  replay.kill("SIGTERM");
}
check("it ends in good order", (await ended) === 0);
