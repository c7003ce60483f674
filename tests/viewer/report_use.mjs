// node report_use.mjs REPORT.html [FOLDER for pictures]: a report in a browser, wide and narrow, light and dark, with and without
// JavaScript: it fits, axe finds nothing, and nothing goes wrong.
import { mkdirSync, writeFileSync } from "node:fs";
import { axeFindings } from "./axe.mjs";
import { Browser, until } from "./browser.mjs";

const [path, folder] = process.argv.slice(2);
const browser = new Browser();
const wrong = [];
for (const width of [390, 1280])
  for (const dark of [false, true])
    for (const isDrawn of [true, false]) {
      const name = `${width}-${dark ? "dark" : "light"}${isDrawn ? "" : "-plain"}`;
      const page = await browser.page("about:blank", { width, dark });
      if (!isDrawn) await page.send("Emulation.setScriptExecutionDisabled", { value: true });
      await page.send("Page.navigate", { url: `file://${path}` });
      const sections = isDrawn ? "Slowest" : "Failures";
      await until(`${name} is there`, () => page.eval(`[...document.querySelectorAll("h2")].some((one) => one.textContent === "${sections}")`).catch(() => false));
      const { cssContentSize: size } = await page.send("Page.getLayoutMetrics");
      if (size.width > width) wrong.push(`${name}: ${size.width} pixels wide`);
      const findings = isDrawn ? await axeFindings(page) : [];
      if (!findings) console.log("axe-core cannot be had here");
      wrong.push(...(findings ?? []).map((finding) => `${name}: ${finding}`), ...page.errors.map((error) => `${name}: ${error}`));
      if (folder) {
        mkdirSync(folder, { recursive: true });
        const clip = { x: 0, y: 0, width, height: Math.min(size.height, 8000), scale: 1 };
        const { data } = await page.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip });
        writeFileSync(`${folder}/${name}.png`, Buffer.from(data, "base64"));
      }
      await page.close();
    }
await browser.close();
if (wrong.length > 0) throw new Error(wrong.join("\n"));
console.log("report: wide and narrow, light and dark, with and without JavaScript");
