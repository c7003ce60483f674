// node replay_use.mjs PTYBOT [FOLDER [NAME]]: pages of one file, opened from disk in a headless Chromium and used by real mouse, touch and
// keys: the run of a failed test, and a scene to drive in. FOLDER: where pictures of them go, to be looked at; NAME: only one deed.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { axeFindings } from "./axe.mjs";
import { Browser, until } from "./browser.mjs";
import { compareSignals } from "./replay_parts.mjs";
import { eachButtonActs, openTry, robotOf } from "./try_page.mjs";

const [program, pictures, picked] = process.argv.slice(2);
const here = fileURLToPath(new URL(".", import.meta.url));
const host = join(dirname(program), "../tests/hosts/kobuki_square");
const work = mkdtempSync(join(tmpdir(), "ptybot-replay-"));
const browser = new Browser();
if (pictures) mkdirSync(pictures, { recursive: true });

function check(what, holds, found = "") {
  if (!holds) throw new Error(`${what}; found: ${JSON.stringify(found)}`);
}

const now = (page) => page.eval("ptybot.player.now_s");
const text = (page, selector) => page.eval(`document.querySelector(${JSON.stringify(selector)}).textContent`);

async function open(file, options) {
  const page = await browser.page(`file://${file}`, options);
  await page.shown();
  return page;
}

async function aFailure() {
  const scene = readFileSync(`${here}../../scenes/kobuki_faults.yaml`, "utf8");
  writeFileSync(`${work}/faults.yaml`, scene.replace("expect:\n", 'expect:\n  - {that: "kobuki.x_m > 99", within: 3}\n'));
  const test = spawnSync(program, ["test", `${work}/faults.yaml`, "--out", `${work}/out`, "--warp", "max", "--", host, "{kobuki}"], { encoding: "utf8" });
  check("the test has failed, and names its page", test.status === 1 && test.stdout.includes(`${work}/out/replay.html`), test.stdout + test.stderr);
  const page = await open(`${work}/out/replay.html`);
  await until("all is looked through", () => page.eval("ptybot.scout.isDone"));
  check("the run is that of the journal", (await text(page, "#state")) === "", await text(page, "#state"));
  console.log(`  ${compareSignals(await page.eval("ptybot.scout.csv()"), `${work}/out/signals.csv`)} values of signals are the same`);

  // Time advances automatically until it is stopped.
  await page.eval("ptybot.pace(false, 1), ptybot.seek(0)");
  await until("it plays", async () => (await now(page)) > 0.05);
  await page.key(" ");
  const stopped = await now(page);
  await page.eval("new Promise((resolve) => setTimeout(resolve, 300))");
  check("the space bar stops it", (await now(page)) === stopped);
  await page.key(".");
  check("a step is 20 ms", Math.abs((await now(page)) - stopped - 0.02) < 1e-9, await now(page));

  // The bar by the mouse, forward and back; then by keys.
  const bar = await page.eval("(() => { const b = document.getElementById('time').getBoundingClientRect(); return [b.left, b.top + b.height / 2, b.width]; })()");
  const length = await page.eval("ptybot.length_s");
  for (const part of [0.8, 0.2, 0.5]) {
    await page.click(bar[0] + bar[2] * part, bar[1]);
    await until(`the bar is at ${part}`, async () => (await page.eval("ptybot.target_s === null")) && Math.abs((await now(page)) / length - part) < 0.03);
  }
  const middle = await now(page);
  await page.key("ArrowRight");
  await until("a key moves it", async () => Math.abs((await now(page)) - middle - 0.02) < 0.011);
  check("it says where it is", /^\d+\.\d\d of \d+\.\d\d seconds$/.test(await page.eval("document.getElementById('time').getAttribute('aria-valuetext')")));

  // Each mark can be jumped to; a failure at once.
  const marks = await page.eval("ptybot.bar.marks");
  for (const kind of ["host", "fault", "healed", "passed", "failed"]) check(`there is a mark of ${kind}`, marks.some((mark) => mark.kind === kind), marks);
  const fault = marks.find((mark) => mark.kind === "fault");
  await page.eval(`(() => { const list = document.querySelector('#timebar select'); list.value = ${marks.indexOf(fault)}; list.dispatchEvent(new Event('change')); })()`);
  await until("a fault is jumped to", async () => Math.abs((await now(page)) - fault.at_s) < 0.0011);
  // Failures, one after the other, and back.
  const failed = marks.filter((mark) => mark.kind === "failed").map((mark) => mark.at_s);
  const isAt = (at_s) => until(`${at_s} s`, async () => (await page.eval("ptybot.target_s === null")) && Math.abs((await now(page)) - at_s) < 0.0011);
  const moments = [...new Set(failed)];
  check("there are several", moments.length > 1, marks);
  await page.eval("ptybot.seek(0)");
  for (const at_s of [...moments, moments[0]]) {
    await page.press("#timebar button");
    await isAt(at_s);
  }
  await page.eval("document.activeElement.blur()");
  await page.key("j");
  await isAt(moments[1]);
  await page.key("J", 8);
  await isAt(moments[0]);
  await page.key("ArrowRight", 8);
  await isAt(moments[0] + 1);
  await page.key("ArrowLeft", 8);
  await isAt(moments[0]);
  await page.press("#tab-test");
  await until("which the panel shows", async () => (await text(page, "#page")).includes("FAILED"));

  // A plot contains the values before this moment, although it was not open then.
  await page.press("#tab-signals");
  await page.press("[data-name='x_m']");
  await page.eval("ptybot.seek(9)");
  await until("a plot of ten seconds", async () => (await page.eval("ptybot.module.text(3).split('line')[1].split(',').length")) > 440);
  if (pictures) await page.shot(`${pictures}/failure.png`);

  await page.eval("document.activeElement.blur(), ptybot.seek(ptybot.length_s)");
  await until("the end", () => page.eval("ptybot.target_s === null && ptybot.player.module.is_over() === 1"));
  await page.key(" ");
  await until("played on from the end it begins anew", async () => (await now(page)) < 5);
  check("no error in the console", page.errors.length === 0, page.errors);
  await page.close();
  for (const [width, height] of [[390, 844], [800, 600], [2560, 1440]]) {
    const other = await open(`${work}/out/replay.html`, { width, height, dark: width === 800, touch: width === 390, scale: width === 390 ? 2 : 1 });
    const { fits, bottom } = await other.eval("(() => { const b = document.getElementById('timebar').getBoundingClientRect(); return { fits: document.documentElement.scrollWidth <= innerWidth && b.left >= 0 && b.right <= innerWidth, bottom: b.bottom <= innerHeight }; })()");
    check(`the bar fits at ${width}`, fits && bottom);
    await other.eval("ptybot.pace(true, 1), ptybot.seek(7)");
    await until("the moment is shown", () => other.eval("ptybot.target_s === null"));
    if (pictures) await other.shot(`${pictures}/failure-${width}.png`);
    const failed = await axeFindings(other);
    if (!failed) console.log("  axe-core cannot be had here: not checked");
    check(`axe finds nothing at ${width}`, !failed || failed.length === 0, failed);
    check("no error in the console", other.errors.length === 0, other.errors);
    await other.close();
  }
}

// A replay that is steered over its control socket, in a page of `ptybot view --web`.
async function aReplayThatIsServed() {
  const control = `${work}/c.sock`;
  const serve = (...words) => spawn(program, [...words, "--control", control], { stdio: ["ignore", "pipe", "inherit"] });
  const replay = serve("replay", `${work}/out/run.journal`, "--paused");
  const ended = new Promise((resolve) => replay.once("exit", resolve));
  await until("its socket", () => existsSync(control));
  const view = serve("view", "--web", "--web-port", "0");
  let said = "";
  view.stdout.on("data", (text) => (said += text));
  const page = await browser.page(await until("its page", () => /http\S+/.exec(said)?.[0]));
  await page.shown();
  const time = async () => Number(execFileSync(program, ["ctl", "get", "world.time_s", "--control", control], { encoding: "utf8" }).split(" ")[1]);
  await until("there is a bar", () => page.eval("document.getElementById('timebar') !== null"));
  check("and no hands", (await page.eval("document.querySelector('[aria-label=\"Draw a wall\"]')")) === null);
  const length = await page.eval("ptybot.bar.length_s");
  const [left, top, width] = await page.eval("(() => { const b = document.getElementById('time').getBoundingClientRect(); return [b.left, b.top + b.height / 2, b.width]; })()");
  for (const part of [0.7, 0.2]) {
    await page.drag([left + 8, top], [left + width * part, top]);
    await until(`it goes to ${part}`, async () => Math.abs((await time()) / length - part) < 0.03);
    await until("and shows it", async () => Math.abs((await page.eval("ptybot.module.state().time_s")) / length - part) < 0.03);
  }
  check("what has happened up to there has marks", await page.eval("ptybot.bar.marks.some(({ kind }) => kind === 'fault') && ptybot.bar.marks.some(({ kind }) => kind === 'failed')"));
  await page.eval("document.activeElement.blur()");
  await page.key("j");
  await until("a failure is gone to", async () => Math.abs((await time()) - 3) < 1e-6);
  check("no error in the console", page.errors.length === 0, page.errors);
  await page.close();
  view.kill("SIGTERM");
  replay.kill("SIGTERM");
  await ended;
}

async function aSceneToTry() {
  const page = await openTry(browser, program, work);
  const robot = () => robotOf(page);
  const hold = (type, key, code) => page.send("Input.dispatchKeyEvent", { type, key, windowsVirtualKeyCode: code });
  const stands = async () => {
    const before = await robot();
    await page.eval("new Promise((resolve) => setTimeout(resolve, 200))");
    const after = await robot();
    return Math.hypot(after.x_m - before.x_m, after.y_m - before.y_m) < 1e-4 && Math.abs(after.heading_deg - before.heading_deg) < 0.02;
  };
  check("it says how to begin", (await page.eval("document.body.innerText")).includes("Arrow keys drive. Find the dock."));
  const start = (await robot()).x_m;
  await hold("rawKeyDown", "ArrowUp", 38);
  await until("the arrow key drives", async () => (await robot()).x_m > start + 0.1);
  await hold("keyUp", "ArrowUp", 38);
  await until("and lets it stand", stands);
  const heading = (await robot()).heading_deg;
  const [left, top] = await page.eval("(() => { const b = document.querySelector('#pad .ArrowLeft').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()");
  await page.mouse("mousePressed", left, top);
  await until("the pad turns it", async () => (await robot()).heading_deg > heading + 5);
  await page.mouse("mouseReleased", left, top);
  await until("until it is let go", stands);
  await eachButtonActs(page);
  await page.eval("document.activeElement.blur()");
  // Commands control the robot: it is placed in front of the dock, and its wheels push it in.
  check("a command that is wrong is told", (await page.eval("ptybot.run('kobuki.place x=99 y=1 heading=0').then(() => document.getElementById('notice').textContent)")) !== "");
  await page.eval("ptybot.run('kobuki.place x=4.3 y=1.7 heading=0')");
  await hold("rawKeyDown", "ArrowUp", 38);
  await until("it docks", async () => (await robot()).docked).catch(async (error) => {
    throw new Error(`${error.message}: ${JSON.stringify(await robot())} at ${await now(page)} s`);
  });
  await hold("keyUp", "ArrowUp", 38);
  if (pictures) await page.shot(`${pictures}/try.png`);
  check("no error in the console", page.errors.length === 0, page.errors);
  const failed = await axeFindings(page);
  check("axe finds nothing", !failed || failed.length === 0, failed);
  await page.close();
  const phone = await open(`${work}/try.html`, { width: 390, height: 844, touch: true, scale: 2 });
  const covering = await phone.eval(`(() => { const room = document.getElementById("picture").getBoundingClientRect(); return ["#layers summary", "#pad", "#hint", "#toolbar"].filter((name) => { const box = document.querySelector(name).getBoundingClientRect(); return box.width === 0 || (box.top < room.bottom - 1 && box.bottom > room.top + 1); }); })()`);
  check("nothing covers the picture of a phone", covering.length === 0, covering);
  check("title and clock are seen once", await phone.eval("['title', 'clock'].every((id) => document.getElementById(id).getBoundingClientRect().width <= 1)"));
  const [padX, padY] = await phone.eval("(() => { const b = document.querySelector('#pad .ArrowUp').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()");
  await phone.touch("touchStart", [padX, padY]);
  await until("a finger drives", () => phone.eval("ptybot.module.state().robots[0].x_m > 1.1"));
  await phone.touch("touchEnd");
  if (pictures) await phone.shot(`${pictures}/try-390.png`);
  await phone.close();
}

let failed = 0;
for (const deed of [aFailure, aReplayThatIsServed, aSceneToTry]) {
  if (picked && deed.name !== picked) continue;
  try {
    await deed();
    console.log(`ok     ${deed.name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${deed.name}: ${error.stack}`);
  }
}
await browser.close();
rmSync(work, { recursive: true, force: true });
process.exit(failed > 0 ? 1 : 0);
