// Types of ptybot for Node.

/** Thrown by every function that fails, with ptybot's error message. */
export class PtybotError extends Error {
  /** Error code of the control socket, such as -32000 for a command that was refused. */
  readonly code?: number;
}

export interface Options {
  /** Time advances only by step(). */
  lockstep?: boolean;
  seed?: number;
  /** Simulation speed as a multiple of real time. */
  speed?: number;
  /** Options of robots, such as {'kobuki.battery_v': 14.2}. */
  set?: Record<string, string | number | boolean>;
  /** Links that replace those of the scene, such as {kobuki: 'tcp:auto'}. */
  link?: Record<string, string>;
  /** Further command-line arguments. */
  args?: string[];
  /** A path, or a name in PATH; default: $PTYBOT, or else ptybot. */
  program?: string;
}

export interface Channel {
  name: string;
  /** Kind of the link, as in `ptybot list links`: 'pty', 'tcp', ... */
  link: string;
  /** Path of a pty or a serial device. */
  path?: string;
  /** Address of a TCP server. */
  address?: string;
  port?: number;
  baud?: number;
}

/** The data that the run prints when it is ready. */
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
  /** Number of messages that were dropped since the watch began. */
  dropped: number;
  values: Record<string, number | null>;
  /** Words for the values that have one. */
  texts?: Record<string, string>;
}

export interface StepOptions {
  /** Fence: the step begins after these numbers of bytes have arrived. They are the bytes that the
   * driver has written to each channel since the last step with a fence for it (or since the start,
   * attach() or pause()). A step without a fence contains the bytes that have arrived by chance;
   * they count for the next fence. */
  after?: Record<string, number>;
  /** Ends the step when this condition is true. It is an error if it does not become true. */
  until?: string;
}

export class Run {
  private constructor();
  readonly about: About;
  /** Path of the control socket. */
  readonly control: string;
  /** Timeout of each call in seconds of wall-clock time, in addition to the simulated time of the
   * call. Default: 30. */
  timeout: number;
  /** @deprecated Old name of timeout, until the next release. */
  patience: number;

  /** What a driver opens: a path, or `address:port`. `kobuki` is its first link, `kobuki.uart` that channel. */
  port(channel: string): string;
  /** Value of a signal in its unit; null: it has no finite value now. */
  get(signal: string): Promise<number | null>;
  /** Word for the present value of a signal. */
  getWord(signal: string): Promise<string>;
  /** Values of signals and glob patterns at the same moment, by name. */
  getAll(...signals: string[]): Promise<Record<string, number | null>>;
  /** Executes a command: `TARGET.COMMAND key=value ...`. */
  do(command: string): Promise<void>;
  /** Moves a robot: meters, and degrees counter-clockwise from the x axis. */
  place(robot: string, x: number, y: number, heading?: number): Promise<void>;
  /** Reports the driver's estimate of the first robot's pose, in the driver's coordinates. */
  estimate(values: {
    x_m?: number; y_m?: number; heading_deg?: number; speed_m_s?: number; turn_deg_s?: number;
  }): Promise<void>;
  /** Puts all robots and objects back to their state at the start. */
  reset(): Promise<void>;
  pause(paused?: boolean): Promise<void>;
  /** Waits until a condition is true, for at most TIMEOUT_S of simulated time. It is an error if it
   * does not become true. */
  wait(condition: string, timeout_s: number): Promise<void>;
  /** In lockstep or while paused: advances time, and waits for the end of the step. */
  step(ms: number, options?: StepOptions): Promise<void>;
  /** Number of bytes that the last step sent to the driver of a channel. */
  sent(channel: string): number;
  /** Yields values at intervals of simulated milliseconds (default 100), until the loop or the run
   * ends. */
  watch(signals: string | string[], every_ms?: number): AsyncGenerator<Watched, void, void>;
  /** Calls any method of the control socket. */
  call(method: string, params?: object): Promise<unknown>;
  /** Ends the run; resolves with the exit code of the program. An attached run continues. */
  close(): Promise<number>;
}

/** Starts a run: a robot type, an installed scene or a file. */
export function run(scene: string, options?: Options): Promise<Run>;
/** The same for the duration of a function; resolves with the function's result. */
export function run<T>(scene: string, use: (sim: Run) => T | Promise<T>): Promise<T>;
export function run<T>(scene: string, options: Options, use: (sim: Run) => T | Promise<T>): Promise<T>;

/** Connects to a run that another process started, by the path of its control socket; default: the
 * run of `ptybot test`. */
export function attach(control?: string): Promise<Run>;
