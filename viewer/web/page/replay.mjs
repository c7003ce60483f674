// A page with the run in it, which needs no server. With a journal it repeats the run, and the user
// can seek to any time. Without a journal it runs the scene and accepts the same commands as a live
// run.
import { snapshotBytes } from "./module.mjs";
import { Page, get, start } from "./page.mjs";
import { el } from "./element.mjs";
import { Player, STEP_S, Scout } from "./player.mjs";
import { Pad } from "./pad.mjs";
import { TimeBar } from "./timebar.mjs";

const SLICE_MS = 12; // of the 16 ms of a picture
const PLOT_S = 10; // PLOT_SPAN_US of viewer/model/view.h

// The bytes of an element's base64 text, decompressed if it has data-gzip.
async function bytesOf(id) {
  const element = document.getElementById(id);
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (letter) => letter.charCodeAt(0));
  if (!("gzip" in element.dataset)) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Replay extends Page {
  async open() {
    const [code, bundle, page] = await Promise.all(["player.wasm", "bundle", "page.wasm"].map(bytesOf));
    this.player = await Player.open(code, bundle);
    this.length_s = this.player.module.length_s();
    const hasJournal = this.length_s > 0;
    this.scout = hasJournal ? new Scout(await Player.open(code, bundle)) : null;
    await super.open(page);
    get("state").textContent = "";
    this.panel.fillPlot = (number) => this.fillPlot(number);
    this.pace(false, 1);
    if (hasJournal) this.makeBar();
    this.fresh();
    this.show();
    if (!hasJournal) this.makePad();
    this.before_ms = performance.now();
    requestAnimationFrame((now_ms) => this.frame(now_ms));
  }

  // ---- Time ----

  // Pause and speed requested by commands are kept here, because a checkpoint overwrites the
  // player's memory.
  pace(isPaused, speed) {
    this.isPaused = isPaused;
    this.speed = speed;
    this.player.module.set_pace(isPaused ? 1 : 0, speed);
  }

  async run(command) {
    const reason = this.player.do(command);
    if (reason) this.notify(reason);
    const { is_paused, speed, steps_wanted, seek_wanted_s } = this.player.module;
    const to_s = seek_wanted_s();
    if (to_s >= 0) return this.seek(to_s);
    const isAtEnd = this.isPaused && !is_paused() && this.player.module.is_over();
    this.pace(is_paused() !== 0, speed());
    if (isAtEnd) this.seek(0); // playing starts again
    this.advance(steps_wanted());
    this.fresh();
  }

  // Runs STEPS steps, or fewer if the time slice ends first. Returns their number.
  advance(steps) {
    let done = 0;
    for (const end = performance.now() + SLICE_MS; done < steps && performance.now() < end; ) {
      const wanted = Math.min(20, steps - done);
      const got = this.player.module.run(wanted);
      done += got;
      if (got < wanted) break;
    }
    return done;
  }

  // Shows the time TIME_S: restores a checkpoint before it, and runs on from there.
  seek(time_s) {
    this.target_s = Math.min(Math.max(time_s, 0), this.length_s);
    const from = this.scout.before(this.target_s);
    const now_s = this.player.now_s;
    if (this.target_s < now_s - STEP_S / 2 || from.at_s > now_s) this.player.restore(from);
    this.player.module.set_pace(this.isPaused ? 1 : 0, this.speed);
    this.approach();
  }

  // Runs towards the time that was requested last.
  approach() {
    this.advance(Math.round((this.target_s - this.player.now_s) / STEP_S));
    if (this.player.now_s >= this.target_s - STEP_S / 2 && this.target_s >= this.length_s) this.player.module.run(1); // the end is judged
    if (this.player.now_s >= this.target_s - STEP_S / 2 || this.player.module.is_over()) this.target_s = null;
    this.debt_s = 0;
    this.fresh();
  }

  frame(now_ms) {
    requestAnimationFrame((next_ms) => this.frame(next_ms));
    const passed_s = Math.min((now_ms - this.before_ms) / 1000, 0.1);
    this.before_ms = now_ms;
    if (this.scout && !this.scout.isDone) this.explore();
    if (this.target_s !== null && this.target_s !== undefined) return this.approach();
    if (this.isPaused) return;
    this.debt_s = Math.min((this.debt_s ?? 0) + Math.max(passed_s, 0) * this.speed, 1);
    const steps = Math.floor(this.debt_s / STEP_S);
    this.advance(steps);
    this.debt_s -= steps * STEP_S;
    if (this.player.module.is_over()) this.pace(true, this.speed);
    if (steps > 0 || this.isPaused) this.fresh();
  }

  // Shows the player's snapshot.
  fresh() {
    const snapshot = this.player.snapshot();
    snapshotBytes(this.module, snapshot.length).set(snapshot);
    this.take(snapshot.length);
    this.bar?.showTime(this.target_s ?? this.player.now_s);
  }

  // The scout knows the past values of a signal, even before the signal is shown for the first
  // time.
  fillPlot(number) {
    const now_s = this.player.now_s;
    if (!this.scout || this.scout.now_s < now_s) return;
    this.module.plot_clear(number);
    for (const [at_s, value] of this.scout.signal(number, now_s - PLOT_S, now_s)) this.module.plot_add(number, at_s, value);
  }

  // ---- The time bar ----

  makeBar() {
    this.progress = el("span", { class: "faint", role: "status" });
    const csv = () => this.save("signals.csv", "text/csv", this.scout.csv());
    this.csv = el("button", { disabled: true, title: "All signals, a row each 20 ms", onclick: csv }, "signals.csv");
    this.putBar(new TimeBar(this.length_s, (at_s) => this.seek(at_s), () => this.pace(true, this.speed), this.csv, this.progress));
    this.bar.showMarks(this.scout.marks());
  }

  explore() {
    this.scout.run(SLICE_MS);
    const percent = Math.floor((100 * this.scout.now_s) / this.length_s);
    this.progress.textContent = this.scout.isDone ? "" : `${percent} % read`;
    if (!this.scout.isDone) return;
    this.csv.disabled = false;
    get("state").textContent = this.scout.reason;
    this.bar.showMarks(this.scout.marks());
    this.fresh();
  }

  save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    el("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  // ---- A scene without a journal: user actions, and a pad to drive ----

  makePad() {
    this.pad = new Pad(this.player, () => this.state);
    document.body.append(this.pad.element);
  }
}

start(new Replay());
