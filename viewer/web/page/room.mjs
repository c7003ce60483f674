// The picture, and its mouse, finger and key events, which it passes to the module.
import { Painter } from "./paint.mjs";

const WHEEL = 1.0015; // to the power of the wheel's pixels, as in maps
// Codes of enum key; the code of all other keys is their letter.
const KEYS = { Escape: 27, F1: 0x4000003a, Home: 0x4000004a, ArrowRight: 0x4000004f, ArrowLeft: 0x40000050,
  ArrowDown: 0x40000051, ArrowUp: 0x40000052 };
const FORMS = ["INPUT", "SELECT", "TEXTAREA"];

export class Room {
  // ON_CHANGE: called after a change that is visible outside the picture. KEYS: actions of the page
  // for some keys.
  constructor(module, canvas, onChange, keys) {
    Object.assign(this, { module, canvas, onChange, keys });
    this.painter = new Painter(module);
    this.fingers = new Map();
    this.isStale = true;
    new ResizeObserver(() => this.measure()).observe(canvas);
    this.listen();
    this.frame();
  }

  measure() {
    const scale = devicePixelRatio;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.module.resize(width, height);
    this.isStale = true;
  }

  // Paints if there is something new.
  frame() {
    requestAnimationFrame(() => this.frame());
    if (this.module.time(performance.now() >>> 0)) this.isStale = true;
    if (!this.isStale || this.canvas.width === 0) return;
    this.isStale = false;
    this.painter.paint(this.canvas, devicePixelRatio);
  }

  changed() {
    this.isStale = true;
    this.onChange();
  }

  listen() {
    const { canvas, module } = this;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const on = (name, act) =>
      canvas.addEventListener(name, (event) => {
        module.time(performance.now() >>> 0);
        act(event, ...at(event));
        this.changed();
      });
    on("pointerdown", (event, x, y) => this.down(event, x, y));
    on("pointermove", (event, x, y) => this.move(event, x, y));
    on("pointerup", (event, x, y) => this.up(event, x, y));
    on("pointercancel", (event) => this.drop(event));
    on("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 40 : 1; // Firefox counts lines
      module.zoom(...at(event), WHEEL ** (-event.deltaY * lines));
      this.changed();
    }, { passive: false });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  // ---- One finger or the mouse uses the tool; two fingers move and zoom the picture ----

  down(event, x, y) {
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [x, y]);
    if (this.fingers.size === 1) this.module.press(x, y, event.button === 2 || event.shiftKey ? 1 : 0);
    else this.module.cancel();
    this.isPinched ||= this.fingers.size > 1;
  }

  move(event, x, y) {
    const before = [...this.fingers.values()];
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, [x, y]);
    if (!this.isPinched) this.module.move(x, y);
    else if (before.length === 2) this.pinch(before, [...this.fingers.values()]);
  }

  pinch(before, now) {
    const middle = ([[ax, ay], [bx, by]]) => [(ax + bx) / 2, (ay + by) / 2];
    const width = ([[ax, ay], [bx, by]]) => Math.hypot(bx - ax, by - ay);
    const [x, y] = middle(now);
    const [fromX, fromY] = middle(before);
    this.module.pan(x - fromX, y - fromY);
    if (width(before) > 0) this.module.zoom(x, y, width(now) / width(before));
  }

  up(event, x, y) {
    if (!this.isPinched) this.module.release(x, y);
    this.drop(event);
  }

  drop(event) {
    if (!this.isPinched && event.type === "pointercancel") this.module.cancel();
    this.fingers.delete(event.pointerId);
    if (this.fingers.size === 0) this.isPinched = false;
  }

  // ---- Keys, except those that a browser or a form needs ----

  key(event) {
    const { target, key } = event;
    const isCtrl = event.ctrlKey || event.metaKey;
    const isPress = key === " " && target.closest?.("button, summary, a");
    const isTyped = FORMS.includes(target.tagName) && key !== "Escape";
    const isScroll = key.startsWith("Arrow") && target.closest?.("#panel, [role=toolbar]");
    if (event.altKey || isPress || isTyped || isScroll || document.querySelector("dialog[open]")) return;
    if (isCtrl && !["z", "y", "Z"].includes(key)) return; // reload, close, search ...
    if (event.repeat && !"+-=.,".includes(key) && !key.startsWith("Arrow")) return;
    const own = isCtrl ? undefined : this.keys[key.toLowerCase()];
    if (own !== undefined) {
      event.preventDefault();
      own(event);
      return;
    }
    const code = KEYS[key] ?? (key.length === 1 ? key.toLowerCase().charCodeAt(0) : 0);
    const action = code && this.module.key(code, isCtrl ? 1 : 0, event.shiftKey ? 1 : 0);
    if (!action) return;
    event.preventDefault();
    this.changed();
  }
}
