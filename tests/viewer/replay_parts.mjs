// Reads the parts of a page in one file, and compares tables of signals.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

// The bytes of an element with the id.
export function partOf(html, id) {
  const [, isPacked, text] = new RegExp(`id="${id.replaceAll(".", "\\.")}"( data-gzip)?>([^<]*)<`).exec(html);
  const bytes = Buffer.from(text, "base64");
  return isPacked ? gunzipSync(bytes) : bytes;
}

// Throws if the TABLE of a page differs from the file that `ptybot test` has written, which has
// further columns (live ones) and nine digits. Returns the number of compared values.
export function compareSignals(table, path) {
  const rowsOf = (text) => text.trimEnd().split("\n").map((row) => row.split(","));
  const [names, ...rows] = rowsOf(table);
  const [ownNames, ...ownRows] = rowsOf(readFileSync(path, "utf8"));
  const columns = names.map((name) => ownNames.indexOf(name));
  if (columns.includes(-1) || names.length < 50) throw new Error(`a signal is not there: ${names[columns.indexOf(-1)]}`);
  const byTime = new Map(rows.map((row) => [Number(row[0]).toFixed(3), row]));
  let compared = 0;
  for (const own of ownRows) {
    const row = byTime.get(Number(own[0]).toFixed(3));
    if (!row) throw new Error(`the page has nothing of ${own[0]} s`);
    for (const [i, column] of columns.entries()) {
      const value = Number(row[i]);
      const digits = Number.isInteger(value) ? value : Number(value.toPrecision(9));
      const text = Number.isFinite(value) ? String(digits || 0) : "";
      if (text !== (own[column] === "" ? "" : String(Number(own[column]) || 0)))
        throw new Error(`${names[i]} at ${own[0]} s is ${row[i]} in the page, ${own[column]} in ${path}`);
      compared++;
    }
  }
  return compared;
}
