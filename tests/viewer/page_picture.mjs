// node page_picture.mjs PAGE.html PICTURE.png: a page of one file at 31 s, with two plots, for the documentation.
import { Browser, sleep, until } from "./browser.mjs";

const [page, picture] = process.argv.slice(2);
const browser = new Browser();
const shown = await browser.page(`file://${page}`);
await shown.shown();
await until("all is looked through", () => shown.eval("ptybot.scout.isDone"));
await shown.press("#tab-signals");
for (const signal of ["x_m", "speed_m_s"]) await shown.press(`[data-name="${signal}"]`);
await shown.eval("ptybot.pace(true, 1), ptybot.seek(31), document.activeElement.blur()");
await until("the moment", () => shown.eval("ptybot.target_s === null"));
await sleep(500); // the panel follows
await shown.shot(picture);
await browser.close();
