// Signals over the last seconds of simulated time.

const SPAN_S = 10;
const POINTS_MAX = 1200;
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]; // Okabe and Ito

export class Plots {
  constructor() {
    this.points = new Map(); // number of the signal: [time_s, value] pairs
  }

  toggle(number) {
    if (!this.points.delete(number)) this.points.set(number, []);
  }

  has(number) {
    return this.points.has(number);
  }

  take(time_s, values) {
    for (const [number, points] of this.points) {
      if (points.length > 0 && points.at(-1)[0] > time_s) points.length = 0;
      if (points.length > 0 && points.at(-1)[0] === time_s) continue;
      points.push([time_s, values(number)]);
      while (points.length > POINTS_MAX || points[0][0] < time_s - SPAN_S) points.shift();
    }
  }

  // Draws the signal on a canvas of the panel.
  draw(canvas, number, time_s) {
    const scale = devicePixelRatio;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== width * scale || canvas.height !== height * scale) {
      canvas.width = width * scale;
      canvas.height = height * scale;
    }
    const context = canvas.getContext("2d");
    const points = this.points.get(number) ?? [];
    const values = points.map(([, value]) => value).filter(Number.isFinite);
    const low = Math.min(...values), high = Math.max(...values);
    const span = Math.max(high - low, 1e-3); // less is rounding, not motion
    const style = getComputedStyle(canvas);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.beginPath();
    for (const [at, value] of points) {
      if (!Number.isFinite(value)) continue;
      const part = (value - (low + high) / 2) / span + 0.5;
      context.lineTo(width * (1 - (time_s - at) / SPAN_S), 8 + (height - 16) * (1 - part));
    }
    context.strokeStyle = COLORS[[...this.points.keys()].indexOf(number) % COLORS.length];
    context.lineWidth = 1.5;
    context.stroke();
    context.fillStyle = style.color;
    context.textAlign = "left";
    context.font = `10px ${style.fontFamily}`;
    if (values.length === 0) return;
    context.fillText(high.toPrecision(4), 4, 11);
    if (high - low > 1e-3) context.fillText(low.toPrecision(4), 4, height - 3);
    context.textAlign = "right";
    context.fillText(`${SPAN_S} s`, width - 4, height - 3);
  }
}
