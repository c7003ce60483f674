// node player_hashes.mjs PLAYER.wasm FOLDER TURNS: runs each NAME.bundle of the folder in
// WebAssembly, where hosts send the content of NAME.0, NAME.1 ..., 24 bytes every 50 ms, and
// compares its state with NAME.hash. Exits with 1 if a state differs.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { Player } from "../../viewer/web/page/player.mjs";

const TURN_STEPS = 50, CHUNK = 24;
const [wasm, folder, turns] = process.argv.slice(2);
const code = readFileSync(wasm);
let scenes = 0, wrong = 0;
for (const file of readdirSync(folder)) {
  const name = file.replace(/\.bundle$/, "");
  if (name === file) continue;
  const player = await Player.open(code, readFileSync(`${folder}/${file}`));
  const told = [];
  for (let i = 0; existsSync(`${folder}/${name}.${i}`); i++) told.push({ bytes: readFileSync(`${folder}/${name}.${i}`), at: 0 });
  const say = (one, i) => {
    if (one.bytes.length === 0) return;
    player.send(i, Uint8Array.from({ length: CHUNK }, () => one.bytes[one.at++ % one.bytes.length]));
  };
  told.forEach((one, i) => one.bytes.length > 0 && player.module.host(i, 1));
  for (let turn = 0; turn < turns; turn++) {
    told.forEach(say);
    player.module.run(TURN_STEPS);
  }
  const hash = readFileSync(`${folder}/${name}.hash`, "utf8");
  scenes++;
  if (player.module.hash() === hash) continue;
  wrong++;
  console.error(`${name}: the program has ${hash}, the page ${player.module.hash()} at ${player.now_s} s`);
}
console.log(`${scenes} scenes, ${wrong} differ`);
process.exit(wrong === 0 && scenes > 10 ? 0 : 1);
