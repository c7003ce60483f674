// A run of ptybot with a page, and its control socket.
import { spawn } from "node:child_process";
import { connect } from "node:net";

export class Run {
  // WORDS: arguments of `ptybot`, starting with the subcommand.
  static async start(program, ...words) {
    const run = new Run();
    run.process = spawn(program, [...words, "--web", "--web-port", "0", "--private", "--json"], { stdio: ["pipe", "pipe", "pipe"] });
    run.said = "";
    run.process.stderr.on("data", (text) => (run.said += text));
    run.ended = new Promise((resolve) => run.process.once("exit", (code) => resolve(code)));
    const line = await new Promise((resolve, reject) => {
      let text = "";
      run.process.stdout.on("data", (more) => {
        text += more;
        if (text.includes("\n")) resolve(text);
      });
      run.process.once("exit", () => reject(new Error(`ptybot ended: ${run.said}`)));
    });
    run.about = JSON.parse(line);
    run.url = run.about.page;
    return run;
  }

  ask(method, params = {}) {
    return new Promise((resolve, reject) => {
      const socket = connect(this.about.control);
      let text = "";
      socket.on("error", reject);
      socket.on("data", (more) => {
        text += more;
        if (!text.includes("\n")) return;
        const { result, error } = JSON.parse(text);
        error ? reject(new Error(error.message)) : resolve(result);
        socket.destroy();
      });
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`);
    });
  }

  do(command) {
    return this.ask("do", { command });
  }

  async get(signal) {
    const { signals } = await this.ask("get", { signals: [signal] });
    return signals[0].value;
  }

  async end() {
    this.process.stdin.destroy();
    this.process.kill("SIGTERM");
    return this.ended;
  }
}
