// node page_use.mjs PTYBOT [NAME...]: the page in a headless Chromium, used by real mouse, touch
// and key events. Their effects are read over the robot's wire and the control socket. One Chromium
// serves all deeds; NAME selects deeds, "all" includes the slow deeds.
import { mkdirSync, readFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { connect, createServer } from "node:net";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { axeFindings } from "./axe.mjs";
import { Browser, sleep, until } from "./browser.mjs";
import { Wire } from "./kobuki_wire.mjs";
import { Run } from "./run.mjs";
import { eachButtonActs, openTry } from "./try_page.mjs";
import { loadModule, snapshotBytes } from "../../viewer/web/page/module.mjs";

const [program, ...picked] = process.argv.slice(2);
const here = fileURLToPath(new URL(".", import.meta.url));

function check(what, holds, found = "") {
  if (!holds) throw new Error(`${what}${found === "" ? "" : `; found: ${JSON.stringify(found)}`}`);
}

const state = (page) => page.eval("ptybot.module.state()");
// Screen position of a point of the room.
const place = (page, x_m, y_m) =>
  page.eval(`(() => { const c = document.getElementById("picture").getBoundingClientRect(); const {x, y} = ptybot.module.place(${x_m}, ${y_m}); return [c.left + x, c.top + y]; })()`);
const robotAt = async (page, dx_m = 0, dy_m = 0) => {
  const { x_m, y_m, heading_deg } = (await state(page)).robots[0];
  const turn = (heading_deg * Math.PI) / 180;
  return place(page, x_m + dx_m * Math.cos(turn) - dy_m * Math.sin(turn), y_m + dx_m * Math.sin(turn) + dy_m * Math.cos(turn));
};
const portOf = (url) => Number(new URL(url).port);
// Connections to a port of this machine that are open on the server's side.
const connections = (port) =>
  readFileSync("/proc/net/tcp", "utf8").split("\n").filter((line) => {
    const [, local, , status] = line.trim().split(/\s+/);
    return status === "01" && local?.endsWith(`:${port.toString(16).toUpperCase().padStart(4, "0")}`);
  }).length;

// ---- Deeds: each has the browser, a run of the docking scene with a page of it, and the wire ----

const SLOW = ["a_hidden_page_has_no_stream", "eight_pages_share_one_stream", "nothing_fails_in_axe", "pictures_at_all_sizes", "what_a_test_shows_is_only_looked_at"];

const deeds = {
  async commands_arrive_in_their_order({ page, run }) {
    for (let round = 1; round <= 2; round++) {
      await page.eval(`Promise.all(Array.from({ length: 14 }, (_, i) => ptybot.run("kobuki.place x=" + (1 + i * 0.15) + " y=${round} heading=0")))`);
      check("the last is the last", Math.abs((await run.get("kobuki.x_m")) - 2.95) < 1e-6 && Math.abs((await run.get("kobuki.y_m")) - round) < 1e-6, await run.get("kobuki.x_m"));
    }
    await run.do("world.reset");
    await until("all is as it was", async () => Math.abs((await state(page)).robots[0].x_m - 4.86) < 0.01);
  },

  async a_mouse_drags_and_turns_the_robot({ page, run }) {
    const from = await robotAt(page);
    const to = await place(page, 3, 1);
    await page.drag(from, to);
    await until("the robot is carried", async () => Math.abs((await run.get("kobuki.x_m")) - 3) < 0.05);
    check("and nowhere else", Math.abs((await run.get("kobuki.y_m")) - 1) < 0.05);
    await until("the page shows it there", async () => Math.abs((await state(page)).robots[0].x_m - 3) < 0.05);
    await page.drag(await robotAt(page, 0.05, 0.06), await place(page, 3, 0.2), { button: "right", buttons: 2 });
    await until("the robot is turned", async () => Math.abs((await run.get("kobuki.heading_deg")) - 270) < 3 || Math.abs((await run.get("kobuki.heading_deg")) + 90) < 3);
    await page.key("z", 2);
    await page.key("z", 2);
    await until("undo brings it back", async () => Math.abs((await run.get("kobuki.x_m")) - 4.86) < 0.01);
  },

  async a_bumper_and_a_button_are_pressed_over_the_wire({ page, wire }) {
    await until("it stands where it was", async () => Math.abs((await state(page)).robots[0].x_m - 4.86) < 0.01);
    await page.wheel(...(await robotAt(page)), -900);
    await until("it is nearer", async () => (await state(page)).px_per_m > 300);
    const at = await robotAt(page, 0.168, 0);
    await page.mouse("mousePressed", ...at);
    await until("the wire has the bumper", () => wire.basic?.bumper === 2);
    await page.mouse("mouseReleased", ...at);
    await until("the wire has it released", () => wire.basic.bumper === 0);
    await page.key("0");
    await page.press('[data-name="button b1"]');
    await until("the wire has the button", () => wire.basic.buttons === 2);
    await until("and no more", () => wire.basic.buttons === 0);
  },

  async keys_lift_pause_step_and_change_the_speed({ page, run, wire }) {
    await page.eval("document.getElementById('picture').focus()"); // a focused button would take Space
    await page.key("l");
    await until("the wire has both wheels dropped", () => wire.basic.drop === 3);
    await until("the page shows it", async () => (await state(page)).robots[0].lifted);
    await page.key("l");
    await until("and back", () => wire.basic.drop === 0);
    await page.key(" ");
    await until("time stands", async () => (await state(page)).paused);
    const before = await run.get("world.time_s");
    await page.key(".");
    await until("a step of 20 ms", async () => Math.abs((await run.get("world.time_s")) - before - 0.02) < 1e-6);
    await page.key("]");
    await until("twice the speed", async () => (await state(page)).speed === 2);
    await page.press('[aria-label$="back to real time"]');
    await until("real time", async () => (await state(page)).speed === 1);
    await page.press('[aria-label="Pause"]');
    await until("time goes on", async () => !(await state(page)).paused);
  },

  async every_other_key_does_what_the_table_says({ page, run, wire, renew }) {
    const becomes = (what, look) => until(what, async () => look(await state(page)));
    await page.eval("document.getElementById('picture').focus()");
    for (const [i, key] of [..."girton"].entries()) {
      const isShown = ((await state(page)).shows >> i) & 1;
      for (const after of [!isShown, isShown]) {
        await page.key(key);
        await becomes(`${key} shows or hides a layer`, ({ shows }) => ((shows >> i) & 1) === Number(after));
      }
    }
    for (const [i, key] of [..."vwbdv"].entries()) {
      await page.key(key);
      await becomes(`${key} takes a tool`, ({ tool }) => tool === i % 4);
    }
    const { px_per_m: near } = await state(page);
    await page.key("+");
    await becomes("+ comes nearer", ({ px_per_m }) => px_per_m > near);
    await page.key("-");
    await page.key("f");
    await becomes("f follows the robot", ({ frame }) => frame === 3);
    await page.key("0");
    await becomes("0 shows the room", ({ frame }) => frame === 1);
    const { dark } = await state(page);
    await page.key("k");
    await becomes("k changes dark and light", (now) => now.dark !== dark);
    await page.key("k");
    await page.key("p");
    check("p folds the panel", await page.eval("document.getElementById('panel').hidden"));
    await page.key("p");
    await page.key("h");
    await until("h explains the keys", () => page.eval("document.getElementById('help').open"));
    await page.key("Escape");
    await until("Escape closes that", () => page.eval("!document.getElementById('help').open"));
    await page.eval("document.getElementById('picture').focus()");
    const heading = () => run.get("kobuki.heading_deg");
    const before = await heading();
    for (const [key, turned] of [["q", 15], ["e", 0]]) {
      await page.key(key);
      await until(`${key} turns the robot`, async () => Math.abs((await heading()) - before - turned) < 0.01);
      await becomes("the page shows it", ({ robots }) => Math.abs(Math.sin(((robots[0].heading_deg - before - turned) * Math.PI) / 180)) < 0.001);
    }
    for (const charger of [16, 0]) {
      await page.key("c");
      await until("c plugs the charger in and out", () => (wire.basic.charger & 16) === charger);
      await until("the page shows it", () => page.eval(`document.querySelector("[data-name='${charger ? "Unplug" : "Plug in"} charger']") !== null`));
    }
    const { bad } = wire;
    await page.key("x");
    await until("x flips bits", () => wire.bad > bad);
    await run.do("kobuki.heal");
    for (const [key, speed] of [["[", 0.5], ["\\", 1]]) {
      await page.key(key);
      await becomes(`${key} changes the speed`, (now) => now.speed === speed);
    }
    await page.key("u");
    await until("u unplugs the cable", () => wire.hasEnded);
    await until("the page shows it", () => page.eval("document.querySelector('[data-name=\"Plug in uart\"]') !== null"));
    await page.key("u");
    await until("and plugs it in", async () => (await run.get("kobuki.uart.plugged")) === 1);
    await renew();
  },

  async fingers_tap_buttons({ browser, run }) {
    const page = await browser.page(run.url, { width: 390, height: 844, scale: 2, touch: true });
    await page.shown();
    const tap = async (selector) => {
      const at = await until(`${selector} is there`, () => page.eval(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null; e.scrollIntoView({ block: "center", inline: "center" }); const b = e.getBoundingClientRect(); return b.width > 0 && [b.left + b.width / 2, b.top + b.height / 2]; })()`));
      await page.touch("touchStart", at);
      await page.touch("touchEnd");
    };
    const becomes = (what, look) => until(what, async () => look(await state(page)));
    for (const isLifted of [true, false]) {
      await tap(`[data-name='${isLifted ? "Lift" : "Put down"}']`);
      await becomes("a finger lifts and puts down", ({ robots }) => robots[0].lifted === isLifted);
    }
    for (const isPaused of [true, false]) {
      await tap("[aria-label='Pause']");
      await becomes("a finger pauses", ({ paused }) => paused === isPaused);
    }
    for (const [name, tool] of [["Draw a wall", 1], ["Delete walls and boxes", 3], ["Hand: drag robots, press their parts", 0]]) {
      await tap(`[aria-label='${name}']`);
      await becomes(`a finger takes a tool: ${name}`, (now) => now.tool === tool);
    }
    await tap("[aria-label='Turn the robot left by 15°']");
    await tap("[aria-label='Undo']");
    await tap("#tab-faults");
    for (const name of ["uart", "drop", "Inject"]) await tap(`[data-name='${name}']`);
    await becomes("a finger injects a fault", ({ robots }) => robots[0].faults === 1);
    await tap("[data-name='Heal uart']");
    await becomes("and heals it", ({ robots }) => robots[0].faults === 0);
    await tap("#tab-signals");
    await tap("[data-name='x_m']");
    await until("a finger plots a signal", () => page.eval("document.querySelectorAll('#page canvas').length === 1"));
    await page.close();
  },

  async the_panel_unplugs_plugs_in_and_makes_fail({ page, wire, renew }) {
    await page.press('[data-name="Plug in charger"]');
    await until("the wire has the adapter", () => (wire.basic.charger & 16) !== 0);
    await page.press('[data-name="Unplug charger"]');
    const bad = wire.bad;
    await page.press('[data-name="Flip bits for 5 s"]');
    await until("the wire has broken frames", () => wire.bad > bad);
    await page.press("#tab-faults");
    await page.press('[data-name="Heal uart"]');
    await until("the fault is healed", async () => (await state(page)).robots[0].faults === 0);
    // The list shrinks, and the elements below it move up.
    await until("the page says so", () => page.eval('document.body.innerText.includes("nothing")'));
    for (const name of ["bumper_left", "stuck", "Inject"]) await page.press(`[data-name="${name}"]`);
    await until("the chosen fault is there", () => page.eval("ptybot.panel.rows.some(({ label, button }) => label === 'bumper_left' && button === 'Heal')"));
    for (const name of ["uart", "delay"]) await page.press(`[data-name="${name}"]`);
    await page.press('input[type="text"][data-name="ms"]');
    for (const key of "35") await page.key(key);
    const [left, right, middle] = await page.eval("(() => { const b = document.querySelector('[type=range][data-name=rate]').getBoundingClientRect(); return [b.left, b.right, b.top + b.height / 2]; })()");
    await page.mouse("mousePressed", left + 20, middle);
    await page.mouse("mouseMoved", right - 1, middle);
    await until("the field follows the slider that is held", () => page.eval("document.querySelector('[type=text][data-name=rate]').value === '1'"));
    await page.mouse("mouseReleased", right - 1, middle);
    await page.eval("(() => { const choice = document.querySelector('select[data-name=direction]'); choice.value = 1; choice.onchange({ target: choice }); })()");
    await page.press('[data-name="Inject"]');
    await until("the fault has the values of the form", () => page.eval("document.querySelector('#page').innerText.includes('delay 35 ms to host')")); // of all frames
    await page.press('[data-name="Failing now"]');
    await until("all is healed", async () => (await state(page)).robots[0].faults === 0);
    await page.press("#tab-robot");
    await page.press('[data-name="Unplug uart"]');
    await until("the host's line hangs up", () => wire.hasEnded);
    await page.press('[data-name="Plug in uart"]');
    await until("it is plugged in", () => page.eval("document.querySelector('[data-name=\"Unplug uart\"]') !== null"));
    await renew();
  },

  async a_page_to_try_obeys_its_buttons({ browser }) {
    const page = await openTry(browser, program, browser.home);
    await eachButtonActs(page);
    check("no error", page.errors.length === 0, page.errors);
    await page.close();
  },

  async a_fleet_has_a_choice_of_robots_or_its_title({ browser }) {
    const run = await Run.start(program, "run", `${here}../../scenes/ten_kobukis.yaml`);
    const page = await browser.page(run.url);
    try {
      await page.shown();
      const first = () => page.eval("(({ tagName, value, textContent }) => [tagName, tagName === 'SELECT' ? value : textContent])(document.querySelector('#page h2, #page select'))");
      for (const [tab, ...found] of [["robot", "SELECT", "0"], ["robots", "H2", "Ten Kobukis"], ["faults", "SELECT", "0"], ["test", "H2", "Ten Kobukis"]]) {
        await page.press(`#tab-${tab}`);
        await until(`${tab} begins with ${found}`, async () => `${await first()}` === `${found}`, 5000);
      }
      await page.press("#tab-robot");
      await page.eval("(() => { const choice = document.querySelector('#page select'); choice.value = 3; choice.onchange({ target: choice }); })()");
      await until("another robot is chosen", async () => `${await first()}` === "SELECT,3");
    } finally {
      await page.close();
      await run.end();
    }
  },

  async walls_are_drawn_deleted_and_undone({ page, run }) {
    const walls = async () => (await run.do("world.remove wall=1").then(() => true, () => false));
    await page.key("w");
    await page.drag(await place(page, 1, 3.5), await place(page, 2, 3.5));
    await page.key("Escape");
    await until("something can be undone", async () => (await state(page)).can_undo);
    await page.key("z", 2);
    await page.eval("ptybot.sent"); // answered
    check("undo has removed the wall", !(await walls()));
    await page.press("[aria-label='Redo']:enabled");
    await until("nothing is left to redo", () => page.eval("document.querySelector('[aria-label=Redo]').disabled"));
    await page.press("[aria-label='Undo']:enabled");
    await page.key("y", 2);
    await page.eval("ptybot.sent");
    check("redo has built it again", await walls());
    // Once the page shows a later time than that of the last answer, it shows the effects of all
    // commands.
    const lines = async () => {
      await page.eval("ptybot.sent");
      const time_s = await run.get("world.time_s");
      await until("the page is as far", async () => (await page.eval("ptybot.module.state().time_s")) > time_s);
      return page.eval("ptybot.module.draw(), [0, 1].map((i) => ptybot.module.text(i)).join('').split('\\n').length");
    };
    const before = await lines();
    await page.key("b");
    await page.drag(await place(page, 1, 3), await place(page, 1.5, 3.4));
    check("the box is there", (await lines()) > before);
    await page.key("d");
    await page.click(...(await place(page, 1.25, 3.2)));
    await page.key("Escape");
    check("the box is deleted", (await lines()) === before);
    check("not only in the picture", !(await run.do("world.remove box=1").then(() => true, () => false)));
  },

  async fingers_carry_pan_and_zoom({ browser, run }) {
    const page = await browser.page(run.url, { width: 390, height: 760, scale: 2, touch: true });
    await page.shown();
    await page.key("0"); // the whole room: nothing glides
    const carry = await robotAt(page);
    const to = await place(page, 2, 2.2);
    await page.touch("touchStart", carry);
    for (let i = 1; i <= 5; i++) await page.touch("touchMove", [carry[0] + ((to[0] - carry[0]) * i) / 5, carry[1] + ((to[1] - carry[1]) * i) / 5]);
    await page.touch("touchEnd");
    await until("a finger has carried the robot", async () => Math.abs((await run.get("kobuki.x_m")) - 2) < 0.1);
    const before = (await state(page)).px_per_m;
    const [x, y] = await place(page, 4, 2);
    await page.touch("touchStart", [x - 20, y], [x + 20, y]);
    for (let i = 1; i <= 6; i++) await page.touch("touchMove", [x - 20 - 6 * i, y], [x + 20 + 6 * i, y]);
    await page.touch("touchEnd");
    const after = await state(page);
    check("two fingers zoom", after.px_per_m > 1.5 * before, after.px_per_m / before);
    check("and carry nothing", Math.abs((await run.get("kobuki.x_m")) - 2) < 0.1);
    check("no error", page.errors.length === 0, page.errors);
    await page.close();
    await run.do("world.reset");
  },

  async the_wheel_zooms_about_the_pointer_and_the_floor_is_dragged({ page }) {
    const at = await place(page, 2, 2);
    await page.wheel(...at, -300);
    await until("it is nearer", async () => (await state(page)).frame === 0);
    const [x, y] = await place(page, 2, 2);
    check("the point has stayed", Math.hypot(x - at[0], y - at[1]) < 1, [x - at[0], y - at[1]]);
    await page.drag(at, [at[0] + 60, at[1] + 30]);
    const [panX, panY] = await place(page, 2, 2);
    check("the floor follows", Math.hypot(panX - at[0] - 60, panY - at[1] - 30) < 1.5, [panX - at[0], panY - at[1]]);
    await page.key("0");
    const room = await state(page);
    check("the whole room", room.frame === 1);
    await page.key("a");
    await until("robot and dock come nearer", async () => (await state(page)).px_per_m > 1.5 * room.px_per_m);
    await page.press('[aria-label="Robots, docks, movable objects"]');
    check("the whole room again", (await state(page)).frame === 1);
  },

  async the_panel_shows_signals_plots_frames_and_verdicts({ page, wire }) {
    await page.press("#tab-signals");
    await page.press('[data-name="x_m"]');
    await until("a plot", () => page.eval("document.querySelectorAll('#page canvas').length === 1 && ptybot.module.text(3).includes('line')"));
    await page.press('[data-name="y_m"]');
    await until("which two signals share", () => page.eval("document.querySelectorAll('#page canvas').length === 1 && ptybot.module.text(3).includes('kobuki.y_m')"));
    const [plotX, plotY] = await page.eval("(() => { const b = document.querySelector('#page canvas').getBoundingClientRect(); return [b.left + 48 + (b.width - 48) * 0.9, b.top + b.height / 2]; })()");
    await page.mouse("mouseMoved", plotX, plotY, { buttons: 0 });
    await until("a cursor", async () => /-(0\.9|1\.0)\d s/.test(await page.eval("ptybot.module.text(3)")));
    for (const name of ["pin x_m", "x_m", "y_m"]) await page.press(`[data-name="${name}"]`);
    await page.press('input[data-name="find"]');
    for (const key of "bumper") await page.key(key);
    await until("what was found", () => page.eval("['kobuki.x_m', 'basic.bumper', 'bumper_left'].every((label) => document.querySelector(`.entry[data-name='${label}']`)) && !document.querySelector('.entry[data-name=y_m]')"));
    await page.press("#tab-frames");
    await until("frames are decoded", async () => (await page.eval("document.querySelector('#page').innerText")).includes("bumper"));
    check("the host hears them, too", wire.frames > 0);
    await page.press("#tab-test");
    await until("what is expected", async () => (await page.eval("document.querySelector('#page').innerText")).includes("kobuki.charging == true"));
    await page.press("#tab-robot");
  },

  async the_list_of_a_picture_is_the_one_of_the_window({ page, run }) {
    await run.do("world.pause");
    await until("time stands", async () => (await state(page)).paused);
    const time_s = await run.get("world.time_s");
    await until("the page has all of it", () => page.eval(`Math.abs(ptybot.module.state().time_s - ${time_s}) < 1e-9`));
    const { snapshot } = await run.ask("view");
    const bytes = readFileSync(snapshot).subarray(4096);
    const module = await loadModule(readFileSync(process.env.PTYBOT_PAGE_WASM), () => {});
    snapshotBytes(module, bytes.length).set(bytes);
    const { width, height } = await page.eval("(() => { const {clientWidth, clientHeight} = document.getElementById('picture'); return {width: clientWidth, height: clientHeight}; })()");
    module.resize(width, height);
    check("the module takes it", module.take(bytes.length));
    module.key("0".charCodeAt(0), 0, 0); // the whole room, as in the page
    await page.key("0");
    module.draw();
    // The values of objects at rest are sent exactly, after those of moving objects.
    const lists = () => page.eval("ptybot.module.draw(), [0, 1].map((i) => ptybot.module.text(i))");
    await until("what stands still is drawn the same", async () => (await lists())[0] === module.text(0));
    await until("what moves is drawn the same", async () => (await lists())[1] === module.text(1));
    await run.do("world.pause paused=false");
  },

  async the_picture_is_that_of_shot({ page }) {
    const run = await Run.start(program, "run", `${here}../../scenes/kobuki_room.yaml`, "--lockstep");
    const shot = `${tmpdir()}/ptybot-page-${process.pid}.png`;
    const other = await page.browser.page(run.url);
    try {
      await run.ask("step", { ms: 100 });
      execFileSync(program, ["shot", `${here}../../scenes/kobuki_room.yaml`, "-o", shot, "--at", "0.1", "--size", "1280x800"]);
      await other.shown();
      await until("a tenth of a second", async () => (await state(other)).time_s > 0.0999);
      const differs = await other.eval(`(${comparePictures})(${JSON.stringify(readFileSync(shot).toString("base64"))})`);
      console.log(`  picture against shot, outside texts: ${differs.percent.toFixed(3)} % of pixels differ by more than 48 of 255 in a channel; mean ${differs.mean.toFixed(3)}`);
      check("at most 0.5 % of the pixels differ", differs.percent < 0.5, differs);
      check("in the mean by less than 0.5 of 255", differs.mean < 0.5, differs);
    } finally {
      await other.close();
      await run.end();
    }
  },

  async a_hidden_page_has_no_stream({ browser, page, run }) {
    const cover = await browser.page("about:blank");
    await until("the page is hidden", () => page.eval("document.hidden"));
    await until("no stream is open", () => connections(portOf(run.url)) === 0);
    await cover.close();
    await browser.send("Target.activateTarget", { targetId: page.targetId });
    const before = await page.eval("ptybot.module.state().time_s");
    await until("it goes on when it is seen again", async () => (await page.eval("ptybot.module.state().time_s")) > before + 0.1);
  },

  async eight_pages_share_one_stream({ browser, page, run }) {
    const port = portOf(run.url);
    const pages = [];
    for (let i = 0; i < 7; i++) {
      const { targetId } = await browser.send("Target.createTarget", { url: run.url, newWindow: true });
      const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
      pages.push({ targetId, eval: (expression) => browser.send("Runtime.evaluate", { expression, returnByValue: true }, sessionId).then(({ result }) => result.value) });
    }
    for (const one of [...pages, page]) {
      await until("each page shows the run", () => one.eval("!!globalThis.ptybot?.state?.shown"));
      const before = await one.eval("ptybot.module.state().time_s");
      await until("and goes on", async () => (await one.eval("ptybot.module.state().time_s")) > before);
    }
    await until("one stream is open, and what was loaded is closed", () => connections(port) === 1);
    for (const one of pages) await browser.send("Target.closeTarget", { targetId: one.targetId });
  },

  async a_lost_connection_comes_back({ browser, run }) {
    const port = portOf(run.url);
    const sockets = new Set();
    const proxy = createServer((from) => {
      const to = connect(port, "127.0.0.1");
      for (const [socket, other] of [[from, to], [to, from]]) {
        sockets.add(socket);
        socket.pipe(other).on("error", () => {});
        socket.on("error", () => {}).on("close", () => other.destroy());
      }
    });
    await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const page = await browser.page(run.url.replace(`:${port}`, `:${proxy.address().port}`));
    await page.shown();
    const at = proxy.address().port;
    await new Promise((resolve) => {
      proxy.close(resolve);
      for (const socket of sockets) socket.destroy();
    });
    await until("it is told", async () => (await page.eval("document.getElementById('state').textContent")).includes("lost"));
    await new Promise((resolve) => proxy.listen(at, "127.0.0.1", resolve));
    const before = await page.eval("ptybot.module.state().time_s");
    await until("it goes on", async () => (await page.eval("ptybot.module.state().time_s")) > before);
    check("and says so", (await page.eval("document.getElementById('state').textContent")) === "");
    await page.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  },

  async a_browser_without_shared_workers_shows_it_too({ browser, run }) {
    const page = await browser.page("about:blank");
    await page.send("Page.addScriptToEvaluateOnNewDocument", { source: "delete globalThis.SharedWorker" });
    await page.send("Page.navigate", { url: run.url });
    await page.shown();
    const before = await page.eval("ptybot.module.state().time_s");
    await until("it goes on", async () => (await page.eval("ptybot.module.state().time_s")) > before);
    check("without a worker", (await page.eval("typeof SharedWorker")) === "undefined");
    await page.close();
  },

  async a_page_of_another_origin_reaches_nothing({ browser, run }) {
    const html = `<!doctype html><title>foreign</title><body>`;
    const server = createHttp((_, reply) => reply.writeHead(200, { "Content-Type": "text/html" }).end(html));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const page = await browser.page(`http://localhost:${server.address().port}/`);
    const before = await run.get("kobuki.x_m");
    const tries = await page.eval(`(async () => {
      const url = ${JSON.stringify(run.url)}, found = {}, body = JSON.stringify({command: "kobuki.place x=1 y=1 heading=0"});
      const read = async (name, path, options) => { try { const reply = await fetch(url + path, options); found[name] = reply.status + await reply.text(); } catch (error) { found[name] = "refused"; } };
      await read("post", "do", {method: "POST", body, headers: {"Content-Type": "application/json"}});
      await read("plain", "do", {method: "POST", body});
      await read("blind", "do", {method: "POST", body, mode: "no-cors"});
      await read("events", "events");
      await read("module", "page.wasm");
      const form = document.createElement("form"); form.method = "post"; form.enctype = "text/plain"; form.action = url + "do"; form.target = "frame";
      const frame = document.createElement("iframe"); frame.name = "frame"; document.body.append(frame, form); form.submit();
      const framed = document.createElement("iframe"); framed.src = url; document.body.append(framed);
      await new Promise((resolve) => setTimeout(resolve, 500));
      found.events2 = await new Promise((resolve) => { const source = new EventSource(url + "events"); source.onmessage = () => resolve("heard"); source.onerror = () => resolve("refused"); });
      return found;
    })()`);
    check("nothing is read", Object.values(tries).every((found) => found === "refused" || found === "0"), tries);
    check("nothing has moved", (await run.get("kobuki.x_m")) === before);
    await page.close();
    server.close();
  },

  async what_a_test_shows_is_only_looked_at({ browser }) {
    const marks = [];
    for (const [words, isWritable] of [[[], false], [["--web-write"], true]]) {
      const run = await startTest(words);
      const page = await browser.page(run.url);
      await page.shown();
      await page.key("l");
      await page.eval("ptybot.sent");
      const refused = (await page.eval("document.getElementById('notice').textContent")).includes("read-only");
      if (isWritable) await until("it is lifted", async () => (await state(page)).robots[0].lifted);
      marks.push([isWritable, !refused && (await state(page)).robots[0].lifted]);
      check("no error", page.errors.length === 0, page.errors);
      await page.close();
      await run.end();
    }
    check("only with --web-write the page lifts", marks.every(([isWritable, isLifted]) => isWritable === isLifted), marks);
  },

  async nothing_fails_in_axe({ browser, run }) {
    for (const [width, dark] of [[1280, false], [1280, true], [390, false]]) {
      const page = await browser.page(run.url, { width, dark });
      await page.shown();
      for (const tab of ["Robot", "Signals", "Frames", "Faults", "Test", "Robots"]) {
        await page.eval(`ptybot.panel.open(${JSON.stringify(tab)})`);
        const failed = await axeFindings(page);
        if (!failed) return console.log("  axe-core cannot be had here: not checked");
        check(`axe finds nothing at ${width} ${dark ? "dark" : "light"} in ${tab}`, failed.length === 0, failed);
      }
      await page.eval("ptybot.help()");
      await page.close();
    }
  },

  async pictures_at_all_sizes({ browser, run }) {
    const folder = process.env.PTYBOT_PAGE_PICTURES;
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    for (const [width, height] of [[390, 844], [800, 600], [1280, 800], [2560, 1440]])
      for (const dark of [false, true]) {
        const page = await browser.page(run.url, { width, height, dark, touch: width === 390, scale: width === 390 ? 2 : 1 });
        await page.shown();
        await sleep(400);
        await page.shot(`${folder}/${width}-${dark ? "dark" : "light"}.png`);
        check("no error", page.errors.length === 0, page.errors);
        await page.close();
      }
  },
};

// Runs in the page: what its painter makes of a room of 1280x800 against a PNG, outside texts.
async function comparePictures(png) {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const { module, room } = globalThis.ptybot;
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  module.select(-1);
  module.key("0".charCodeAt(0), 0, 0); // the whole room
  module.resize(image.width, image.height);
  room.painter.paint(canvas, 1);
  const texts = [0, 1].flatMap((i) => [...module.text(i).matchAll(/^text (\S+),(\S+) (\S+) size (\S+) "(.*)"/gm)]);
  const ours = context.getImageData(0, 0, image.width, image.height).data;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(image, 0, 0);
  const theirs = context.getImageData(0, 0, image.width, image.height).data;
  const boxes = texts.map(([, x, y, align, size, text]) => {
    const width = text.length * size * 0.9 + 8;
    const left = align === "left" ? x - 4 : align === "center" ? x - width / 2 : x - width + 4;
    return [left, y - size * 1.3, left + width, +y + size * 0.5];
  });
  let compared = 0, different = 0, sum = 0;
  for (let y = 0; y < image.height; y++)
    for (let x = 0; x < image.width; x++) {
      if (boxes.some(([left, top, right, bottom]) => x >= left && x < right && y >= top && y < bottom)) continue;
      const at = 4 * (y * image.width + x);
      const most = Math.max(...[0, 1, 2].map((c) => Math.abs(ours[at + c] - theirs[at + c])));
      compared++;
      sum += most;
      different += most > 48;
    }
  return { percent: (100 * different) / compared, mean: sum / compared, compared };
}

async function startTest(words) {
  const { spawn } = await import("node:child_process");
  const run = { process: spawn(program, ["test", `${here}../../scenes/kobuki_dock.yaml`, "--start", "now", "--speed", "1", "--web", "--web-port", "0", ...words]), said: "" };
  for (const stream of [run.process.stdout, run.process.stderr]) stream.on("data", (text) => (run.said += text));
  run.url = await until("the test says where its page is", () => /its page: (\S+)/.exec(run.said)?.[1]);
  run.end = () => new Promise((resolve) => run.process.once("exit", resolve).kill("SIGTERM"));
  return run;
}

// ---- All of it ----

const run = await Run.start(program, "run", `${here}../../scenes/kobuki_dock.yaml`);
const browser = new Browser();
let wire = new Wire(run.about.robots[0].channels[0].path);
let failed = 0;
try {
  const page = await browser.page(run.url);
  await page.shown();
  await page.key("0"); // the whole room: nothing glides
  const stage = { browser, page, run, wire, renew: async () => { wire.close(); stage.wire = wire = new Wire(run.about.robots[0].channels[0].path); } };
  for (const [name, deed] of Object.entries(deeds)) {
    const isWanted = picked.length === 0 ? !SLOW.includes(name) : picked.includes("all") || picked.some((word) => name.includes(word));
    if (!isWanted) continue;
    const began = Date.now();
    try {
      await page.front(); // the deed before may have opened another
      await deed(stage);
      console.log(`ok     ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${name}: ${error.message}`);
      await page.mouse("mouseReleased", 5, 300);
    }
  }
  if (page.errors.length > 0) {
    failed++;
    console.log(`FAILED the console has errors: ${page.errors.join("\n")}`);
  }
} catch (error) {
  failed++;
  console.log(`FAILED ${error.stack}`);
} finally {
  wire.close();
  await browser.close();
  const code = await run.end();
  if (code !== 0) console.log(`ptybot ended with ${code}: ${run.said}`);
}
process.exit(failed > 0 ? 1 : 0);
