// The panel: pages about the selected robot, what fails, the test, and all robots.
import { Plots } from "./plot.mjs";

// Makes an element: el("button", {onclick}, "text", child, ...).
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) element[name] = value;
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const pressed = (isOn) => ({ "aria-pressed": String(isOn) });
const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : "–");
const pose = (at) => `${fixed(at.x_m, 3)}, ${fixed(at.y_m, 3)} m  ${fixed(at.heading_deg, 1)}°`;

// The value of a signal as text, with its unit.
function valueText(signal, value) {
  if (signal.words[value] !== undefined) return signal.words[value];
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 3 : 2;
  return `${fixed(value, digits)}${signal.unit ? " " + signal.unit : ""}`;
}

const TABS = { robot: "Robot", signals: "Signals", frames: "Frames", faults: "Faults", test: "Test", robots: "Robots" };
const COLUMNS = [
  ["name", "Robot", (robot) => robot.label || robot.name],
  ["link", "Link", (robot) => (robot.unplugged ? "unplugged" : robot.host ? "host" : "waiting")],
  ["charge", "Charge", (robot) => Math.round(100 * robot.charge)],
  ["faults", "Faults", (robot) => robot.faults],
  ["collisions", "Bumps", (robot) => robot.collisions],
  ["refused", "Refused", (robot) => robot.refused],
];

export class Panel {
  // RUN(command) sends a command; CHANGED is called when something was selected.
  constructor(module, run, changed) {
    Object.assign(this, { module, run, changed });
    this.plots = new Plots();
    this.tab = "robot";
    this.groups = new Set([""]);
    this.channel = this.direction = 0;
    this.filter = "";
    this.sort = ["name", 1];
    this.tabs = document.getElementById("tabs");
    this.page = document.getElementById("page");
    this.makeTabs();
    // A button that is pressed must still be there when it is let go.
    this.page.addEventListener("pointerdown", () => (this.isHeld = true));
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(() => (this.isHeld = false)));
  }

  makeTabs() {
    const tab = ([id, word]) =>
      el("button", { role: "tab", id: `tab-${id}`, "aria-controls": "page", onclick: () => this.open(id) }, word);
    this.tabs.replaceChildren(...Object.entries(TABS).map(tab));
    this.tabs.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const ids = Object.keys(TABS);
      this.open(ids[(ids.indexOf(this.tab) + step + ids.length) % ids.length]);
      document.getElementById(`tab-${this.tab}`).focus();
      event.preventDefault();
    };
    this.open(this.tab);
  }

  open(id) {
    this.tab = id;
    this.shape = null;
    for (const tab of this.tabs.children) {
      const isOpen = tab.id === `tab-${id}`;
      tab.setAttribute("aria-selected", String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
    }
    this.page.setAttribute("aria-labelledby", `tab-${id}`);
    if (this.state) this.show(this.state);
  }

  // Each snapshot, for the plots.
  take(time_s) {
    this.plots.take(time_s, (number) => this.value(number));
  }

  // The value of a signal now. The module's memory may have moved since the last.
  value(number) {
    return new DataView(this.module.memory.buffer).getFloat64(this.module.values() + 8 * number, true);
  }

  // Shows the state. What has another SHAPE than before is built anew; else only texts change, so that
  // focus, scroll and what is open stay.
  show(state) {
    this.state = state;
    if (this.isHeld) return;
    const pages = { robot: "showRobot", signals: "showSignals", frames: "showFrames", faults: "showFaults", test: "showTest", robots: "showRobots" };
    if (!state.robot && !["test", "robots"].includes(this.tab)) {
      this.build("none", () => [el("p", { class: "faint" }, "No robot is selected: choose one in the picture, or under Robots.")]);
      return;
    }
    this[pages[this.tab]](state);
  }

  // Builds the page if its SHAPE (any text) is new. Texts are elements with data-text, filled later.
  build(shape, make) {
    const whole = `${this.tab} ${shape}`;
    if (whole === this.shape) return;
    const focused = document.activeElement?.dataset?.focus;
    this.shape = whole;
    this.page.replaceChildren(...make());
    this.texts = new Map([...this.page.querySelectorAll("[data-text]")].map((e) => [e.dataset.text, e]));
    if (focused) this.page.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
  }

  text(name, text, isWarning = false) {
    const element = this.texts.get(name);
    if (!element) return;
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle("warn", isWarning);
  }

  rows(names) {
    return el("dl", {}, ...names.flatMap(([id, word]) => [el("dt", {}, word), el("dd", { "data-text": id })]));
  }

  button(word, isOn, act) {
    return el("button", { ...(isOn === null ? {} : pressed(isOn)), "data-focus": word, disabled: this.isReadOnly, onclick: act }, word);
  }

  head(state) {
    const robot = state.robots[state.selected];
    const chips = [["lifted", "warn"], ["docked", "good"], ["adapter", "good"]].filter(([key]) => robot[key]);
    const words = { lifted: "lifted", docked: "docked", adapter: "charger" };
    const choose = el("select", { "aria-label": "Robot", "data-focus": "robot", onchange: (event) => this.select(Number(event.target.value)) },
      ...state.robots.map((one, i) => el("option", { value: i, selected: i === state.selected }, one.label || one.name)));
    return el("div", { class: "row" }, choose, ...chips.map(([key, kind]) => el("span", { class: `chip ${kind}` }, words[key])));
  }

  headShape(state) {
    const robot = state.robots[state.selected];
    return [state.selected, state.generation, robot.lifted, robot.docked, robot.adapter, this.isReadOnly].join();
  }

  select(number) {
    this.module.select(number);
    this.changed();
  }

  // ---- Robot ----

  showRobot(state) {
    const { robot } = state;
    const about = state.robots[state.selected];
    const shape = [this.headShape(state), !!robot.odometry, robot.image_width, robot.channels.map((c) => c.plugged)].join();
    this.build(shape, () => [
      this.head(state),
      el("p", { class: "faint" }, `${about.name} · ${about.type}`),
      el("div", { class: "row" }, el("meter", { min: 0, max: 1, low: 0.15, "aria-label": "Battery", "data-meter": "" }), el("span", { class: "mono", "data-text": "charge" })),
      this.rows([["pose", "pose"], ...(robot.odometry ? [["odometry", "odometry"]] : []), ["speed", "speed"], ["bumps", "collisions"]]),
      el("div", { class: "row" },
        this.button(about.lifted ? "Put down" : "Lift", about.lifted, () => this.run(`${about.name}.lift up=${!about.lifted}`)),
        this.button(about.adapter ? "Unplug charger" : "Plug in charger", about.adapter, () => this.run(`${about.name}.${about.adapter ? "unplug" : "plug"} what=adapter`))),
      ...this.parts(about, robot),
      ...(robot.image_width ? [el("h2", {}, "Camera"), el("canvas", { id: "camera", role: "img", "aria-label": "Last picture of the camera", width: robot.image_width, height: robot.image_height })] : []),
      ...robot.channels.flatMap((channel, i) => this.link(about, channel, i)),
    ]);
    this.page.querySelector("[data-meter]")?.setAttribute("value", about.charge);
    this.text("charge", `${Math.round(100 * about.charge)} %`, about.charge < 0.15);
    this.text("pose", pose(robot.pose));
    if (robot.odometry) this.text("odometry", pose(robot.odometry));
    this.text("speed", `${fixed(robot.speed_m_s, 3)} m/s  ${fixed(robot.turn_deg_s, 1)}°/s`);
    this.text("bumps", String(about.collisions), about.collisions > 0);
    robot.channels.forEach((channel, i) => this.linkTexts(channel, i));
    this.camera(robot);
  }

  // What a click on the robot in the picture does, as buttons.
  parts(about, robot) {
    if (robot.parts.length === 0) return [];
    const word = (part) => part.replace(/^press /, "").replace("=", " ");
    const press = (part) => () => this.run(`${about.name}.${part}${part.startsWith("press ") ? " for=0.5" : ""}`);
    return [el("h2", {}, "Press"), el("div", { class: "row" }, ...robot.parts.map((part) => this.button(word(part), null, press(part))))];
  }

  link(about, channel, i) {
    const place = channel.place || "no link in the scene";
    return [
      el("h2", {}, `Link ${channel.name} `, el("span", { class: "faint", "data-text": `state${i}` })),
      el("p", { class: "mono faint" }, place),
      this.rows([[`baud${i}`, "baud"], [`to${i}`, "towards the host"], [`from${i}`, "from the host"], [`bad${i}`, "refused"]]),
      el("div", { class: "row" },
        this.button(channel.plugged ? `Unplug ${channel.name}` : `Plug in ${channel.name}`, !channel.plugged, () => this.run(`${about.name}.${channel.plugged ? "unplug" : "plug"} what=${channel.name}`)),
        this.button(`Flip bits for 5 s`, null, () => this.run(`${about.name}.fault ${channel.name}=flip rate=0.005 for=5`))),
    ];
  }

  linkTexts(channel, i) {
    const refused = channel.bad_frames + channel.noise_bytes + channel.unknown_ids + channel.bad_lengths;
    const isWrong = channel.host_baud > 0 && channel.host_baud !== channel.baud;
    this.text(`state${i}`, !channel.plugged ? "unplugged" : channel.host ? "host connected" : "waiting for a host", !channel.plugged);
    this.text(`baud${i}`, !channel.baud ? "–" : isWrong ? `${channel.baud}, the host has set ${channel.host_baud}` : String(channel.baud), isWrong);
    this.text(`to${i}`, `${channel.to_host_frames} frames  ${channel.to_host_bytes} B`);
    this.text(`from${i}`, `${channel.from_host_frames} frames  ${channel.from_host_bytes} B`);
    this.text(`bad${i}`, `${channel.bad_frames} frames  ${channel.noise_bytes} stray bytes`, refused > 0);
  }

  camera(robot) {
    const canvas = document.getElementById("camera");
    if (!canvas) return;
    const at = this.module.room(0) + robot.image_at;
    const rgb = new Uint8Array(this.module.memory.buffer, at, 3 * canvas.width * canvas.height);
    const image = new ImageData(canvas.width, canvas.height);
    for (let i = 0; i < canvas.width * canvas.height; i++) {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = rgb[3 * i + c];
      image.data[4 * i + 3] = 255;
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  // ---- Signals ----

  showSignals(state) {
    const shape = [this.headShape(state), [...this.groups], [...this.plots.points.keys()]].join();
    const name = state.robots[state.selected].name;
    this.build(shape, () => {
      this.signals = this.module.signals();
      const byGroup = new Map();
      for (const signal of this.signals) {
        const short = signal.name.slice(name.length + 1);
        const group = short.includes(".") ? short.slice(0, short.lastIndexOf(".")) : "";
        if (!byGroup.has(group)) byGroup.set(group, []);
        byGroup.get(group).push([short.slice(group ? group.length + 1 : 0), signal]);
      }
      return [this.head(state), el("p", { class: "faint" }, "Choose a signal to plot it."), ...[...byGroup].map(([group, rows]) => this.group(group, name, rows))];
    });
    for (const signal of this.signals) {
      if (!this.texts.has(`s${signal.number}`)) continue;
      this.text(`s${signal.number}`, valueText(signal, this.value(signal.number)));
    }
    for (const canvas of this.page.querySelectorAll("canvas[data-plot]")) this.plots.draw(canvas, Number(canvas.dataset.plot), state.time_s);
  }

  group(group, name, rows) {
    const isOpen = this.groups.has(group);
    const toggle = (event) => {
      if (event.target.open === this.groups.has(group)) return;
      event.target.open ? this.groups.add(group) : this.groups.delete(group);
    };
    const list = el("ul", { class: "signals" }, ...rows.map(([word, signal]) => this.signal(word, signal)));
    return el("details", { open: isOpen, ontoggle: toggle }, el("summary", {}, group || name), list);
  }

  signal(word, signal) {
    const isOn = this.plots.has(signal.number);
    const toggle = () => {
      this.plots.toggle(signal.number);
      this.show(this.state);
    };
    const button = el("button", { ...pressed(isOn), title: signal.note, "data-focus": signal.name, onclick: toggle }, el("span", {}, word), el("span", { class: "mono", "data-text": `s${signal.number}` }));
    const plot = isOn ? el("canvas", { "data-plot": signal.number, role: "img", "aria-label": `${signal.name} over the last ten seconds` }) : null;
    return el("li", {}, button, plot);
  }

  // ---- Frames ----

  showFrames(state) {
    const channels = state.robot.channels;
    if (this.channel >= channels.length) this.channel = 0;
    const choose = (key, value) => () => {
      this[key] = value;
      this.show(this.state);
    };
    this.build([this.headShape(state), this.channel, this.direction].join(), () => [
      this.head(state),
      el("div", { class: "row", role: "group", "aria-label": "Channel" }, ...channels.map((channel, i) => el("button", { ...pressed(this.channel === i), "data-focus": `c${i}`, onclick: choose("channel", i) }, channel.name))),
      el("div", { class: "row", role: "group", "aria-label": "Direction" }, ...["to the host", "from the host"].map((word, i) => el("button", { ...pressed(this.direction === i), "data-focus": word, onclick: choose("direction", i) }, word))),
      el("p", { class: "faint", "data-text": "frames" }),
      el("div", { id: "frames" }, ...Array.from({ length: 16 }, (_, i) => this.frame(i))),
    ]);
    if (channels.length === 0) return;
    const frames = this.module.frames(this.channel, this.direction);
    const channel = channels[this.channel];
    this.text("frames", frames.length > 0 ? "The newest first; open one for its bytes." : channel.host ? "No frames yet." : "No frames: no host has opened the link.");
    [...document.getElementById("frames").children].forEach((row, i) => this.fillFrame(row, frames[i]));
  }

  frame(i) {
    return el("details", { class: "frame", open: i === 0 }, el("summary", {}), el("div", {}));
  }

  fillFrame(row, frame) {
    row.hidden = !frame;
    if (!frame) return;
    const names = frame.good ? frame.packets.map((packet) => packet.name).join(", ") : "no frame of this robot";
    const [summary, body] = row.children;
    summary.textContent = `${frame.at_s.toFixed(3)} s  ${frame.size} B  ${names}`;
    summary.classList.toggle("warn", !frame.good);
    if (!row.open) return;
    const field = (text) => {
      const [name, ...value] = text.split("=");
      return [el("dt", {}, name), el("dd", {}, value.join("="))];
    };
    body.replaceChildren(
      ...frame.packets.flatMap((packet) => [el("h2", {}, packet.name), el("dl", {}, ...packet.fields.flatMap(field))]),
      ...(frame.text ? [el("p", { class: "plain" }, frame.text)] : []),
      el("p", { class: "mono faint plain" }, frame.hex));
  }

  // ---- Faults ----

  showFaults(state) {
    const faults = state.faults;
    const shape = [this.headShape(state), faults.map((fault) => [fault.robot, fault.part, fault.what])].join();
    this.build(shape, () => [
      this.head(state),
      el("h2", {}, "What fails now"),
      faults.length === 0 ? el("p", { class: "faint" }, "Nothing.") : el("ul", { class: "list" }, ...faults.map((fault, i) => this.fault(state, fault, i))),
      ...(faults.length > 0 ? [this.button("Heal all", null, () => new Set(faults.map((fault) => fault.robot)).forEach((robot) => this.run(`${state.robots[robot].name}.heal`)))] : []),
      ...this.faultForm(state),
      ...(state.event_count > 0 ? [el("h2", {}, "Still to come"), el("ul", { class: "list", "data-events": "" })] : []),
    ]);
    faults.forEach((fault, i) => this.text(`left${i}`, fault.left_s === null ? "until it is healed" : `${Math.ceil(fault.left_s)} s left`));
    this.page.querySelector("[data-events]")?.replaceChildren(...state.events.map((event) => el("li", {}, `${event.when}: `, el("span", { class: "mono" }, event.command))));
  }

  fault(state, fault, i) {
    const { name, label } = state.robots[fault.robot];
    return el("li", {}, el("strong", {}, `${label || name} ${fault.part} `), el("span", { class: "warn" }, `${fault.what} `), el("span", { class: "faint", "data-text": `left${i}` }), " ",
      this.button(`Heal ${fault.part}`, null, () => this.run(`${name}.fault ${fault.part}=none`)));
  }

  // A menu of all faults with their arguments.
  faultForm(state) {
    const parts = state.robot.fault_parts.filter((part) => part.kinds.length > 0);
    if (parts.length === 0) return [];
    const name = state.robots[state.selected].name;
    // What was chosen stays when the page is built anew.
    const chosen = (this.chosen ??= { part: "", kind: "", words: "" });
    const select = (label, key, names) => {
      const index = Math.max(0, names.indexOf(chosen[key]));
      const options = names.map((one, i) => el("option", { value: i, selected: i === index }, one));
      return [el("select", { "aria-label": label, "data-focus": label }, ...options), index];
    };
    const [part, p] = select("Part", "part", parts.map((one) => one.name));
    const [kind, k] = select("Kind of fault", "kind", parts[p].kinds.map((one) => one.name));
    const words = el("input", { type: "text", "aria-label": "Arguments", "data-focus": "Arguments", placeholder: "arguments", value: chosen.words });
    const note = el("p", { class: "faint" });
    const kinds = () => parts[part.value].kinds;
    const current = () => kinds()[kind.value];
    const choose = () => {
      Object.assign(chosen, { part: parts[part.value].name, kind: current().name, words: words.value });
      note.textContent = `${current().note}${current().arguments ? `: ${current().arguments}` : ""}`;
      words.hidden = !current().arguments;
    };
    part.onchange = () => {
      kind.replaceChildren(...kinds().map((one, i) => el("option", { value: i }, one.name)));
      choose();
    };
    kind.onchange = words.oninput = choose;
    kind.value = k;
    choose();
    const inject = () => this.run(`${name}.fault ${parts[part.value].name}=${current().name} ${words.value}`.trim());
    return [el("h2", {}, "Make something fail"), el("div", { class: "row" }, part, kind), note, el("div", { class: "row" }, words, this.button("Fail", null, inject))];
  }

  // ---- The test ----

  showTest(state) {
    const words = { pending: "open", passed: "passed", failed: "FAILED", skipped: "not judged" };
    const kinds = { passed: "good", failed: "warn" };
    this.build(JSON.stringify(state.verdicts), () =>
      state.verdicts.length === 0
        ? [el("p", { class: "faint" }, "The scene expects nothing.")]
        : [el("h2", {}, "What the scene expects"), el("ul", { class: "list" }, ...state.verdicts.map((one) =>
            el("li", {}, el("span", { class: `chip ${kinds[one.verdict] ?? "faint"}` }, words[one.verdict]), " ", el("strong", {}, one.name || ""), el("p", { class: "plain mono" }, one.that),
              el("p", { class: "plain faint" }, `${one.when}${one.verdict === "pending" ? "" : `; at ${one.at_s.toFixed(3)} s: ${one.found}`}`))))]);
  }

  // ---- All robots ----

  showRobots(state) {
    const [key, order] = this.sort;
    const [, , value] = COLUMNS.find(([id]) => id === key);
    const compare = ([a], [b]) => order * (typeof value(a) === "number" ? value(a) - value(b) : value(a).localeCompare(value(b), undefined, { numeric: true }));
    const rows = state.robots.map((robot, i) => [robot, i]).filter(([robot]) => `${robot.name} ${robot.label} ${robot.type}`.toLowerCase().includes(this.filter.toLowerCase())).sort(compare);
    this.build([rows.map(([, i]) => i), state.selected, this.sort].join(), () => [
      el("p", {}, el("input", { type: "search", "aria-label": "Find robots", placeholder: "find", "data-focus": "find", value: this.filter, oninput: (event) => { this.filter = event.target.value; this.show(this.state); } })),
      el("table", {}, el("thead", {}, el("tr", {}, ...COLUMNS.map((column) => this.column(column)))), el("tbody", {}, ...rows.map(([robot, i]) => this.robotRow(robot, i, state)))),
    ]);
    const input = this.page.querySelector("input");
    if (document.activeElement === input) input.setSelectionRange(this.filter.length, this.filter.length);
    for (const [robot, i] of rows) for (const [id, , value] of COLUMNS.slice(1)) this.text(`${id}${i}`, id === "charge" ? `${value(robot)} %` : String(value(robot)), id !== "link" && id !== "charge" ? value(robot) > 0 : id === "charge" ? value(robot) < 15 : robot.unplugged);
  }

  column([id, word]) {
    const isSorted = this.sort[0] === id;
    const sort = () => {
      this.sort = [id, isSorted ? -this.sort[1] : 1];
      this.show(this.state);
    };
    return el("th", { class: id === "name" || id === "link" ? "" : "number", ...(isSorted ? { "aria-sort": this.sort[1] > 0 ? "ascending" : "descending" } : {}) }, el("button", { "data-focus": `sort-${id}`, onclick: sort }, word));
  }

  robotRow(robot, i, state) {
    const cells = COLUMNS.slice(1).map(([id]) => el("td", { class: id === "link" ? "" : "number", "data-text": `${id}${i}` }));
    return el("tr", { "aria-current": String(i === state.selected) }, el("td", {}, el("button", { class: "name", "data-focus": `robot${i}`, onclick: () => this.select(i) }, robot.label || robot.name)), ...cells);
  }
}
