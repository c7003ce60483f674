// The module page.wasm: loading it, and texts and memory of it. Runs in pages and in Node.

const WASI_NOSYS = 52; // wasi_snapshot_preview1, errno "nosys"

// What libc wants of a system. Nothing is opened; what it prints, a failed assertion, goes to LOG.
function system(module, log) {
  let said = "";
  const write = (fd, vectors, count, written) => {
    const view = new DataView(module.memory.buffer);
    let size = 0;
    for (let i = 0; i < count; i++) {
      const at = view.getUint32(vectors + 8 * i, true);
      const length = view.getUint32(vectors + 8 * i + 4, true);
      said += new TextDecoder().decode(new Uint8Array(module.memory.buffer, at, length));
      size += length;
    }
    view.setUint32(written, size, true);
    if (said.endsWith("\n")) {
      log(said.trimEnd());
      said = "";
    }
    return 0;
  };
  return new Proxy({ fd_write: write }, { get: (own, name) => own[name] ?? (() => WASI_NOSYS) });
}

// Loads the module from its BYTES. It has all functions of viewer/page/page.h without the prefix
// (module.press(...)), texts as strings and JSON as objects. COMMAND is called with each command.
export async function loadModule(bytes, command, log = console.error) {
  const module = {};
  const text = (at) => {
    const all = new Uint8Array(module.memory.buffer);
    return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
  };
  const { instance } = await WebAssembly.instantiate(bytes, {
    env: { page_command: (at) => command(text(at)) },
    wasi_snapshot_preview1: system(module, log),
  });
  for (const [name, value] of Object.entries(instance.exports))
    module[name.replace(/^page_/, "")] = value;
  const returning = (name, convert) => {
    const plain = module[name];
    module[name] = (...words) => convert(text(plain(...words)));
  };
  returning("text", String);
  for (const name of ["layout", "place", "state", "signals", "frames", "actions"]) returning(name, JSON.parse);
  module._initialize();
  module.start();
  return module;
}

// The SIZE bytes of the snapshot in the module, to be written and then taken.
export function snapshotBytes(module, size) {
  const at = module.room(size);
  if (at === 0) throw new Error("no memory for the snapshot");
  return new Uint8Array(module.memory.buffer, at, size);
}
