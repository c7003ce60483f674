// The page of a live run: it gets snapshots from a stream and sends commands by POST.
import { snapshotBytes } from "./module.mjs";
import { Page, get, start } from "./page.mjs";
import { applyChange, joinStream } from "./stream.mjs";
import { TimeBar } from "./timebar.mjs";

class Live extends Page {
  async open() {
    await super.open(await fetch("page.wasm").then((reply) => reply.arrayBuffer()));
    this.wish = joinStream((message) => this.hear(message));
    document.addEventListener("visibilitychange", () => this.settle());
    this.settle();
  }

  hear(message) {
    const { kind } = message;
    if (kind === "hello") {
      this.isReadOnly = !message.write;
      this.module.read_only(this.isReadOnly ? 1 : 0);
      get("state").textContent = message.write ? "" : "Read-only";
    }
    if (kind === "bytes") snapshotBytes(this.module, message.bytes.length).set(message.bytes);
    if (kind === "bytes") this.take(message.bytes.length);
    if (kind === "change" && this.size) this.take(applyChange(message.data, (size) => snapshotBytes(this.module, size)));
    if (kind === "lost") get("state").textContent = "The connection is lost; trying again";
    if (kind === "end") get("state").textContent = "The run has ended";
  }

  settle() {
    const robot = this.state?.selected ?? -1;
    this.wish(!document.hidden, robot >= 0 ? [robot] : []);
  }

  // ---- A live replay: the commands of its time bar ----

  show() {
    super.show();
    const { length_s, mark_count, time_s } = this.state ?? {};
    if (!(length_s > 0)) return;
    if (!this.bar) this.putBar(new TimeBar(length_s, (at_s) => this.seek(at_s), () => this.run("world.pause")));
    if (mark_count !== this.bar.marks.length) this.bar.showMarks(this.module.marks());
    this.bar.showTime(this.target_s ?? time_s);
  }

  // Only one seek is in progress at a time; of those requested meanwhile, the last counts.
  async seek(at_s) {
    const isUnderWay = this.target_s !== undefined;
    this.target_s = at_s;
    while (!isUnderWay && this.target_s !== undefined) {
      const to_s = this.target_s;
      await this.run(`world.seek to=${to_s.toFixed(3)}`);
      if (this.target_s === to_s) this.target_s = undefined;
    }
  }

  // ---- Commands ----

  // One after the other: over several connections, an earlier command might arrive later.
  run(command) {
    this.sent = (this.sent ?? Promise.resolve()).then(() => this.send(command));
    return this.sent;
  }

  async send(command) {
    if (this.isReadOnly) return this.notify("this page is read-only; start the test with --web-write to allow commands");
    try {
      const headers = { "Content-Type": "application/json" };
      const reply = await fetch("do", { method: "POST", headers, body: JSON.stringify({ command }) });
      const said = reply.ok ? await reply.json() : { error: { message: await reply.text() } };
      if (said.error) this.notify(said.error.message);
    } catch {
      this.notify("the simulation does not respond");
    }
  }
}

start(new Live());
