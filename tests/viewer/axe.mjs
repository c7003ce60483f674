// Accessibility problems of a page that axe-core finds: names, roles and contrast.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";

// axe-core from npm, installed on first use; no script of a package is run. null: it cannot be
// installed.
async function axeCode() {
  const folder = process.env.PTYBOT_NODE_DIR ?? `${tmpdir()}/ptybot-node`;
  const file = `${folder}/node_modules/axe-core/axe.min.js`;
  const words = [folder, "npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0", "axe-core@4"];
  mkdirSync(folder, { recursive: true });
  try {
    if (!existsSync(file)) execFileSync("flock", words, { stdio: "ignore" });
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

// Returns sentences; null: axe-core cannot be installed.
export async function axeFindings(page) {
  const code = await axeCode();
  if (!code) return null;
  await page.eval(`${code}; 0`);
  return page.eval("axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html.slice(0, 100) + ' ' + n.any.map((a) => a.message).join()).join(' | ')))");
}
