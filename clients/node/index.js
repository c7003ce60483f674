// ptybot from a test in Node: starts a run, sends commands to its robots, advances its time and
// reads its signals. Failures throw a PtybotError with ptybot's error message.
'use strict';
const { spawn } = require('node:child_process');
const { connect } = require('node:net');
const { createInterface } = require('node:readline');
const { inspect } = require('node:util');

const TIMEOUT_S = 30; // chosen: machines are busy
const LINE_MAX = 1 << 26; // bytes of one message; chosen: a picture of a large room needs a tenth of it

class PtybotError extends Error {
  constructor(message, code) {
    super(message);
    this.name = 'PtybotError';
    this.code = code;
  }
}

/** Returns READ(SAID). Errors in parsing received text become a PtybotError. */
function foreign(said, read) {
  try {
    return read(said);
  } catch (problem) {
    if (problem instanceof PtybotError)
      throw problem;
    throw new PtybotError(`unexpected reply: ${inspect(said, { depth: 2, maxStringLength: 80 })}`);
  }
}

/** Checks that a signal's value is a number or null. */
function value(found) {
  if (typeof found !== 'number' && found !== null)
    throw new TypeError();
  return found;
}

/** The command-line arguments for the options of run(). */
function words(scene, { lockstep, seed, speed, set = {}, link = {}, args = [] }) {
  const repeated = (flag, rows) => Object.entries(rows).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  return ['run', scene, '--private', '--json',
    ...(lockstep ? ['--lockstep'] : []),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...(speed === undefined ? [] : ['--speed', String(speed)]),
    ...repeated('--set', set), ...repeated('--link', link), ...args];
}

/** Resolves with the promise, or rejects after a number of seconds with the message LATE. */
async function within(seconds, promise, late) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new PtybotError(late), { isLate: true })), seconds * 1000);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** One connection to a control socket: requests in order, replies by their number. */
class Control {
  #socket;
  #waiting = new Map();
  #id = 0;
  #partial = [];
  #size = 0;
  #ended = null;
  onMessage = () => {};

  constructor(socket, path, lastWords) {
    this.#socket = socket;
    this.lastWords = lastWords;
    socket.setEncoding('utf8').on('data', (text) => this.#hear(text));
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => this.#end(`${path}: the run has ended`));
    socket.unref();
  }

  /** Handles complete lines and keeps the rest. */
  #hear(text) {
    const lines = text.split('\n');
    this.#partial.push(lines[0]);
    this.#size += lines[0].length;
    try {
      if (this.#size > LINE_MAX)
        throw new PtybotError(`unexpected reply: a line of more than ${LINE_MAX} bytes`);
      if (lines.length === 1)
        return;
      lines[0] = this.#partial.join('');
      this.#partial = [lines.pop()];
      this.#size = this.#partial[0].length;
      for (const line of lines)
        foreign(line, (said) => this.#take(JSON.parse(said)));
    } catch (problem) {
      this.#socket.destroy();
      this.#end(problem.message);
    }
  }

  static async open(path, lastWords = async () => '') {
    const socket = connect(path);
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (problem) => reject(new PtybotError(`${path}: ${problem.message}; is the simulation running?`)));
    });
    return new Control(socket, path, lastWords);
  }

  async #end(reason) {
    const words = await this.lastWords();
    this.#ended ??= new PtybotError(words ? `${reason}; it said: ${words}` : reason);
    for (const { reject } of this.#waiting.values())
      reject(this.#ended);
    this.#waiting.clear();
    this.onMessage(null);
  }

  #take(message) {
    const asked = this.#waiting.get(message.id);
    if (!asked)
      return this.onMessage(message);
    this.#waiting.delete(message.id);
    if (message.error)
      asked.reject(new PtybotError(String(message.error.message), Number(message.error.code)));
    else
      asked.resolve(message.result);
  }

  /** A pending request keeps the program alive; an idle run does not. */
  async call(method, params, timeout_s) {
    if (this.#ended)
      throw this.#ended;
    const id = ++this.#id;
    const reply = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    this.#socket.ref();
    try {
      return await within(timeout_s, reply, `${method}: no reply for ${+timeout_s.toFixed(3)} s`);
    } finally {
      this.#waiting.delete(id);
      if (this.#waiting.size === 0)
        this.#socket.unref();
    }
  }

  close() {
    this.onMessage = () => {};
    this.#socket.destroy();
  }
}

/** A run, from run() or attach(). */
class Run {
  #control;
  #child;
  #exit;
  #announced = {};
  #written = {};
  #sent = {};
  timeout = TIMEOUT_S;

  /** Old name of timeout, until the next release. */
  get patience() {
    process.emitWarning('Run.patience is now Run.timeout', 'DeprecationWarning');
    return this.timeout;
  }
  set patience(seconds) {
    process.emitWarning('Run.patience is now Run.timeout', 'DeprecationWarning');
    this.timeout = seconds;
  }

  constructor(about, control, child, exit, totals) {
    this.about = about;
    this.#control = control;
    this.#child = child;
    this.#exit = exit;
    this.#count(totals);
  }

  /** Stores the bytes received and sent so far. */
  #count(totals) {
    foreign(totals, () => {
      for (const link of totals) {
        this.#announced[link.name] = link.received;
        this.#written[link.name] = link.written;
      }
    });
  }

  /** The channel of a robot (its first with a link) or `ROBOT.CHANNEL`. */
  #channel(name) {
    const all = this.about.robots.flatMap((robot) =>
      robot.channels.map((channel) => ({ ...channel, name: `${robot.name}.${channel.name}` })));
    const found = all.find((channel) => channel.name === name || channel.name.startsWith(`${name}.`));
    if (!found)
      throw new PtybotError(`there is no port '${name}'; there are: ${all.map((channel) => channel.name).join(', ')}`);
    return found;
  }

  get control() {
    return this.about.control;
  }

  port(name) {
    const { path, address, port } = this.#channel(name);
    return path ?? (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`);
  }

  /** Sends a request that may take up to SIMULATED_S of simulated time. */
  async #ask(method, params, simulated_s = 0) {
    try {
      return await this.#control.call(method, params, this.timeout + simulated_s);
    } catch (problem) {
      // A disconnect cancels a step that has not started.
      if (problem.isLate) {
        this.#control.close();
        this.#control = await Control.open(this.control, this.#control.lastWords);
      }
      throw problem;
    }
  }

  call(method, params = {}) {
    return this.#ask(method, params);
  }

  async #signal(name) {
    return foreign(await this.call('get', { signals: [name] }),
      ({ signals: [{ value: found, text }] }) => ({ found: value(found), text }));
  }

  async get(name) {
    return (await this.#signal(name)).found;
  }

  async getWord(name) {
    const { text } = await this.#signal(name);
    if (text === undefined)
      throw new PtybotError(`${name} has no text value; its value is a number`);
    return text;
  }

  async getAll(...names) {
    return foreign(await this.call('get', { signals: names }), ({ signals }) =>
      Object.fromEntries(signals.map(({ name, value: found }) => [name, value(found)])));
  }

  async do(command) {
    await this.call('do', { command });
  }

  async place(robot, x, y, heading = 0) {
    await this.do(`${robot}.place x=${x} y=${y} heading=${heading}`);
  }

  async estimate(values) {
    const words = Object.entries(values).map(([key, value]) => ` ${key}=${value}`);
    await this.do(`world.estimate${words.join('')}`);
  }

  async reset() {
    await this.do('world.reset');
  }

  async pause(paused = true) {
    await this.call('pause', { paused });
    if (paused)
      this.#count(await this.call('list', { what: 'links' }));
  }

  async wait(until, timeout_s) {
    const params = { until, timeout_s };
    const { holds, found } = foreign(await this.#ask('wait', params, timeout_s), ({ holds, found }) => ({ holds, found }));
    if (!holds)
      throw new PtybotError(`${until}: did not come true: ${found}`);
  }

  async step(ms, { after = {}, until } = {}) {
    const params = { ms, ...(until === undefined ? {} : { until }) };
    const wanted = Object.entries(after).map(([name, bytes]) => {
      const channel = this.#channel(name).name;
      return [channel, (this.#announced[channel] ?? 0) + bytes];
    });
    if (wanted.length)
      params.received = Object.fromEntries(wanted);
    const reply = await this.#ask('step', params, ms / 1000).catch((problem) => {
      if (problem.isLate && wanted.length)
        problem.message += `; the step waits for the bytes of ${JSON.stringify(params.received)} from the host`;
      throw problem;
    });
    Object.assign(this.#announced, params.received);
    for (const [name, total] of foreign(reply, ({ written }) => Object.entries(written))) {
      this.#sent[name] = total - (this.#written[name] ?? 0);
      this.#written[name] = total;
    }
    if (reply.holds === false)
      throw new PtybotError(`${until}: did not come true: ${reply.found}`);
  }

  sent(name) {
    return this.#sent[this.#channel(name).name] ?? 0;
  }

  /** Yields values at intervals of simulated milliseconds, over a separate connection, until the
   * loop or the run ends. */
  async *watch(signals, every_ms = 100) {
    const control = await Control.open(this.control);
    const come = [];
    let wake = () => {};
    control.onMessage = (message) => {
      come.push(message);
      wake();
    };
    // A timer keeps the program alive while the loop waits for a message.
    const alive = setInterval(() => {}, 1 << 30);
    try {
      await control.call('watch', { signals: [signals].flat(), every_ms }, this.timeout);
      for (;;) {
        while (come.length === 0)
          await new Promise((resolve) => { wake = resolve; });
        const message = come.shift();
        if (!message)
          return;
        yield foreign(message, ({ params: { values, ...more } }) => ({ ...more, values: { ...values } }));
      }
    } finally {
      clearInterval(alive);
      control.close();
    }
  }

  /** Ends the run and resolves with the exit code of the program; an attached run continues. */
  async close() {
    this.#control.close();
    if (!this.#child)
      return 0;
    this.#child.ref();
    this.#child.stdin.end();
    try {
      return await within(TIMEOUT_S, this.#exit, 'the run does not end');
    } catch {
      this.#child.kill('SIGKILL');
      return await this.#exit;
    }
  }
}

/** Resolves with the first line that the program prints; rejects if it ends before. */
function readyLine(child, program, exit, said) {
  return new Promise((resolve, reject) => {
    child.once('error', (problem) => reject(new PtybotError(
      `${program}: ${problem.message}; install ptybot, or name the program in PTYBOT or by its path`)));
    createInterface({ input: child.stdout }).once('line', resolve);
    exit.then(() => reject(new PtybotError(said().trim() || 'the run ended without a message')));
  });
}

async function start(scene, options) {
  const program = options.program ?? (process.env.PTYBOT || 'ptybot');
  const child = spawn(program, words(scene, options), { stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  const said = () => text;
  // The end of its output on standard error is enough for an error message.
  child.stderr.setEncoding('utf8').on('data', (more) => { text = (text + more).slice(-1500); });
  const exit = new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  child.stdin.on('error', () => {});
  try {
    const line = await within(TIMEOUT_S, readyLine(child, program, exit, said), 'the run was not ready in time');
    const about = foreign(line, JSON.parse);
    const lastWords = async () => { await exit; return text.trim(); };
    const control = await Control.open(foreign(about, ({ control: path }) => path.slice()), lastWords);
    for (const part of [child, child.stdin, child.stdout, child.stderr])
      part.unref();
    return new Run(about, control, child, exit, []);
  } catch (problem) {
    child.kill('SIGKILL');
    throw problem;
  }
}

/** Starts a run. With a function as the last argument: calls it with the run, then ends the run,
 * and resolves with the function's result. */
async function run(scene, options = {}, use = undefined) {
  if (typeof options === 'function')
    return run(scene, {}, options);
  const started = await start(scene, options);
  if (!use)
    return started;
  try {
    return await use(started);
  } finally {
    await started.close();
  }
}

/** Connects to a run that another process started; default: the run of `ptybot test`. */
async function attach(path = process.env.PTYBOT_CONTROL) {
  if (!path)
    throw new PtybotError('PTYBOT_CONTROL is not set; `ptybot test` sets it');
  const control = await Control.open(path);
  const about = await control.call('version', {}, TIMEOUT_S);
  return new Run(about, control, null, null, await control.call('list', { what: 'links' }, TIMEOUT_S));
}

module.exports = { run, attach, Run, PtybotError };
