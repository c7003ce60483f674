// node page_lists.mjs PAGE.wasm SNAPSHOTS GOLDENS: compares the draw lists that the page's module
// makes from each file NAME.snapshot with the window's golden file NAME.txt. Exits with 1 if one
// differs.
import { readFileSync, readdirSync } from "node:fs";
import { loadModule, snapshotBytes } from "../../viewer/web/page/module.mjs";

const [wasm, snapshots, goldens] = process.argv.slice(2);
const code = readFileSync(wasm);
let wrong = 0;
let scenes = 0;
for (const file of readdirSync(snapshots)) {
  const name = file.replace(/\.snapshot$/, "");
  if (name === file) continue;
  const module = await loadModule(code, () => {});
  const bytes = readFileSync(`${snapshots}/${file}`);
  snapshotBytes(module, bytes.length).set(bytes);
  module.resize(1280, 800);
  if (!module.take(bytes.length)) throw new Error(`${name}: the page takes it for no snapshot`);
  module.select(-1);
  module.key("0".charCodeAt(0), 0, 0); // the whole room
  module.draw();
  const drawn = `# stands still\n${module.text(0)}# moves\n${module.text(1)}`.split("\n");
  const golden = readFileSync(`${goldens}/${name}.txt`, "utf8").split("\n");
  const line = golden.findIndex((text, i) => text !== drawn[i]);
  scenes++;
  if (line < 0 && golden.length === drawn.length) continue;
  wrong++;
  console.error(`${name}.txt:${line + 1}: golden: ${golden[line]}\n${name}.txt:${line + 1}: page:   ${drawn[line]}`);
}
console.log(`${scenes} scenes, ${wrong} differ`);
process.exit(wrong === 0 && scenes > 10 ? 0 : 1);
