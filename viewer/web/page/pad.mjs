// Drives a Kobuki by hand as a driver does, by packets on its wire: with the arrow keys, or with a
// touch pad.
import { el } from "./element.mjs";

const REPEAT_MS = 100; // its watchdog stops the wheels 600 ms after the last command
const FORWARD_MM_S = 250, TURN_MM_S = 120, CURVE_MM = 350; // chosen
const ARROWS = {
  ArrowLeft: { word: "Left", x: 1, y: 0 },
  ArrowUp: { word: "Forward", x: 0, y: 1 },
  ArrowDown: { word: "Back", x: 0, y: -1 },
  ArrowRight: { word: "Right", x: -1, y: 0 },
};

// The packet base_control (docs/protocols/kobuki.md): speed of the outer wheel, mm/s; radius, mm: 0
// straight, 1 on the spot, left positive.
export function baseControl(speed, radius) {
  const frame = new Uint8Array([0xaa, 0x55, 6, 1, 4, speed & 255, (speed >> 8) & 255, radius & 255, (radius >> 8) & 255, 0]);
  frame[9] = frame.slice(2, 9).reduce((sum, byte) => sum ^ byte, 0);
  return frame;
}

export class Pad {
  // STATE() returns the state that the page shows.
  constructor(player, state) {
    Object.assign(this, { player, state });
    this.held = new Set();
    const button = ([key, { word }]) => el("button", { "aria-label": word, title: `${word}  ${key.replace("Arrow", "arrow key ").toLowerCase()}`, class: key,
      onpointerdown: (event) => { event.target.setPointerCapture(event.pointerId); this.hold(key); },
      onpointerup: () => this.release(key), onpointercancel: () => this.release(key),
      onkeydown: (event) => { if (["Enter", " "].includes(event.key)) this.hold(key); },
      onkeyup: () => this.release(key), onblur: () => this.release(key) }, { ArrowUp: "▲", ArrowLeft: "◀", ArrowRight: "▶", ArrowDown: "▼" }[key]);
    const hint = el("p", { id: "hint" }, `Arrow keys drive.${state()?.docks > 0 ? " Find the dock." : ""}`);
    this.element = el("section", { id: "pad", "aria-label": "Drive the robot" }, hint, ...Object.entries(ARROWS).map(button));
    // In the capture phase, since arrow keys would otherwise move the picture.
    const on = (name, act) => addEventListener(name, (event) => this.key(event, act), { capture: true });
    on("keydown", (key) => this.hold(key));
    on("keyup", (key) => this.release(key));
    addEventListener("blur", () => [...this.held].forEach((key) => this.release(key)));
    setInterval(() => this.held.size > 0 && this.drive(), REPEAT_MS);
  }

  key(event, act) {
    const isElsewhere = event.target.closest?.("#panel, [role=toolbar], dialog, input, select");
    if (!ARROWS[event.key] || isElsewhere || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) act(event.key);
  }

  hold(key) {
    this.held.add(key);
    this.drive();
  }

  release(key) {
    if (this.held.delete(key)) this.drive();
  }

  drive() {
    const robot = Math.max(0, this.state()?.selected ?? 0);
    if (this.player.module.wire(robot) !== "kobuki") return;
    const channel = this.player.module.channel(robot);
    if (!this.player.hosts?.has(channel)) this.player.module.host(channel, 1);
    this.player.hosts = (this.player.hosts ?? new Set()).add(channel);
    const sum = (axis) => [...this.held].reduce((all, key) => all + ARROWS[key][axis], 0);
    const x = sum("x"), y = sum("y");
    const words = y !== 0 ? [y * FORWARD_MM_S, x * CURVE_MM] : [x * TURN_MM_S, x === 0 ? 0 : 1];
    this.player.send(channel, baseControl(...words));
  }
}
