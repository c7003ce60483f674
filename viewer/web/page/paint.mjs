// Paints the module's draw lists on canvases, as viewer/paint does on cairo surfaces.

const [POLYGON, LINE, DISC, ARC, TEXT, IMAGE, CLIP, UNCLIP, GROUP, UNGROUP, DOTS] = Array(11).keys(); // enum draw_kind
const BOLD = 1, MONO = 2, HALO = 4, SOFT = 8, BUTT = 16, EVEN = 32; // enum draw_flags
const SANS = '"DejaVu Sans", "Noto Sans", Verdana, sans-serif';
const MONOSPACE = '"DejaVu Sans Mono", "Noto Sans Mono", Menlo, Consolas, monospace';
const ALIGNS = ["left", "center", "right"];
const GROUPS_MAX = 128;
const FINER = 2; // pixels of a group's picture per pixel of the canvas

const color = (rgba) =>
  `rgba(${rgba >>> 24},${(rgba >>> 16) & 255},${(rgba >>> 8) & 255},${(rgba & 255) / 255})`;
const seen = (rgba) => (rgba & 255) !== 0;

// Reads the lists from the module's memory.
function reader(module) {
  const layout = Object.entries(module.layout());
  const members = (type) => Object.fromEntries(layout.filter(([name]) => name.startsWith(type)).map(([name, at]) => [name.slice(type.length), at]));
  const [inList, inItem, inChange] = ["draw_list.", "draw_item.", "draw_change."].map(members);
  return (which) => {
    const view = new DataView(module.memory.buffer);
    const list = module.list(which);
    const word = (at) => view.getUint32(at, true);
    const items = word(list + inList.items);
    const points = word(list + inList.points);
    const bytes = word(list + inList.bytes);
    const count = word(list + inList.item_count);
    const each = (item, visit) => {
      let at = points + 16 * item.whole("first");
      for (let left = item.whole("count"); left > 0; left--, at += 16)
        visit(view.getFloat64(at, true), view.getFloat64(at + 8, true));
    };
    return {
      count,
      calm: [0, 4].map((part) => word(list + inList.calm_ends + part)), // enum draw_calm
      // The boxes of a changed calm part, as [left, top, right, bottom]; null: anywhere.
      changes: (part) => {
        const at = module.change(part);
        if (view.getUint8(at + inChange.is_all)) return null;
        return Array.from({ length: word(at + inChange.count) }, (_, i) =>
          Array.from({ length: 4 }, (_, k) => view.getFloat64(at + inChange.boxes + 8 * (4 * i + k), true)));
      },
      kind: (i) => word(items + i * inItem.bytes),
      item: (i) => {
        const at = items + i * inItem.bytes;
        const number = (name) => view.getFloat64(at + inItem[name], true);
        const whole = (name) => word(at + inItem[name]);
        return { number, whole, flags: whole("flags"), fill: whole("fill"), stroke: whole("stroke") };
      },
      each,
      // Traces the points of an item as a path.
      trace: (context, item) => each(item, (x, y) => context.lineTo(x, y)),
      bytes: (item) =>
        new Uint8Array(module.memory.buffer, bytes + item.whole("first"), item.whole("count")),
      keyOf: (i) => {
        const at = items + i * inItem.bytes + inItem.key;
        return `${word(at)}:${word(at + 4)}`;
      },
    };
  };
}

function stroke(context, item, path) {
  const width = item.number("width_px");
  if (!seen(item.stroke) || width <= 0) return;
  const dash = item.number("dash_px");
  context.strokeStyle = color(item.stroke);
  context.lineWidth = width;
  context.lineJoin = "round";
  context.lineCap = item.flags & BUTT || dash > 0 ? "butt" : "round";
  context.setLineDash(dash > 0 ? [dash, dash * 0.8] : []);
  path ? context.stroke(path) : context.stroke();
}

// Slanted lines inside the path, whose points are within BOX.
function hatch(context, item, path, box) {
  const step = item.number("hatch_px");
  const high = box.bottom - box.top;
  context.save();
  context.clip(path);
  context.beginPath();
  for (let x = Math.floor((box.left - high) / step) * step; x < box.right; x += step) {
    context.moveTo(x, box.bottom);
    context.lineTo(x + high, box.top);
  }
  context.strokeStyle = color((item.stroke & 0xffffff00) | Math.floor(((item.stroke & 255) * 3) / 10));
  context.lineWidth = 1.25;
  context.setLineDash([]);
  context.stroke();
  context.restore();
}

// A shadow inside the edge: strokes of growing width on top of each other.
function innerShadow(context, item, path) {
  const strokes = 12;
  context.save();
  context.clip(path);
  context.strokeStyle = "rgba(0,0,0,0.085)";
  context.lineJoin = "round";
  context.setLineDash([]);
  for (let i = 1; i <= strokes; i++) {
    context.lineWidth = (2 * item.number("soft_px") * i) / strokes;
    context.stroke(path);
  }
  context.restore();
}

// A path that records its extent.
class Path extends Path2D {
  box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  lineTo(x, y) {
    const box = this.box;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
    super.lineTo(x, y);
  }
}

function paintPolygon(context, list, item) {
  const path = new Path();
  list.trace(path, item);
  path.closePath();
  if (seen(item.fill)) {
    context.fillStyle = color(item.fill);
    context.fill(path, item.flags & EVEN ? "evenodd" : "nonzero");
  }
  if (item.number("hatch_px") > 0) hatch(context, item, path, path.box);
  if (item.flags & SOFT) innerShadow(context, item, path);
  stroke(context, item, path);
}

function paintDisc(context, item) {
  const x = item.number("x_px"), y = item.number("y_px"), radius = item.number("radius_px");
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  if (item.flags & SOFT) {
    const glow = context.createRadialGradient(x, y, 0, x, y, radius);
    const faded = (part) => color((item.fill & 0xffffff00) | Math.round((item.fill & 255) * part));
    glow.addColorStop(0, faded(1));
    glow.addColorStop(0.35, faded(0.45));
    glow.addColorStop(1, faded(0));
    context.fillStyle = glow;
    context.fill();
    return;
  }
  if (seen(item.fill)) {
    context.fillStyle = color(item.fill);
    context.fill();
  }
  stroke(context, item);
}

// Many equal discs.
function paintDots(context, list, item) {
  const radius = item.number("radius_px");
  context.beginPath();
  list.each(item, (x, y) => {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  });
  context.fillStyle = color(item.fill);
  context.fill();
}

function paintArc(context, item) {
  context.beginPath();
  // On the canvas y points down, which reverses angles.
  context.arc(item.number("x_px"), item.number("y_px"), item.number("radius_px"),
    -item.number("from_rad"), -item.number("to_rad"), true);
  stroke(context, item);
}

function paintText(context, list, item) {
  const text = new TextDecoder().decode(list.bytes(item));
  const size = item.number("size_px");
  const x = item.number("x_px"), y = item.number("y_px");
  context.font = `${item.flags & BOLD ? "bold " : ""}${size}px ${item.flags & MONO ? MONOSPACE : SANS}`;
  context.textAlign = ALIGNS[item.whole("align")];
  context.textBaseline = "alphabetic";
  if (item.flags & HALO) {
    context.strokeStyle = color(item.stroke);
    context.lineWidth = size * 0.28;
    context.lineJoin = "round";
    context.setLineDash([]);
    context.strokeText(text, x, y);
  }
  context.fillStyle = color(item.fill);
  context.fillText(text, x, y);
}

function paintImage(context, list, item) {
  const columns = item.whole("columns"), rows = item.whole("rows");
  const bytes = list.bytes(item);
  const isColor = bytes.length > columns * rows;
  const image = new ImageData(columns, rows);
  for (let i = 0; i < columns * rows; i++)
    for (let c = 0; c < 3; c++) {
      const dark = (item.stroke >>> (24 - 8 * c)) & 255;
      const bright = (item.fill >>> (24 - 8 * c)) & 255;
      image.data[4 * i + c] = isColor
        ? bytes[3 * i + c]
        : Math.floor((dark * (255 - bytes[i]) + bright * bytes[i]) / 255);
      image.data[4 * i + 3] = 255;
    }
  const canvas = new OffscreenCanvas(columns, rows);
  canvas.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = item.number("width_px") <= columns;
  context.drawImage(canvas, item.number("x_px"), item.number("y_px"), item.number("width_px"),
    item.number("size_px"));
  context.imageSmoothingEnabled = true;
}

// Paints one of the module's lists on a canvas.
export function paintList(module, which, canvas) {
  const painter = (painters[which] ??= new Painter(module));
  painter.list(canvas.getContext("2d"), painter.read(which), devicePixelRatio);
}
const painters = {};

export class Painter {
  constructor(module) {
    this.read = reader(module);
    this.module = module;
    this.groups = new Map(); // key: picture; the least recently used comes first
    this.layers = []; // of clips with a key, by the upper half of the key
    this.fixed = null; // the static layer, painted
    this.paths = null; // the paths of robots
    this.calm = null; // the static layer, light and paths
  }

  // Paints the present state of the module, with SCALE device pixels per pixel of the lists.
  paint(canvas, scale) {
    const context = canvas.getContext("2d");
    const drawn = this.module.draw();
    if (!drawn) return;
    if (!this.fixed || drawn & 2 || this.fixed.width !== canvas.width || this.fixed.height !== canvas.height) {
      for (const name of ["fixed", "paths", "calm"]) this[name] = new OffscreenCanvas(canvas.width, canvas.height);
      this.layers = [];
      this.list(this.fixed.getContext("2d"), this.read(0), scale);
    }
    const moving = this.read(1);
    for (const part of [1, 0]) { // paths first: the light is below them
      const boxes = moving.changes(part) ?? [[0, 0, canvas.width, canvas.height]];
      if (boxes.length === 0) continue;
      if (part > 0) this.part(this.paths, [], moving, part, boxes, scale);
      this.part(this.calm, [this.fixed, this.paths], moving, 0, boxes, scale);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.calm, 0, 0);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.items(context, moving, moving.calm[1], moving.count, scale);
    this.list(context, this.read(2), scale);
  }

  // Paints a slowly changing part in boxes of a layer, between the layers below and above it.
  part(layer, [below, above], moving, part, boxes, scale) {
    const context = layer.getContext("2d");
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    for (const box of boxes) {
      const [left, top, right, bottom] = box.map((at, i) => (i < 2 ? Math.floor(at * scale) : Math.ceil(at * scale)));
      context.rect(left, top, right - left, bottom - top);
    }
    context.clip();
    below ? context.drawImage(below, 0, 0) : context.clearRect(0, 0, layer.width, layer.height);
    context.scale(scale, scale);
    this.isKept = below !== undefined;
    this.items(context, moving, part > 0 ? moving.calm[part - 1] : 0, moving.calm[part], scale);
    this.isKept = false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (above) context.drawImage(above, 0, 0);
    context.restore();
  }

  list(context, list, scale) {
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.items(context, list, 0, list.count, scale);
  }

  items(context, list, from, to, scale) {
    for (let i = from; i < to; i++) {
      const kind = list.kind(i);
      if (kind === UNCLIP) context.restore();
      if (kind === UNCLIP || kind === UNGROUP) continue;
      const item = list.item(i);
      if (kind === GROUP) i = this.group(context, list, i, item, scale);
      else if (kind === CLIP && this.isKept && list.keyOf(i) !== "0:0") i = this.layer(context, list, i, item, scale);
      else if (kind === POLYGON) paintPolygon(context, list, item);
      else if (kind === DISC) paintDisc(context, item);
      else if (kind === ARC) paintArc(context, item);
      else if (kind === DOTS) paintDots(context, list, item);
      else if (kind === TEXT) paintText(context, list, item);
      else if (kind === IMAGE) paintImage(context, list, item);
      else {
        if (kind === CLIP) context.save();
        context.beginPath();
        list.trace(context, item);
        if (kind === CLIP) context.clip();
        if (kind === LINE) stroke(context, item);
      }
    }
  }

  // The items of a clip with a key are painted once, and then copied into the clip. Returns its
  // end.
  layer(context, list, first, item, scale) {
    let end = first;
    while (end < list.count && list.kind(end) !== UNCLIP) end++;
    const key = list.keyOf(first), number = key.split(":")[1];
    if (this.layers[number]?.key !== key) this.layers[number] = { key, pattern: this.paintLayer(list, first, end, scale) };
    context.beginPath();
    list.trace(context, item);
    context.fillStyle = this.layers[number].pattern;
    context.fill();
    return end;
  }

  paintLayer(list, first, end, scale) {
    const picture = new OffscreenCanvas(this.fixed.width, this.fixed.height);
    const context = picture.getContext("2d");
    context.scale(scale, scale);
    this.items(context, list, first + 1, end, scale);
    const pattern = context.createPattern(picture, "no-repeat");
    pattern.setTransform(new DOMMatrix([1 / scale, 0, 0, 1 / scale, 0, 0]));
    return pattern;
  }

  // A group is painted once for its key, and then copied. Returns its last item.
  group(context, list, first, item, scale) {
    let end = first;
    while (end < list.count && list.kind(end) !== UNGROUP) end++;
    const fine = scale * FINER;
    const radius = item.number("radius_px");
    const key = `${list.keyOf(first)} ${fine} ${radius}`;
    const picture = this.groups.get(key) ?? this.paintGroup(list, first, end, item, fine, radius);
    this.groups.delete(key);
    this.groups.set(key, picture);
    if (this.groups.size > GROUPS_MAX) this.groups.delete(this.groups.keys().next().value);
    context.save();
    context.translate(item.number("x_px"), item.number("y_px"));
    context.rotate(-item.number("from_rad"));
    context.scale(1 / fine, 1 / fine);
    context.drawImage(picture, -picture.width / 2, -picture.height / 2);
    context.restore();
    return end;
  }

  paintGroup(list, first, end, item, fine, radius) {
    const half = Math.ceil(radius * fine) + 1;
    const picture = new OffscreenCanvas(2 * half, 2 * half);
    const context = picture.getContext("2d");
    context.translate(half, half);
    context.scale(fine, fine);
    context.rotate(item.number("from_rad"));
    context.translate(-item.number("x_px"), -item.number("y_px"));
    this.items(context, list, first + 1, end, fine);
    return picture;
  }
}
