// The panel: the rows that the module lists (viewer/panel/rows.h), the same as in the window, as
// HTML elements.
import { el } from "./element.mjs";
import { paintList } from "./paint.mjs";

const [TITLE, CHIP, TAB, HEADING, TEXT, CODE, VALUE, BAR, BUTTON, GAP, FOLD, ENTRY, FIELD, PLOT, IMAGE, COLUMN, CELL] = Array(17).keys(); // enum row_kind
const TONES = ["", "faint", "good", "warn", "accent", "odometry"]; // enum row_tone
const STEPS = 1000; // FAULT_MENU_STEPS of viewer/model/fault_menu.h

// Consecutive rows of the same family share an element with the first.
const FAMILIES = new Map([[TITLE, TITLE], [CHIP, TITLE], [TAB, TAB], [VALUE, VALUE], [BAR, VALUE], [BUTTON, BUTTON], [COLUMN, COLUMN], [CELL, COLUMN]]);
const SHELLS = new Map([[TITLE, ["div", { class: "row" }]], [VALUE, ["dl"]], [BUTTON, ["div", { class: "row", role: "group" }]]]);

// Containers for the texts of a row: an element with data-text="label", "value" or "button".
const text = (name, tag = "span", more = {}) => el(tag, { "data-text": name, ...more });
const button = (more, ...children) => el("button", { "data-act": "", ...more }, ...children);

// An open list stays open, unless another choice was made elsewhere.
function choose(select, index) {
  if (select.selectedIndex !== index) select.selectedIndex = index;
}

const MAKERS = {
  [TITLE]: (row, panel) => (panel.robots.length > 1 && row.action ? panel.chooser(row) : text("label", "h2")),
  [CHIP]: () => text("label", "span", { class: "chip" }),
  [TAB]: () => button({ role: "tab", "aria-controls": "page", "data-text": "label" }),
  [HEADING]: (row) => {
    const heading = el(row.level ? "h3" : "h2", {}, row.tone ? el("i", { class: "mark" }) : null, text("label"), text("value", "span", { class: "value" }));
    return el("div", { class: "heading" }, heading, row.button ? button({ "data-text": "button" }) : null);
  },
  [TEXT]: () => text("label", "p"),
  [CODE]: () => text("label", "p", { class: "mono" }),
  [VALUE]: () => el("div", {}, text("label", "dt"), text("value", "dd")),
  [BAR]: (row) => el("div", {}, text("label", "dt"), el("dd", {}, el("meter", { min: 0, max: 1, "aria-label": row.label }), text("value"))),
  [BUTTON]: () => button({ "data-text": "label" }),
  [FOLD]: () => button({ class: "fold", "aria-expanded": "false" }, text("label"), text("value")),
  [ENTRY]: (row, panel) => {
    const entry = button({ class: "entry", title: row.hint ?? "" }, text("label"), text("value"));
    const star = () => el("button", { class: "star", "data-text": "button", onclick: ({ target }) => panel.pin(target.row) });
    return row.button ? el("div", { class: "starred" }, star(), entry) : entry;
  },
  [FIELD]: (row, panel) => panel.field(row),
  [PLOT]: (row, panel) => {
    const point = (canvas, x) => {
      panel.cursor = { canvas, x };
      panel.changed();
    };
    return el("canvas", { role: "img", "aria-label": `${row.hint} over the last ten seconds`,
      onpointermove: ({ target, offsetX }) => point(target, offsetX), onpointerleave: ({ target }) => point(target, -1) });
  },
  [IMAGE]: (row) => el("canvas", { role: "img", "aria-label": row.hint }),
  [COLUMN]: () => el("th", {}, button({ "data-text": "label" })),
  [CELL]: () => text("label", "td"),
};

// Groups rows that share an element. GAP only ends a group.
function families(rows) {
  const all = [];
  for (const row of rows) {
    const family = FAMILIES.get(row.kind);
    if (family !== undefined && all.at(-1)?.[0].family === family) all.at(-1).push({ ...row, family });
    else all.push([{ ...row, family }]);
  }
  return all.filter(([row]) => row.kind !== GAP);
}

export class Panel {
  // CHANGED is called after a change by the user. FILL(signal), if there is one, is called before
  // its plot is drawn.
  constructor(module, changed) {
    Object.assign(this, { module, changed, rows: [], robots: [], blocks: [] });
    this.tabs = document.getElementById("tabs");
    this.page = document.getElementById("page");
    const panel = document.getElementById("panel");
    panel.addEventListener("click", ({ target }) => this.act(target.closest("[data-act]")));
    this.tabs.onkeydown = (event) => this.turn(event);
    // A pressed button must still exist when it is released.
    panel.addEventListener("pointerdown", () => (this.isHeld = true));
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(() => (this.isHeld = false)));
  }

  act(element) {
    if (!element) return;
    this.isHeld = false;
    this.do(element.row);
  }

  do({ action, number }) {
    this.module.act(action, number);
    this.changed();
  }

  pin({ number }) {
    this.module.pin(number);
    this.changed();
  }

  // Arrow keys move from tab to tab.
  turn(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const all = [...this.tabs.children];
    const next = all[(all.findIndex((tab) => tab.row.isOn) + step + all.length) % all.length];
    this.do(next.row);
    next.focus();
    event.preventDefault();
  }

  open(word) {
    this.do(this.rows.find((row) => row.kind === TAB && row.label === word));
  }

  // ---- Elements ----

  chooser(row) {
    const options = this.robots.map((one, i) => el("option", { value: i }, one.label || one.name));
    return el("select", { "aria-label": "Robot", onchange: ({ target }) => this.do({ action: row.action, number: Number(target.value) }) }, ...options);
  }

  field(row) {
    const name = { "aria-label": row.label };
    const words = row.choices?.split(" ") ?? [];
    const slide = (input) => {
      this.isHeld = false; // a slider stays where it is, and its field follows
      this.module.slide(input.row.number, Number(input.value));
      this.changed();
    };
    const select = () => el("select", { ...name, onchange: ({ target }) => slide(target) }, ...words.map((word, i) => el("option", { value: i }, word)));
    const typed = () => {
      const type = ({ target }) => {
        this.module.type(target.row, target.value);
        this.changed();
      };
      const list = words.length > 0 ? { list: `choices-${row.number}` } : {};
      return el("input", { type: "text", size: row.hasSlider ? 9 : 14, ...name, ...list, oninput: type });
    };
    return el("label", { class: row.level ? "" : "wide" },
      row.level ? text("label") : null,
      row.hasSlider ? el("input", { type: "range", min: 0, max: STEPS, "aria-label": `${row.label}, slider`, oninput: ({ target }) => slide(target) }) : null,
      words.length > 0 && !row.isNumber ? select() : typed(),
      words.length > 0 && row.isNumber ? el("datalist", { id: `choices-${row.number}` }, ...words.map((value) => el("option", { value }))) : null,
      text("unit", "span", { class: "unit" }));
  }

  make(rows) {
    const elements = rows.map((row) => MAKERS[row.kind](row, this));
    if (rows[0].family === COLUMN) return [this.table(rows, elements), elements];
    const shell = SHELLS.get(rows[0].family);
    return [shell ? el(shell[0], shell[1] ?? {}, ...elements) : elements[0], elements];
  }

  table(rows, elements) {
    const columns = rows.filter((row) => row.kind === COLUMN).length;
    const lines = Array.from({ length: rows.length / columns }, (_, i) => el("tr", {}, ...elements.slice(i * columns, (i + 1) * columns)));
    lines.slice(1).forEach((line) => {
      line.firstChild.removeAttribute("data-text");
      line.firstChild.append(button({ class: "name", "data-text": "label" }));
    });
    return el("table", {}, el("thead", {}, lines[0]), el("tbody", {}, ...lines.slice(1)));
  }

  // Updates the parts of a row that may change; the element itself depends on the other parts.
  fill(element, row) {
    const all = [element, ...element.querySelectorAll("*")];
    for (const one of all) {
      const words = one.dataset.text && row[one.dataset.text];
      if (words !== undefined && one.textContent !== words) one.textContent = words;
      if (one.matches("button, input, select")) Object.assign(one, { row }).dataset.name = this.nameOf(one, row);
    }
    element.className = [...element.classList].filter((name) => !TONES.includes(name)).concat(TONES[row.tone] || [], row.isNumber ? "number" : []).join(" ");
    element.classList.toggle("on", row.isOn);
    element.classList.toggle("deep", row.level > 0);
    const state = { [TAB]: "aria-selected", [BUTTON]: "aria-pressed", [ENTRY]: "aria-pressed", [FOLD]: "aria-expanded" }[row.kind];
    if (state) (element.querySelector(".entry") ?? element).setAttribute(state, String(row.isOn));
    if (row.kind === TAB) element.tabIndex = row.isOn ? 0 : -1;
    if (row.kind === TITLE && element.tagName === "SELECT") choose(element, this.robots.findIndex((one) => (one.label || one.name) === row.label));
    if (row.kind === BAR) element.querySelector("meter").value = row.part;
    if (row.kind === COLUMN) element.setAttribute("aria-sort", row.value || "none");
    if (row.kind === FIELD) for (const input of element.querySelectorAll("input, select")) this.fillField(input, row);
  }

  // Unique on a page: tests use it to press the control, and focus uses it to find a new control.
  nameOf(element, row) {
    if (element.className !== "star") return row.kind === HEADING && row.hint ? row.hint : row.label;
    element.setAttribute("aria-label", `Pin ${row.label}`);
    return `pin ${row.label}`;
  }

  fillField(input, row) {
    if (input.tagName === "SELECT") choose(input, row.choices.split(" ").indexOf(row.value || row.hint));
    else if (document.activeElement !== input) input.value = input.type === "range" ? Math.round(STEPS * row.part) : row.value;
    if (input.type === "text") input.placeholder = row.hint ?? "";
    if (input.type === "range") input.setAttribute("aria-valuetext", `${row.value || row.hint} ${row.unit ?? ""}`);
  }

  draw(canvas, row) {
    const index = this.rows.indexOf(row), width = canvas.clientWidth;
    const height = Math.round(this.module.figure_height(index, width));
    if (row.kind === PLOT) for (const number of row.choices.split(" ")) this.fillPlot?.(Number(number));
    canvas.style.height = `${height}px`;
    Object.assign(canvas, { width: width * devicePixelRatio, height: height * devicePixelRatio });
    this.module.figure(index, width, this.cursor?.canvas === canvas ? this.cursor.x : -1);
    paintList(this.module, 3, canvas);
  }

  // ---- All of it ----

  // Shows the rows. An element stays while its rows are of the same kinds, so that focus, scroll
  // position and selection stay too.
  show(state) {
    if (this.isHeld) return;
    this.robots = state.robots;
    this.rows = this.module.panel();
    const isTab = ({ kind }) => kind === TAB;
    this.showTabs(this.rows.filter(isTab));
    const focused = this.page.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    const blocks = families(this.rows.filter((row) => !isTab(row)));
    const shape = ({ kind, level, button, choices, hasSlider, hint, action }) => [kind, level, kind === ENTRY ? !!button : button, choices, hasSlider, kind === HEADING || kind === FIELD || hint, kind === TITLE && action];
    blocks.forEach((rows, i) => {
      const key = JSON.stringify([rows.map(shape), state.robots.length]);
      if (this.blocks[i]?.key !== key) {
        const [element, elements] = this.make(rows);
        this.blocks[i] ? this.blocks[i].element.replaceWith(element) : this.page.append(element);
        this.blocks[i] = { key, element, elements };
      }
      rows.forEach((row, k) => this.fill(this.blocks[i].elements[k], row));
    });
    for (const { element } of this.blocks.splice(blocks.length)) element.remove();
    if (focused && !this.page.contains(document.activeElement)) this.page.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
    const figures = this.page.querySelectorAll("canvas");
    this.rows.filter(({ kind }) => kind === PLOT || kind === IMAGE).forEach((row, i) => this.draw(figures[i], row));
  }

  showTabs(rows) {
    while (this.tabs.children.length > rows.length) this.tabs.lastChild.remove();
    while (this.tabs.children.length < rows.length) this.tabs.append(MAKERS[TAB]());
    rows.forEach((row, i) => {
      const tab = this.tabs.children[i];
      tab.id = `tab-${row.label.toLowerCase()}`;
      this.fill(tab, row);
      if (row.isOn) this.page.setAttribute("aria-labelledby", tab.id);
    });
  }
}
