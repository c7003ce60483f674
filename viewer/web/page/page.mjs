// The page of a run, independent of the source of its snapshots: the module draws and handles
// events, this file connects it to the document. main.mjs adds a stream, replay.mjs a run in the
// page itself.
import { loadModule } from "./module.mjs";
import { el, svg } from "./element.mjs";
import { Panel } from "./panel.mjs";
import { Room } from "./room.mjs";

const PANEL_MS = 100; // faster than a person reads numbers
const NOTICE_MS = 5000;
export const get = (id) => document.getElementById(id);

// The buttons, named by the keys of the same actions; icons are paths in a box of 20.
const BUTTONS = [
  ["Space", "Pause", "M6 4v12M14 4v12"],
  [".", "Step of 20 ms", "M4 4l8 6-8 6zM15 4v12"],
  ["[", "Half the speed", "M5 10h10"],
  ["\\", "Back to real time", null],
  ["]", "Twice the speed", "M5 10h10M10 5v10"],
  ["Ctrl R", "Reset everything", "M5 6a7 7 0 1 1-1 6M5 2v4h4"],
  null,
  ["V", "Hand: drag robots, press their parts", "M5 3l11 7-5 1 3 5-2 1-3-5-4 4z"],
  ["W", "Draw a wall", "M3 16L17 4M2 14h3v4H2zM15 2h3v4h-3z"],
  ["B", "Draw a box", "M3 4h14v12H3zM3 4l14 12M3 16L17 4"],
  ["D", "Delete walls and boxes", "M5 6l1 11h8l1-11M3 6h14M8 3h4"],
  ["Ctrl Z", "Undo", "M8 4L4 8l4 4M4 8h8a4 4 0 0 1 0 8H8"],
  ["Ctrl Y", "Redo", "M12 4l4 4-4 4M16 8H8a4 4 0 0 0 0 8h4"],
  ["Q", "Turn the robot left by 15°", "M4 9a6 6 0 1 1 2 6M4 3v6h6"],
  ["E", "Turn the robot right by 15°", "M16 9a6 6 0 1 0-2 6M16 3v6h-6"],
  ["L", "Lift the robot, put it down", "M10 16V4M5 9l5-5 5 5"],
  null,
  ["+ or wheel", "Nearer", "M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3zM14 14l4 4M6 9h6M9 6v6"],
  ["- or wheel", "Farther", "M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3zM14 14l4 4M6 9h6"],
  ["0", "The whole room", "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4"],
  ["A", "Robots, docks, movable objects", "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"],
  ["F", "Follow the robot", "M10 5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM1 10h4M15 10h4M10 1v4M10 15v4"],
  null,
  ["P", "Panel", "M2 4h16v12H2zM12 4v12"],
  ["K", "Dark or light", "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14"],
  ["F1, H", "Mouse, touch and keys", "M7 7a3 3 0 1 1 4 3c-1 .5-1 1-1 2M10 16v.1"],
];
const HAND_KEYS = ["V", "W", "B", "D", "Ctrl Z", "Ctrl Y", "Q", "E", "L"]; // buttons that change something
const TOOLS = ["V", "W", "B", "D"]; // in the order of enum view_tool
const LAYERS = ["G", "I", "R", "T", "O", "N"]; // in the order of enum viewport_shows
const HANDS = [
  ["click, tap", "select; press a bumper or a button"],
  ["drag", "carry a robot, or move the picture"],
  ["right drag", "turn a robot; Shift and drag too"],
  ["wheel, two fingers", "zoom, move"],
];
const EYES = [
  ["click, tap", "select a robot"],
  ["drag", "move the picture"],
  ["time bar", "go to any time; click an event mark"],
  ["wheel, two fingers", "zoom, move"],
];

const icon = (path) => svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: path }));

// A subclass has run(command), which returns a promise, and passes snapshots by take(size).
export class Page {
  async open(code) {
    this.module = await loadModule(code, (command) => this.run(command).finally(() => this.module.reply()));
    this.actions = this.module.actions();
    this.panel = new Panel(this.module, () => this.touch());
    this.makeToolbar();
    this.makeLayers();
    this.makeHelp();
    this.own = { p: () => this.togglePanel(), k: () => this.toggleTheme(), h: () => this.help(), "?": () => this.help(), f1: () => this.help(), m() {} };
    this.room = new Room(this.module, get("picture"), () => this.touch(), this.own);
    this.theme(matchMedia("(prefers-color-scheme: dark)").matches);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => this.theme(matches));
    setInterval(() => this.show(), PANEL_MS);
  }

  // For a replay: adds a time bar, and nothing can be changed.
  putBar(bar) {
    this.bar = bar;
    this.own.j = ({ shiftKey }) => bar.nextFailure(shiftKey) || this.notify("nothing has failed in this run");
    this.makeToolbar();
    this.makeHelp();
    document.body.append(bar.element);
  }

  // ---- Snapshots ----

  take(size) {
    if (!this.module.take(size)) {
      get("state").textContent = "The run is of another version of ptybot: load this page again";
      return;
    }
    this.size = size;
    this.room.isStale = true;
    this.news = true;
  }

  // Called after another robot was selected.
  settle() {}

  notify(text) {
    get("notice").textContent = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (get("notice").textContent = ""), NOTICE_MS);
  }

  // ---- Display ----

  // Call it after a change by the user, which must be visible at once.
  touch() {
    this.news = true;
    this.room.isStale = true;
    this.show();
  }

  show() {
    if (!this.news || document.hidden) return;
    this.news = false;
    const state = this.module.state();
    const isOther = this.state?.selected !== state.selected;
    this.state = state;
    if (!state.shown) return;
    if (isOther) this.settle();
    if (state.notice && state.notice !== this.said) this.notify(state.notice);
    this.said = state.notice;
    get("title").textContent = state.title;
    if (document.title !== `${state.title} – ptybot`) document.title = `${state.title} – ptybot`;
    get("clock").textContent = `${state.time_s.toFixed(2)} s`;
    this.showButtons(state);
    if (!get("panel").hidden) this.panel.show(state);
    const robot = state.robots[state.selected];
    const words = `${state.title}: ${state.robots.length} robots${robot ? `; ${robot.label || robot.name} is selected` : ""}`;
    if (get("picture").getAttribute("aria-label") !== words) get("picture").setAttribute("aria-label", words);
  }

  showButtons(state) {
    const on = { Space: state.paused, 0: state.frame === 1, A: state.frame === 2, F: state.frame === 3, P: !get("panel").hidden };
    TOOLS.forEach((keys, i) => (on[keys] = state.tool === i));
    for (const [keys, isOn] of Object.entries(on)) this.buttons[keys]?.setAttribute("aria-pressed", String(isOn));
    if (this.buttons["Ctrl Z"]) this.buttons["Ctrl Z"].disabled = !state.can_undo;
    if (this.buttons["Ctrl Y"]) this.buttons["Ctrl Y"].disabled = !state.can_redo;
    const speed = state.lockstep ? "lockstep" : `${Number(state.speed.toPrecision(4))}×`;
    this.buttons["\\"].textContent = speed;
    this.buttons["\\"].setAttribute("aria-label", `${speed}: back to real time`);
    this.layers.forEach((box, i) => (box.checked = (state.shows >> i) & 1));
  }

  act(keys) {
    const own = this.own[keys[keys.length - 1].toLowerCase()];
    if (own && keys.length === 1) return own();
    if (keys === "F1, H") return this.help();
    this.module.time(performance.now() >>> 0);
    this.module.act(this.actions.find((row) => row.keys === keys).action, 0);
    this.touch();
  }

  makeToolbar() {
    this.buttons = {};
    const make = (row) => {
      if (!row) return el("hr", { "aria-hidden": "true" });
      const [keys, word, path] = row;
      const button = el("button", { "aria-label": word, title: `${word}  ${keys}`, onclick: () => this.act(keys) });
      path ? button.append(icon(path)) : button.classList.add("word");
      return (this.buttons[keys] = button);
    };
    const rows = BUTTONS.filter((row) => !row || !this.bar || !HAND_KEYS.includes(row[0]));
    get("toolbar").replaceChildren(...rows.filter((row, i) => row || rows[i - 1]).map(make));
  }

  makeLayers() {
    const notes = LAYERS.map((keys) => this.actions.find((row) => row.keys === keys));
    this.layers = notes.map((row) => el("input", { type: "checkbox", onchange: () => this.act(row.keys) }));
    const labels = notes.map((row, i) => el("label", {}, this.layers[i], ` ${row.note} `, el("kbd", {}, row.keys)));
    get("layers").replaceChildren(el("details", {}, el("summary", {}, "Layers"), el("div", { class: "menu" }, ...labels)));
  }

  makeHelp() {
    const groups = new Map([["Mouse and touch", (this.bar ? EYES : HANDS).map(([keys, note]) => ({ keys, note }))]]);
    for (const row of this.actions) {
      if (!row.keys || ["Tab", "F11", "Ctrl Q", "M", "Ctrl R"].includes(row.keys)) continue;
      if (row.group === (this.bar ? "Hands" : "Replay")) continue;
      if (!groups.has(row.group)) groups.set(row.group, []);
      groups.get(row.group).push(row);
    }
    const part = ([title, rows]) => el("section", {}, el("h2", {}, title), el("dl", {}, ...rows.flatMap((row) => [el("dt", {}, el("kbd", {}, row.keys)), el("dd", {}, row.note)])));
    get("help").replaceChildren(el("div", { class: "columns" }, ...[...groups].map(part)), el("button", { autofocus: true, onclick: () => get("help").close() }, "Close"));
  }

  help() {
    get("help").showModal();
  }

  togglePanel() {
    get("panel").hidden = !get("panel").hidden;
    this.touch();
  }

  theme(isDark) {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    this.module.theme(isDark ? 1 : 0);
    this.touch();
  }

  toggleTheme() {
    this.theme(document.documentElement.dataset.theme !== "dark");
  }
}

// Opens a page; if that fails, shows the reason in it.
export function start(page, ...words) {
  globalThis.ptybot = page; // for the console, and tests
  page.open(...words).catch((error) => {
    get("state").textContent = `This page cannot run here: ${error.message}`;
    throw error;
  });
}
