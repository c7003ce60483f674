// node replay_page.mjs PAGE.html SIGNALS.csv LISTS: the run in a page of one file, without a browser, against the table of the
// test that left it and the program's draw lists of its end.
import { readFileSync } from "node:fs";
import { loadModule, snapshotBytes } from "../../viewer/web/page/module.mjs";
import { Player, Scout } from "../../viewer/web/page/player.mjs";
import { compareSignals, partOf } from "./replay_parts.mjs";

const [path, signals, lists] = process.argv.slice(2);
const html = readFileSync(path, "utf8");

function check(what, holds, found = "") {
  if (!holds) throw new Error(`${what}; found: ${JSON.stringify(found)}`);
}

check("the file is small", html.length < 1.5e6, html.length);
check("nothing is fetched", !/(src|href)="(?!data:)|import .* from|fetch\("/.test(html.replaceAll(/[A-Za-z0-9+/=]{200,}/g, "")));
const code = partOf(html, "player.wasm");
const scout = new Scout(await Player.open(code, partOf(html, "bundle")));
const player = await Player.open(code, partOf(html, "bundle"));
while (!scout.isDone) scout.run(1000);
check("the states are those of the journal, to its end", scout.reason === "" && Math.abs(scout.now_s - scout.length_s) < 1e-9, scout.reason);
console.log(`${compareSignals(scout.csv(), signals)} values of signals are the same`);

const marks = scout.marks();
check("the host has come, and it has failed", marks.some(({ kind }) => kind === "host") && marks.some(({ kind, at_s }) => kind === "failed" && at_s === scout.length_s), marks);

// A moment has the same state on every way to it: back from the end, or forward from a checkpoint.
const direct = new Map();
for (const at_s of [0.5, 3.217, 6.1]) {
  player.module.run(Math.round((at_s - player.now_s) * 1000));
  direct.set(at_s, player.module.hash());
}
for (const at_s of [6.1, 0.5, 3.217]) {
  player.restore(scout.before(at_s));
  check("a checkpoint is near", player.now_s > at_s - 1.001 && player.now_s <= at_s, player.now_s);
  player.module.run(Math.round((at_s - player.now_s) * 1000));
  check(`${at_s} s is the same again`, player.module.hash() === direct.get(at_s));
}
const { signal_count, signal_name } = scout.player.module;
const number = Array.from({ length: signal_count() }, (_, i) => signal_name(i)).indexOf("kobuki.x_m");
const points = scout.signal(number, 2, 3);
check("a signal between two moments", points.length === 51 && points[0][0] > 1.999 && points.at(-1)[0] < 3.001, points.length);
player.restore(scout.before(2.5));
player.module.run(Math.round((2.5 - player.now_s) * 1000));
check("and its value", points.find(([at_s]) => Math.abs(at_s - 2.5) < 1e-6)[1] === player.values()[number]);
check("what has happened cannot be changed", player.do("kobuki.lift").includes("a replay accepts only"), player.do("kobuki.lift"));

player.restore(scout.checkpoints.at(-1));
player.module.run(scout.length_s * 1000);
const page = await loadModule(partOf(html, "page.wasm"), () => {});
const snapshot = player.snapshot();
snapshotBytes(page, snapshot.length).set(snapshot);
page.resize(1280, 800);
check("the page takes it", page.take(snapshot.length));
page.select(-1);
page.key("0".charCodeAt(0), 0, 0); // the whole room
page.draw();
const drawn = (page.text(0) + page.text(1)).split("\n");
const ours = readFileSync(lists, "utf8").split("\n");
const line = ours.findIndex((text, i) => text !== drawn[i]);
check("the last picture is the program's", line < 0 && ours.length === drawn.length, [line, ours[line], drawn[line]]);
