// The page of a scene to try, in a browser.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { until } from "./browser.mjs";

export const robotOf = (page) => page.eval("ptybot.module.state().robots[0]");

// The page of docs/try.yaml, made in FOLDER.
export async function openTry(browser, program, folder) {
  execFileSync(program, ["shot", fileURLToPath(new URL("../../docs/try.yaml", import.meta.url)), "-o", `${folder}/try.html`]);
  const page = await browser.page(`file://${folder}/try.html`);
  await page.shown();
  return page;
}

// Each kind of button of the panel does something.
export async function eachButtonActs(page) {
  await page.press("[data-name='Lift']");
  await until("it is lifted", async () => (await robotOf(page)).lifted);
  await page.press("[data-name='Put down']");
  await until("and put down", async () => !(await robotOf(page)).lifted);
  const value = (name) => page.eval(`(() => { const { module } = ptybot.player; for (let i = 0; i < module.signal_count(); i++) if (module.signal_name(i).trim() === ${JSON.stringify(name)}) return ptybot.player.values()[i]; })()`);
  await page.press("[data-name='bumper left']");
  await until("a bumper is pressed", async () => (await value("kobuki.basic.bumper")) !== 0);
  await page.press("[data-name='Unplug uart']");
  await until("it is unplugged", () => page.eval("ptybot.panel.rows.some(({ label, value }) => label === 'uart' && value === 'unplugged')"));
  await page.press("[data-name='Plug in uart']");
  await page.press("#tab-faults");
  for (const name of ["uart", "drop", "Inject"]) await page.press(`[data-name='${name}']`);
  await until("a fault is injected", async () => (await robotOf(page)).faults === 1);
  await page.press("[data-name='Heal uart']");
  await until("and healed", async () => (await robotOf(page)).faults === 0);
}
