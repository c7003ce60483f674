// The stream of a run's snapshots, shared by all pages of a browser, since a browser opens at most
// six connections to a host. A Hub runs in a SharedWorker (worker.mjs), or in the page if the
// browser has none.

const BASE = 0x100; // a byte B is sent as the character U+0100 + B
const SILENCE_MS = 12000; // the server sends an event every five seconds
const AGAIN_MS = 1000;
const GONE_MS = 20000; // a page without a message for this time was closed

// Applies a change (viewer/web/stream.h) to the bytes of ROOM(size). Returns their size.
export function applyChange(text, room) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = text.charCodeAt(at++) - BASE;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const size = number();
  const bytes = room(size);
  for (let moves = number(); moves > 0; moves--) {
    const to = number();
    const from = number();
    bytes.copyWithin(to, from, from + number());
  }
  for (let place = 0; at < text.length; ) {
    place += number();
    for (let count = number(); count > 0; count--) bytes[place++] = text.charCodeAt(at++) - BASE;
  }
  return size;
}

// Pages communicate with it by message ports. They send {visible, robots}: whether they are
// visible, and the robots that they show completely. They receive {kind, ...}: hello, bytes
// (all), change, lost, end.
export class Hub {
  constructor(base) {
    this.base = base;
    this.pages = new Map(); // port: {visible, robots, heard}
    this.bytes = null;
    this.hello = null;
    this.asked = "";
    setInterval(() => this.check(), 1000);
  }

  join(port) {
    this.pages.set(port, { visible: false, robots: [], heard: Date.now() });
    port.onmessage = ({ data }) => this.hear(port, data);
    port.start?.();
  }

  hear(port, said) {
    const page = this.pages.get(port) ?? { visible: false, robots: [] };
    const appears = said.visible && !page.visible;
    this.pages.set(port, { visible: said.visible, robots: said.robots, heard: Date.now() });
    if (said.closed) this.pages.delete(port);
    if (appears && this.source && this.bytes) {
      port.postMessage({ kind: "hello", ...this.hello });
      port.postMessage({ kind: "bytes", bytes: this.bytes.slice() });
    }
    this.settle();
  }

  notify(message) {
    for (const [port, page] of this.pages) if (page.visible) port.postMessage(message);
  }

  // Drops pages that are gone, and a connection without data.
  check() {
    const now = Date.now();
    for (const [port, page] of this.pages)
      if (page.visible && now - page.heard > GONE_MS) this.pages.delete(port);
    if (this.source && now - this.said > SILENCE_MS) this.lose();
    this.settle();
  }

  // A stream is open while a page is visible, and contains the data that the pages want.
  settle() {
    const seen = [...this.pages.values()].filter((page) => page.visible);
    if (seen.length === 0) this.close();
    else if (!this.source && !this.isEnded && !(Date.now() < this.again)) this.open();
    const robots = [...new Set(seen.flatMap((page) => page.robots))].sort((a, b) => a - b);
    const asked = JSON.stringify({ stream: this.hello?.stream, robots });
    if (!this.source || !this.hello || asked === this.asked) return;
    this.asked = asked;
    const headers = { "Content-Type": "application/json" };
    fetch(new URL("view", this.base), { method: "POST", headers, body: asked }).catch(() => {});
  }

  open() {
    const source = new EventSource(new URL("events", this.base));
    const on = (kind, take) =>
      source.addEventListener(kind, ({ data }) => {
        this.said = Date.now();
        if (source === this.source) take(data);
      });
    this.source = source;
    this.said = Date.now();
    this.bytes = null;
    this.hello = null;
    on("hello", (data) => {
      this.hello = JSON.parse(data);
      this.notify({ kind: "hello", ...this.hello });
      this.settle();
    });
    on("whole", (data) => {
      applyChange(data, (size) => (this.bytes = new Uint8Array(size)));
      this.notify({ kind: "bytes", bytes: this.bytes.slice() });
    });
    on("change", (data) => {
      applyChange(data, () => this.bytes);
      this.notify({ kind: "change", data });
    });
    on("beat", () => {});
    on("end", () => {
      this.isEnded = true;
      this.notify({ kind: "end" });
      this.close();
      setTimeout(() => (this.isEnded = false), 5000); // then a run at the same address is looked for
    });
    source.onerror = () => source === this.source && this.lose();
  }

  close() {
    this.source?.close();
    this.source = this.hello = null;
    this.asked = "";
  }

  lose() {
    this.close();
    this.again = Date.now() + AGAIN_MS;
    this.notify({ kind: "lost" });
  }
}

// Connects this page to the stream; HEAR is called with each message. Returns a function that sets
// the data that the page wants: (isVisible, robots).
export function joinStream(hear) {
  let port;
  if (typeof SharedWorker === "function") {
    const options = { type: "module", name: location.pathname };
    port = new SharedWorker(new URL("worker.mjs", location.href), options).port;
  } else {
    const channel = new MessageChannel();
    new Hub(location.href).join(channel.port1);
    port = channel.port2;
  }
  let last = { visible: false, robots: [] };
  const say = (message) => port.postMessage((last = message));
  port.onmessage = ({ data }) => hear(data);
  port.start();
  setInterval(() => last.visible && say(last), 5000);
  addEventListener("pagehide", () => port.postMessage({ visible: false, robots: [], closed: true }));
  addEventListener("pageshow", ({ persisted }) => persisted && say(last));
  return (visible, robots) => say({ visible, robots });
}
