// The bar below the picture of a replay: the present time, the events, and controls to seek. Used
// by the page in one file, and by the page of a live replay.
import { el } from "./element.mjs";

const FEW_MARKS = 300; // chosen: more marks could not be distinguished on the bar
const WORDS = { passed: "passed", failed: "FAILED", fault: "fault", healed: "healed", command: "command", host: "host comes", gone: "host goes" };

export class TimeBar {
  // SEEK(at_s) goes to a time, PAUSE() stops time. MORE: further elements in the lower row.
  constructor(length_s, seek, pause, ...more) {
    Object.assign(this, { length_s, seek, pause, marks: [], now_s: 0 });
    const choose = (event) => {
      if (event.target.value !== "") this.seekMark(this.marks[event.target.value]);
      event.target.value = "";
    };
    const move = (event) => this.seek(Number(event.target.value));
    this.range = el("input", { type: "range", id: "time", min: 0, max: length_s, step: 0.02, value: 0, "aria-label": "Time of the run", oninput: move });
    this.ticks = el("div", { id: "ticks" });
    this.jump = el("select", { "aria-label": "Jump to an event", onchange: choose });
    this.failure = el("button", { hidden: true, title: "J; previous failure: Shift J", onclick: () => this.nextFailure() }, "Next failure");
    this.element = el("footer", { id: "timebar", "aria-label": "Time bar" }, el("div", { id: "track" }, this.range, this.ticks), el("div", { class: "row" }, this.failure, this.jump, ...more));
    this.showMarks([]);
  }

  seekMark(mark) {
    this.pause();
    this.seek(mark.at_s);
  }

  // Goes to the next failure, or to the previous one; the first follows the last. False: there is
  // no failure.
  nextFailure(isBack = false) {
    const failed = this.marks.filter((mark) => mark.kind === "failed");
    const slack_s = 0.0005; // half a step
    const mark = isBack
      ? (failed.findLast(({ at_s }) => at_s < this.now_s - slack_s) ?? failed.at(-1))
      : (failed.find(({ at_s }) => at_s > this.now_s + slack_s) ?? failed[0]);
    if (mark) this.seekMark(mark);
    return mark !== undefined;
  }

  // MARKS: {at_s, kind, text}, sorted by time.
  showMarks(marks) {
    this.marks = marks;
    const words = (mark) => `${mark.at_s.toFixed(2)} s  ${WORDS[mark.kind]}  ${mark.text}`;
    const few = marks.filter((mark, i) => i < FEW_MARKS || mark.kind === "failed");
    const tick = (mark) => {
      const one = el("i", { class: `tick ${mark.kind}`, title: words(mark), onclick: () => this.seekMark(mark) });
      one.style.left = `${(100 * mark.at_s) / this.length_s}%`;
      return one;
    };
    this.ticks.replaceChildren(...few.map(tick));
    this.jump.replaceChildren(el("option", { value: "" }, `Jump to (${marks.length})`), ...few.map((mark) => el("option", { value: marks.indexOf(mark) }, words(mark))));
    this.failure.hidden = !marks.some((mark) => mark.kind === "failed");
  }

  showTime(now_s) {
    this.now_s = now_s;
    if (document.activeElement !== this.range || !this.range.matches(":active")) this.range.value = now_s;
    this.range.setAttribute("aria-valuetext", `${now_s.toFixed(2)} of ${this.length_s.toFixed(2)} seconds`);
  }
}
