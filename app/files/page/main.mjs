// The charts of a report. The program has written the tables; these charts show its data.
import { el, svg } from "../../../viewer/web/page/element.mjs";

const VERDICTS = ["error", "failed", "passed", "skipped", "none"]; // the most important verdicts come first
const LETTERS = "efps-";
const CELLS_MAX = 2000; // chosen: as many as a reader can distinguish
const VALUES_MAX = 12; // chosen: different numbers with one row each; more are put in bins
const TEXTS_MAX = 40; // chosen: different texts with one row each
const MOST = 10; // chosen: as many as a reader looks at
const BARS = 30; // of a distribution
const Z_95 = 1.959963984540054; // half width, in standard deviations, of the 95 % interval of a normal distribution

const round = (value) => String(Number(value.toPrecision(5)));
const percent = (part) => `${(100 * part).toFixed(1)} %`;
const low = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const high = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
const sum = (values) => values.reduce((a, b) => a + b, 0);
const distinct = (values) => [...new Set(values)];
const ascending = (a, b) => (a > b) - (a < b);

function table(heads, rows) {
  const row = (tag, cells) => el("tr", {}, ...cells.map((cell) => el(tag, {}, cell)));
  return el("table", { tabindex: 0, class: heads[0] }, row("th", heads), ...rows.map((cells) => row("td", cells)));
}

function figure(drawing, ...caption) {
  return el("figure", {}, drawing, el("figcaption", {}, ...caption));
}

// Counts the cases with the same key: a list of the first such case, with K passes of N.
function countBy(cases, key) {
  const groups = new Map();
  for (const one of cases) {
    const group = groups.get(key(one)) ?? { ...one, k: 0, n: 0 };
    groups.set(key(one), { ...group, k: group.k + one.isPassed, n: group.n + 1 });
  }
  return [...groups.values()];
}

// ---- Verdicts ----

// A cell for each verdict. If there are very many, one cell for several successive verdicts.
function strip(verdicts) {
  const each = Math.ceil(verdicts.length / CELLS_MAX), count = Math.ceil(verdicts.length / each), columns = Math.min(50, count);
  const paths = VERDICTS.map(() => "");
  for (let i = 0; i < count; i++) {
    const worst = low(verdicts.slice(i * each, (i + 1) * each).map((letter) => LETTERS.indexOf(letter)));
    paths[worst] += `M${i % columns} ${Math.floor(i / columns)}h.8v.8h-.8z`;
  }
  const cells = paths.map((d, i) => svg("path", { d, class: VERDICTS[i] }));
  return el("span", {}, svg("svg", { viewBox: `0 0 ${columns} ${Math.ceil(count / columns)}`, width: 6 * columns, class: "strip" }, ...cells),
    each > 1 ? ` A cell is ${each} cases and has the color of the worst.` : "");
}

function expectations({ labels, cases }) {
  const rows = ["all", ...labels].map((label, i) => {
    const verdicts = cases.map(({ letters }) => letters[i]);
    const counts = Array.from("pfes", (letter) => verdicts.filter((one) => one === letter).length);
    return [label, ...counts, strip(verdicts)];
  });
  return table(["expectation", "passed", "failed", "error", "skipped", "case by case"], rows);
}

// ---- Parameters ----

// A share with Wilson's interval, as in statistics.c.
function share({ k, n }) {
  const p = k / n, z2 = Z_95 ** 2, middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z_95 / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  const from = Math.max(middle - half, 0), to = Math.min(middle + half, 1);
  const bar = svg("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none" }, svg("path", { d: `M0 0H${100 * p}V6H0z`, class: "passed" }),
    svg("path", { d: `M${100 * from} 2.5H${100 * to}v1H${100 * from}z`, class: "interval" }));
  return el("div", { class: "share" }, bar, `${percent(p)} (${percent(from)} to ${percent(to)})`);
}

// Places are grouped by heading: the map shows their positions.
function sharesBy(name, cases) {
  const isPlace = cases.some(({ vary }) => vary[name].heading !== undefined);
  const valueOf = ({ vary }) => isPlace ? (Math.round(vary[name].heading / 45) * 45 + 360) % 360 : vary[name];
  const values = distinct(cases.map(valueOf)).sort(ascending), width = (values.at(-1) - values[0]) / 10;
  const isBinned = values.length > VALUES_MAX && width > 0;
  const bin = (one) => isBinned ? Math.min(9, Math.floor((valueOf(one) - values[0]) / width)) : valueOf(one);
  const label = (value) => isBinned ? `${round(values[0] + width * value)} to ${round(values[0] + width * (value + 1))}` : value;
  const rows = countBy(cases, bin).sort((a, b) => ascending(bin(a), bin(b)));
  if (values.length < 2) return null;
  return figure(table([isPlace ? "heading, degrees" : name, "cases", "passed (95 %)"], rows.slice(0, TEXTS_MAX).map((row) => [label(bin(row)), row.n, share(row)])),
    rows.length > TEXTS_MAX ? `${TEXTS_MAX} of ${rows.length} values` : "");
}

// The room with a mark at each start position of a robot.
function map(name, cases, picture) {
  const places = countBy(cases, ({ vary }) => JSON.stringify(vary[name])).map((one) => ({ ...one, ...one.vary[name] }));
  const xs = places.map(({ x }) => x), ys = places.map(({ y }) => y);
  // Adds a margin, because the positions may be on a line or a single point.
  const bounds = picture?.dataset.bounds.split(" ").map(Number) ?? [low(xs) - 0.5, low(ys) - 0.5, high(xs) - low(xs) + 1, high(ys) - low(ys) + 1];
  const [x, y, width, height] = bounds;
  const radius = (Math.max(width, height) / 900) * Math.min(5, Math.max(2.2, 4.5 * Math.sqrt(300 / places.length)));
  const mark = (place) => {
    const turn = (place.heading * Math.PI) / 180, size = place.k < place.n ? 1.3 * radius : radius;
    return svg("g", { class: place.k === place.n ? "passed" : place.k === 0 ? "failed" : "mixed", "stroke-width": 0.4 * radius },
      svg("path", { d: `M${place.x} ${-place.y}l${2.4 * size * Math.cos(turn)} ${-2.4 * size * Math.sin(turn)}` }),
      svg("circle", { cx: place.x, cy: -place.y, r: size }),
      svg("title", {}, `${place.name}: x ${place.x} m, y ${place.y} m, ${place.heading} degrees; ${place.k} of ${place.n} passed`));
  };
  const marks = places.sort((a, b) => (a.k < a.n) - (b.k < b.n)).map(mark); // failures above the others
  const room = picture && svg("image", { href: picture.src, x, y: -y - height, width, height });
  return figure(svg("svg", { viewBox: `${x} ${-y - height} ${width} ${height}`, class: "map" }, room, ...marks),
    `Where the robot began and which way it looked, ${places.length} places: green passed, red failed, green with a red rim some of both. `,
    `The map shows x ${round(x)} to ${round(x + width)} m, y ${round(y)} to ${round(y + height)} m. The robot stands where the scene has it.`);
}

// ---- Measures ----

// Histogram of a measure: bars for cases that passed and failed, and a line for an earlier run.
function histogram(name, { cases, before }) {
  const valuesOf = (letter) => cases.filter(({ letters }) => letters[0] === letter).map(({ measures }) => measures[name]).filter(Number.isFinite);
  const samples = [valuesOf("f"), valuesOf("p"), before[name] ?? []];
  const from = low(samples.flat()), to = high(samples.flat()), now = samples[0].length + samples[1].length;
  if (now === 0 || from === to) return null;
  const parts = samples.map((values, i) => {
    const counts = new Array(BARS).fill(0);
    for (const value of values) counts[Math.min(BARS - 1, Math.floor(((value - from) / (to - from)) * BARS))]++;
    return counts.map((count) => count / (i === 2 ? values.length : now));
  });
  const [failed, passed, earlier] = parts;
  const most = high(passed.map((part, i) => Math.max(part + failed[i], earlier[i] || 0)));
  const bar = (i, base, part, kind) => svg("path", { d: `M${10 * i} ${100 - (100 * base) / most}h9v${(-100 * part) / most}h-9z`, class: kind });
  const bars = passed.flatMap((part, i) => [bar(i, 0, failed[i], "failed"), bar(i, failed[i], part, "passed")]);
  const line = samples[2].length > 0 && svg("path", { d: `M0 100${earlier.map((part, i) => `V${100 - (100 * part) / most}H${10 * (i + 1)}`).join("")}V100`, class: "line" });
  return figure(svg("svg", { viewBox: `0 -1 ${10 * BARS} 102`, class: "plot" }, ...bars, line || null),
    `${name}: ${round(from)} to ${round(to)}; highest bar ${percent(most)}${line ? "; line: the earlier run" : ""}`);
}

// ---- All scenes ----

const valuesText = (vary) => Object.entries(vary).map(([key, value]) => `${key} ${value.heading === undefined ? value : `${value.x}, ${value.y}, ${value.heading}°`}`).join("; ");

function flakiest(cases) {
  const mixed = ({ k, n }) => (k / n) * (1 - k / n);
  const groups = countBy(cases.filter(({ isJudged }) => isJudged), ({ scene, vary }) => scene + JSON.stringify(vary));
  const rows = groups.filter(mixed).sort((a, b) => mixed(b) - mixed(a)).slice(0, MOST);
  return [el("h2", {}, "Flakiest"), el("p", {}, groups.every(({ n }) => n === 1) ? "No case was run with more than one seed."
      : rows.length === 0 ? "All cases that differ only in their seed have the same verdict." : "Cases that differ only in their seed, with different verdicts:"),
    rows.length > 0 && table(["first case", "values", "passed"], rows.map((row) => [row.name, valuesText(row.vary), `${row.k} of ${row.n}`]))];
}

function slowest(cases) {
  const rows = [...cases].sort((a, b) => b.wall_s - a.wall_s).slice(0, MOST);
  const seconds = (value) => `${value.toFixed(3)} s`;
  return [el("h2", {}, "Slowest"), table(["case", "wall clock", "simulated", "CPU of ptybot", "CPU of drivers"],
    rows.map((one) => [one.name, ...[one.wall_s, one.simulated_s, one.cpu_s, one.host_cpu_s].map(seconds)]))];
}

// Totals of all cases, and the legend of the colors.
function summary(cases) {
  const total = (key) => sum(cases.map((one) => one[key])).toFixed(0);
  const list = (key) => distinct(cases.map((one) => one[key])).slice(0, 8).join(", ");
  return [el("p", { class: "faint" }, `${total("simulated_s")} simulated seconds in ${total("wall_s")} s (${(Number(total("cpu_s")) + Number(total("host_cpu_s")))} s of CPU); on ${list("machine")}; ptybot ${list("version")}`),
    el("p", {}, ...VERDICTS.slice(0, 4).map((word) => el("span", { class: "key" }, svg("svg", { viewBox: "0 0 1 1" }, svg("path", { d: "M0 0h1v1h-1z", class: word })), word)))];
}

function drawScene(scene, number, varied) {
  const judged = scene.cases.filter(({ isJudged }) => isJudged);
  const by = varied.flatMap((name) => {
    const cases = judged.filter(({ vary }) => name in vary);
    const isPlace = cases.some(({ vary }) => vary[name].heading !== undefined);
    const drawn = [isPlace && map(name, cases, document.getElementById(`room-${number}`)), cases.length > 0 && sharesBy(name, cases)].filter(Boolean);
    return drawn.length > 0 ? [el("h3", {}, `Passed by ${name}`), ...drawn] : [];
  });
  const measures = distinct(scene.cases.flatMap((one) => Object.keys(one.measures)));
  return [el("h2", {}, scene.name), expectations(scene), ...by, ...measures.map((name) => histogram(name, scene))];
}

// ---- Recorded and simulated curves ----

function curves({ name, unit, time_s, real, ours }) {
  const from = low([...real, ...ours]), span = high([...real, ...ours]) - from || 1, begin = time_s[0], length = time_s.at(-1) - begin || 1;
  const line = (values, kind) => svg("polyline", { points: values.map((value, i) => `${((time_s[i] - begin) / length) * 900},${220 - ((value - from) / span) * 220}`).join(" "), class: kind });
  return [el("h2", {}, name), figure(svg("svg", { viewBox: "-4 -4 908 228", class: "plot" }, line(ours, "ours"), line(real, "real")),
    `${round(from)} to ${round(from + span)} ${unit}, ${round(begin)} to ${round(begin + length)} s. `, el("span", { class: "real" }, "Real"), " and ", el("span", { class: "ours" }, "simulated"))];
}

const data = JSON.parse(document.getElementById("bundle").textContent);
const main = document.querySelector("main");
const keys = ["name", "letters", "vary", "measures", "wall_s", "simulated_s", "cpu_s", "host_cpu_s", "machine", "version"];
for (const scene of data.scenes ?? [])
  scene.cases = scene.cases.map((values) => {
    const one = Object.fromEntries(keys.map((key, i) => [key, values[i] ?? {}]));
    return { ...one, scene: scene.name, isPassed: one.letters[0] === "p", isJudged: one.letters[0] !== "e" };
  });
if (data.scenes) {
  const cases = data.scenes.flatMap((scene) => scene.cases);
  main.querySelector("table").before(...summary(cases));
  main.append(...[...data.scenes.flatMap((scene, i) => drawScene(scene, i, data.varied ?? [])), ...flakiest(cases), ...slowest(cases)].filter(Boolean));
}
for (const curve of data.curves ?? []) main.append(...curves(curve));
