// Types of ptybot for Node.

/** Whatever fails, with the program's words. */
export class PtybotError extends Error {
  /** Of the control socket, such as -32000 for a command that was refused. */
  readonly code?: number;
}

export interface Options {
  /** Time goes on by step() only. */
  lockstep?: boolean;
  seed?: number;
  /** Times as fast as real time. */
  speed?: number;
  /** Options of robots, such as {'kobuki.battery_v': 14.2}. */
  set?: Record<string, string | number | boolean>;
  /** Other links than the scene's, such as {kobuki: 'tcp:auto'}. */
  link?: Record<string, string>;
  /** Further words of the command line. */
  args?: string[];
  /** A path, or a name in PATH; else $PTYBOT, else ptybot. */
  program?: string;
}

export interface Channel {
  name: string;
  /** A kind that `ptybot list links` shows: 'pty', 'tcp', ... */
  link: string;
  /** Of a pty or a serial device. */
  path?: string;
  /** Of a TCP server. */
  address?: string;
  port?: number;
  baud?: number;
}

/** What the run said when it was ready. */
export interface About {
  name: string;
  version: string;
  build: string;
  pid: number;
  folder: string;
  control: string;
  lockstep: boolean;
  robots: { name: string; type: string; channels: Channel[] }[];
}

export interface Watched {
  time_s: number;
  /** Messages that were left out since the watch began. */
  dropped: number;
  values: Record<string, number | null>;
  /** Of values that stand for a word. */
  texts?: Record<string, string>;
}

export interface StepOptions {
  /** The step begins when these bytes have come, which the host has written to each channel since the last
   *  step with a fence for it (or since the start, attach() or pause()). A step without one takes along what
   *  happens to have come; its bytes count for the next fence. */
  after?: Record<string, number>;
  /** Ends the step when this condition holds; it must come true. */
  until?: string;
}

export class Run {
  private constructor();
  readonly about: About;
  /** Path of the control socket. */
  readonly control: string;
  /** How many seconds of the wall clock each call waits for an answer, beside the time that it lets pass in
   *  the simulation; 30. */
  timeout: number;
  /** @deprecated Old name of timeout, until the next release. */
  patience: number;

  /** What a driver opens: a path, or `address:port`. `kobuki` is its first link, `kobuki.uart` that channel. */
  port(channel: string): string;
  /** The value of a signal in its unit; null: it has no finite value now. */
  get(signal: string): Promise<number | null>;
  /** The value of a signal that stands for a word. */
  getWord(signal: string): Promise<string>;
  /** Values of signals and globs at one moment, by name. */
  getAll(...signals: string[]): Promise<Record<string, number | null>>;
  /** A command: `TARGET.COMMAND key=value ...`. */
  do(command: string): Promise<void>;
  /** Metres, and degrees from the x axis counter-clockwise. */
  place(robot: string, x: number, y: number, heading?: number): Promise<void>;
  /** What the driver believes of the first robot, in its own coordinates. */
  estimate(values: {
    x_m?: number; y_m?: number; heading_deg?: number; speed_m_s?: number; turn_deg_s?: number;
  }): Promise<void>;
  /** All robots and things as at the start. */
  reset(): Promise<void>;
  pause(paused?: boolean): Promise<void>;
  /** Until a condition holds, at most so many simulated seconds; it must come true. */
  wait(condition: string, timeout_s: number): Promise<void>;
  /** In lockstep or while paused: lets time go on, and waits for the end of that. */
  step(ms: number, options?: StepOptions): Promise<void>;
  /** How many bytes the last step sent to the host of a channel. */
  sent(channel: string): number;
  /** Values each so many simulated milliseconds (100), until the loop is left or the run ends. */
  watch(signals: string | string[], every_ms?: number): AsyncGenerator<Watched, void, void>;
  /** Any method of the control socket. */
  call(method: string, params?: object): Promise<unknown>;
  /** Ends the run; resolves with the exit code of the program. One that was attached goes on. */
  close(): Promise<number>;
}

/** Starts a run of one's own: a robot type, a scene of the collection or a file. */
export function run(scene: string, options?: Options): Promise<Run>;
/** The same for as long as a function runs; resolves with what that returned. */
export function run<T>(scene: string, use: (sim: Run) => T | Promise<T>): Promise<T>;
export function run<T>(scene: string, options: Options, use: (sim: Run) => T | Promise<T>): Promise<T>;

/** The run of somebody else, by the path of its control socket; by default that of `ptybot test`. */
export function attach(control?: string): Promise<Run>;
