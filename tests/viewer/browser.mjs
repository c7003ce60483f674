// A headless Chromium, controlled over its debugging pipe with real mouse, touch and key events.
// https://chromedevtools.github.io/devtools-protocol/
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TIMEOUT_MS = Number(process.env.PTYBOT_TIMEOUT_MS ?? 60000); // of a busy machine

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Waits until LOOK returns a true value; after the timeout, the error names WHAT was expected.
export async function until(what, look, timeout_ms = TIMEOUT_MS) {
  for (const end = Date.now() + timeout_ms; Date.now() < end; await sleep(50)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`has not come: ${what}`);
}

// Runs in each page: blocks a press that would hit another element because the page has just moved
// its target.
function guardAim() {
  const guard = (event) => {
    if (!globalThis.aim) return;
    if (event.type === "pointerdown") globalThis.isHit = event.target.closest?.(globalThis.aim) != null;
    if (globalThis.isHit) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) addEventListener(name, guard, true);
}

export class Browser {
  // MORE: arguments of Chromium.
  constructor(...more) {
    this.home = mkdtempSync(join(tmpdir(), "ptybot-chromium-"));
    this.waiting = new Map();
    this.listeners = [];
    this.number = 0;
    const words = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
      "--no-first-run", "--disable-extensions", "--disable-background-networking", "--force-color-profile=srgb", `--user-data-dir=${this.home}`, ...more];
    this.process = spawn(process.env.PTYBOT_CHROMIUM ?? "chromium", words, {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true,
      env: { ...process.env, HOME: this.home, XDG_CONFIG_HOME: this.home, XDG_CACHE_HOME: this.home, DBUS_SESSION_BUS_ADDRESS: "disabled:" } });
    this.process.on("exit", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("chromium has ended"));
    });
    let rest = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const message of messages) this.hear(JSON.parse(message));
    });
  }

  hear(message) {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (waiting) message.error ? waiting.reject(new Error(JSON.stringify(message.error))) : waiting.resolve(message.result);
    else for (const listen of this.listeners) listen(message);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.number;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async page(url, { width = 1280, height = 800, scale = 1, dark = false, touch = false, context } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId: context });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, targetId, sessionId);
    for (const domain of ["Runtime", "Log", "Page", "Network"]) await page.send(`${domain}.enable`);
    await page.size(width, height, scale, touch);
    await page.dark(dark);
    await page.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${guardAim})()` });
    await page.send("Page.navigate", { url });
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    await this.send("Browser.close").catch(() => {});
    await Promise.race([ended, sleep(5000)]);
    try {
      process.kill(-this.process.pid, "SIGKILL"); // what is left of its processes
    } catch {}
    await sleep(100);
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

class Page {
  constructor(browser, targetId, sessionId) {
    Object.assign(this, { browser, targetId, sessionId });
    this.errors = []; // of the console
    this.bytes = 0; // received
    browser.listeners.push(({ method, params, sessionId: of }) => {
      if (of !== sessionId) return;
      if (method === "Runtime.exceptionThrown") this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === "Runtime.consoleAPICalled" && params.type === "error") this.errors.push(params.args.map((one) => one.value ?? one.description).join(" "));
      if (method === "Log.entryAdded" && params.entry.level === "error") this.errors.push(`${params.entry.text} ${params.entry.url ?? ""}`);
      if (method === "Network.dataReceived") this.bytes += params.encodedDataLength;
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  async eval(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  size(width, height, scale = 1, touch = false) {
    return Promise.all([this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: touch }),
      this.send("Emulation.setTouchEmulationEnabled", { enabled: touch, maxTouchPoints: touch ? 2 : 1 })]);
  }

  dark(isDark) {
    return this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }] });
  }

  // Waits until the page shows a run.
  shown() {
    return until("the page shows the run", () => this.eval("!!globalThis.ptybot?.state?.shown && document.getElementById('picture').width > 0").catch(() => false));
  }

  mouse(type, x, y, more = {}) {
    return this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1, ...more });
  }

  async click(x, y, more) {
    await this.mouse("mousePressed", x, y, more);
    await this.mouse("mouseReleased", x, y, more);
  }

  async drag([fromX, fromY], [toX, toY], more) {
    await this.mouse("mousePressed", fromX, fromY, more);
    for (let i = 1; i <= 8; i++) await this.mouse("mouseMoved", fromX + ((toX - fromX) * i) / 8, fromY + ((toY - fromY) * i) / 8, more);
    await this.mouse("mouseReleased", toX, toY, more);
  }

  wheel(x, y, deltaY) {
    return this.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY });
  }

  touch(type, ...points) {
    return this.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  }

  async key(key, modifiers = 0) {
    const code = key.length === 1 ? key.toUpperCase().charCodeAt(0) : { Escape: 27, Tab: 9, Enter: 13, ArrowLeft: 37, ArrowRight: 39, F1: 112 }[key];
    const text = key.length === 1 && !modifiers ? key : key === "Enter" ? "\r" : undefined;
    const common = { key, modifiers, windowsVirtualKeyCode: code };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...common });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...common });
  }

  // Clicks the center of an element with the mouse; repeats the click if the page has moved the
  // element meanwhile.
  async press(selector) {
    await until(`${selector} is pressed`, async () => {
      await this.aim(selector);
      return this.eval("(() => { const { isHit } = globalThis; globalThis.aim = null; return isHit; })()");
    });
  }

  async aim(selector) {
    const at = await until(`${selector} is there`, () => this.eval(`(() => { globalThis.aim = ${JSON.stringify(selector)}; globalThis.isHit = false; const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null; e.scrollIntoView({block: "nearest"}); const b = e.getBoundingClientRect(); return b.width > 0 && [b.left + b.width / 2, b.top + b.height / 2]; })()`));
    await this.click(...at);
  }

  async shot(path) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    const png = Buffer.from(data, "base64");
    if (path) writeFileSync(path, png);
    return png;
  }

  hide(isHidden) {
    return this.send("Emulation.setFocusEmulationEnabled", { enabled: !isHidden });
  }

  // Brings the page to the front: a page behind another is hidden and receives no input.
  async front() {
    await this.browser.send("Target.activateTarget", { targetId: this.targetId });
    await until("the page is seen", () => this.eval("!document.hidden"));
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.targetId });
  }
}
