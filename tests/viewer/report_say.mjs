// node report_say.mjs WHAT PAGE.html: runs the script of a report on a minimal document object, and
// prints WHAT:
//   sections  the headings of the drawn sections
//   dots      of each map how many dots are green, red and mixed
//   room      the corners of the closed paths in the room below the first map, in meters
//   text      all words that it writes
import { readFileSync } from "node:fs";

const [what, path] = process.argv.slice(2);
const html = readFileSync(path, "utf8");

class Element {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [] });
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  append(...children) {
    this.children.push(...children);
  }
  get text() {
    return this.children.map((child) => child.text ?? child).join(" ");
  }
  all(tag) {
    return this.children.flatMap((child) => (child instanceof Element ? [...(child.tag === tag ? [child] : []), ...child.all(tag)] : []));
  }
}

const main = new Element("main");
const unescape = (text) => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
globalThis.document = {
  createElementNS: (space, tag) => new Element(tag),
  querySelector: () => Object.assign(main, { querySelector: () => ({ before: (...children) => main.append(...children) }) }),
  getElementById(id) {
    if (id === "bundle") return { textContent: /<script type="application\/json" id="bundle">(.*)<\/script>/.exec(html)[1] };
    const found = new RegExp(`id="${id}" data-bounds="([^"]*)" src="([^"]*)"`).exec(html);
    return found && { dataset: { bounds: unescape(found[1]) }, src: unescape(found[2]) };
  },
};
const script = /<script type="module">\n(.*)<\/script>/s.exec(html)[1];
await import(`data:text/javascript,${encodeURIComponent(script)}`);

const maps = main.all("svg").filter((svg) => svg.attributes.class === "map");
if (what === "sections")
  for (const heading of main.children.filter(({ tag }) => /^h\d$/.test(tag))) console.log(heading.text);
else if (what === "dots")
  for (const map of maps) {
    const count = (kind) => map.all("g").filter((dot) => dot.attributes.class === kind && dot.all("title")[0].text).length;
    console.log(`${count("passed")} green ${count("failed")} red ${count("mixed")} mixed`);
  }
else if (what === "room") {
  const { href, x, y, width } = maps[0].all("image")[0].attributes;
  const picture = Buffer.from(href.replace("data:image/svg+xml;base64,", ""), "base64").toString();
  const scale = Number(width) / Number(/viewBox="0 0 (\S+)/.exec(picture)[1]);
  const corners = new Set();
  for (const [, d] of picture.matchAll(/ d="([^"]*Z[^"]*)"/g)) {
    const points = [...d.matchAll(/[ML] (\S+) (\S+)/g)].map(([, px, py]) => [Number(x) + scale * px, -(Number(y) + scale * py)]);
    if (points.length !== 4 && points.length !== 5) continue;
    const [xs, ys] = [0, 1].map((i) => points.map((point) => point[i]));
    corners.add([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].map((value) => (Math.round(value * 10) / 10 + 0).toFixed(1)).join(" "));
  }
  console.log([...corners].sort().join("\n"));
} else if (what === "text") console.log(main.text.replaceAll(/\s+/g, " "));
