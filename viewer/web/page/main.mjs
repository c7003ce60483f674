// The page of a run that is served: its snapshots come by a stream, its commands go by POST.
import { snapshotBytes } from "./module.mjs";
import { Page, get, start } from "./page.mjs";
import { applyChange, joinStream } from "./stream.mjs";

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
      this.panel.isReadOnly = this.isReadOnly = !message.write;
      get("state").textContent = message.write ? "" : "Only to be looked at";
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

  // ---- Commands ----

  async run(command) {
    if (this.isReadOnly) return this.notify("this page only looks: `ptybot test --web-write` lets it take a hand");
    try {
      const headers = { "Content-Type": "application/json" };
      const reply = await fetch("do", { method: "POST", headers, body: JSON.stringify({ command }) });
      const said = reply.ok ? await reply.json() : { error: { message: await reply.text() } };
      if (said.error) this.notify(said.error.message);
    } catch {
      this.notify("the run does not answer");
    }
  }
}

start(new Live());
