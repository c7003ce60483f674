// A run inside the page: player.wasm repeats it from its journal, or runs a scene. The whole state
// of a run is in the memory of the module, so a copy of the memory is a checkpoint. Runs in pages
// and in Node.
import { instantiate } from "./module.mjs";

export const STEP_S = 0.001;
const PAGE = 65536; // bytes of a block of memory that checkpoints share if it is equal
const UPDATE_STEPS = 20; // the period of signals.csv of `ptybot test`
const CHECKPOINT_STEPS = 1000; // chosen: takes about 20 ms to run
const CHECKPOINTS_MAX = 200; // chosen, like the next two: a page of a few hundred MB at most
const CHECKPOINT_BYTES_MAX = 200e6;
const SAMPLE_BYTES_MAX = 100e6;

export class Player {
  // Opens the run of a BUNDLE. Throws the reason if it is invalid.
  static async open(code, bundle) {
    const player = new Player();
    player.module = await instantiate(code, "player_", ["reason", "marks", "program", "hash", "signal_name", "wire"]);
    player.put(bundle);
    if (!player.module.open(bundle.length)) throw new Error(player.module.reason());
    return player;
  }

  // Copies bytes into the module.
  put(bytes) {
    const at = this.module.room(bytes.length);
    if (at === 0) throw new Error("not enough memory");
    new Uint8Array(this.module.memory.buffer, at, bytes.length).set(bytes);
  }

  get now_s() {
    return this.module.now_s();
  }

  // The bytes of a snapshot of the simulation, in the module's memory: copy them before the next
  // call.
  snapshot() {
    const at = this.module.snapshot();
    return new Uint8Array(this.module.memory.buffer, at, this.module.snapshot_size());
  }

  // The values of all signals; copy them too.
  values() {
    const at = this.module.values();
    return new Float64Array(this.module.memory.buffer, at, this.module.signal_count());
  }

  // Returns the error of the command; "": no error.
  do(command) {
    const bytes = new TextEncoder().encode(command);
    this.put(bytes);
    return this.module.do(bytes.length) ? "" : this.module.reason();
  }

  send(channel, bytes) {
    this.put(bytes);
    this.module.send(channel, bytes.length);
  }

  // ---- Checkpoints ----

  // Saves the state of the run. Blocks of memory that are equal in the checkpoint BEFORE are shared
  // with it.
  save(before) {
    const memory = new Uint8Array(this.module.memory.buffer);
    const pages = [];
    let bytes = 0;
    for (let at = 0, i = 0; at < memory.length; at += PAGE, i++) {
      const page = memory.subarray(at, at + PAGE);
      const old = before?.pages[i];
      if (old && same(old, page)) {
        pages.push(old);
        continue;
      }
      pages.push(page.slice());
      bytes += PAGE;
    }
    return { at_s: this.now_s, pages, bytes };
  }

  // Restores a checkpoint of this module, or of another one with the same bytes.
  restore(checkpoint) {
    const { memory } = this.module;
    const missing = checkpoint.pages.length - memory.buffer.byteLength / PAGE;
    if (missing > 0) memory.grow(missing);
    const bytes = new Uint8Array(memory.buffer);
    checkpoint.pages.forEach((page, i) => bytes.set(page, i * PAGE));
  }
}

function same(a, b) {
  const words = (bytes) => new Int32Array(bytes.buffer, bytes.byteOffset, PAGE / 4);
  const [left, right] = [words(a), words(b)];
  return left.every((word, i) => word === right[i]);
}

// Runs through a journal in advance, and keeps the data that the user may ask for: checkpoints,
// signals, marks.
export class Scout {
  constructor(player) {
    this.player = player;
    this.length_s = player.module.length_s();
    this.checkpoints = [player.save(null)];
    this.checkpointSteps = CHECKPOINT_STEPS;
    this.updateSteps = UPDATE_STEPS;
    this.times = [];
    this.samples = [];
    this.steps = 0;
    this.isDone = false;
    this.update();
  }

  get now_s() {
    return this.player.now_s;
  }

  // Runs for MS of real time.
  run(ms) {
    for (const end = performance.now() + ms; !this.isDone && performance.now() < end; ) {
      const done = this.player.module.run(UPDATE_STEPS);
      this.steps += done;
      this.isDone = done < UPDATE_STEPS;
      if (this.isDone || this.steps % this.updateSteps === 0) this.update();
      if (this.isDone || this.steps % this.checkpointSteps === 0) this.keep();
    }
    if (this.isDone) this.reason = this.player.module.reason();
  }

  update() {
    this.player.module.update();
    const values = this.player.values().slice();
    if (this.times.at(-1) === this.now_s) this.samples.pop();
    else this.times.push(this.now_s);
    this.samples.push(values);
    if (this.samples.length * values.byteLength < SAMPLE_BYTES_MAX) return;
    this.times = this.times.filter((_, i) => i % 2 === 0);
    this.samples = this.samples.filter((_, i) => i % 2 === 0);
    this.updateSteps *= 2;
  }

  keep() {
    this.checkpoints.push(this.player.save(this.checkpoints.at(-1)));
    const bytes = this.checkpoints.reduce((sum, one) => sum + one.bytes, 0);
    if (this.checkpoints.length < CHECKPOINTS_MAX && bytes < CHECKPOINT_BYTES_MAX) return;
    this.checkpoints = this.checkpoints.filter((_, i) => i % 2 === 0);
    this.checkpointSteps *= 2;
  }

  // The last checkpoint not later than a time.
  before(time_s) {
    return this.checkpoints.findLast((one) => one.at_s <= time_s + STEP_S / 2);
  }

  // The events: {at_s, kind, text}, in order.
  marks() {
    const lines = this.player.module.marks().trimEnd().split("\n").filter(Boolean);
    const mark = (line) => {
      const [at, kind, ...words] = line.split(" ");
      return { at_s: Number(at), kind, text: words.join(" ") };
    };
    return lines.map(mark).sort((a, b) => a.at_s - b.at_s);
  }

  // A signal between two times, as [time_s, value] pairs.
  signal(number, from_s, to_s) {
    const points = [];
    let first = 0;
    for (let step = 2 ** Math.ceil(Math.log2(this.times.length + 1)); step >= 1; step /= 2)
      if (this.times[first + step] < from_s) first += step;
    for (let i = first; i < this.times.length && this.times[i] <= to_s; i++)
      if (this.times[i] >= from_s) points.push([this.times[i], this.samples[i][number]]);
    return points;
  }

  // All signals in the format of `ptybot test`, without those that are not part of a replay.
  csv() {
    const names = Array.from({ length: this.player.module.signal_count() }, (_, i) => this.player.module.signal_name(i));
    const kept = [...names.keys()].filter((i) => !names[i].startsWith(" "));
    const row = (values) => kept.map((i) => values[i]).join(",");
    return [kept.map((i) => names[i]).join(","), ...this.samples.map(row)].join("\n") + "\n";
  }
}
