// Loads the modules page.wasm and player.wasm, and converts their texts and memory. Runs in pages
// and in Node.

const WASI_NOSYS = 52; // wasi_snapshot_preview1, errno "nosys"
const TYPED_MAX = 64; // PAGE_TYPED_MAX of viewer/page/page.h

// System calls that libc needs. No file can be opened; output, which is a failed assertion, goes to
// LOG.
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

// Loads a module from its BYTES. The result has all its functions, without the PREFIX of their
// names; those named in TEXTS return strings. ENV has the functions that it calls.
export async function instantiate(bytes, prefix, texts, env = {}, log = console.error) {
  const module = {};
  module.textAt = (at) => {
    const all = new Uint8Array(module.memory.buffer);
    return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
  };
  const { instance } = await WebAssembly.instantiate(bytes, { env, wasi_snapshot_preview1: system(module, log) });
  for (const [name, value] of Object.entries(instance.exports)) module[name.replace(prefix, "")] = value;
  for (const name of texts) {
    const plain = module[name];
    module[name] = (...words) => module.textAt(plain(...words));
  }
  module._initialize();
  return module;
}

// Loads page.wasm from its BYTES: the functions of viewer/page/page.h (module.press(...)), with
// texts as strings and JSON as objects. COMMAND is called with each command.
export async function loadModule(bytes, command, log = console.error) {
  const json = ["layout", "place", "state", "panel", "marks", "actions"];
  const env = { page_command: (at) => command(module.textAt(at)) };
  const module = await instantiate(bytes, "page_", ["text", ...json], env, log);
  for (const name of json) {
    const text = module[name];
    module[name] = (...words) => JSON.parse(text(...words));
  }
  const { type } = module;
  module.type = ({ action, number }, text) => {
    const room = new Uint8Array(module.memory.buffer, module.typed(), TYPED_MAX);
    room[new TextEncoder().encodeInto(text, room.subarray(0, TYPED_MAX - 1)).written] = 0;
    type(action, number);
  };
  module.start();
  return module;
}

// The SIZE bytes of the snapshot in the module, to be written and then passed to take.
export function snapshotBytes(module, size) {
  const at = module.room(size);
  if (at === 0) throw new Error("no memory for the snapshot");
  return new Uint8Array(module.memory.buffer, at, size);
}
