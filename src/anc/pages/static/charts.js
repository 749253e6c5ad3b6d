// Charts in SVG: scales, axes with names, lines and bands, bars; all redrawn when their box changes.

const MARGIN = { left: 52, right: 20, top: 8, bottom: 34 };

function niceTicks(low, high, wanted) {
  const span = high - low || 1;
  const raw = span / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const ticks = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) ticks.push(v);
  return ticks;
}

function logTicks(low, high) {
  const inside = (v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9);
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) ticks.push(10 ** e);
  const tens = ticks.filter(inside);
  if (tens.length < 2) {
    const more = ticks.flatMap((t) => [t, 2 * t, 5 * t]).filter(inside);
    return more.length < 2 ? niceTicks(low, high, 3) : more;
  }
  const every = Math.ceil(tens.length / 5);
  return tens.filter((_, i) => i % every === 0);
}

function tickText(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(0).replace("e+", "e");
  return String(Number(value.toPrecision(3)));
}

// A scale from numbers to pixels; a logarithmic one shows nothing below its floor.
function scale(low, high, from, to, log) {
  const f = log ? (v) => Math.log10(Math.max(v, low)) : (v) => v;
  const [a, b] = [f(low), f(high)];
  const map = (v) => from + ((f(v) - a) / (b - a || 1)) * (to - from);
  map.ticks = (wanted) => (log ? logTicks(low, high) : niceTicks(low, high, wanted));
  map.invert = (pixel) => low + ((pixel - from) / (to - from || 1)) * (high - low);
  return map;
}

// A chart box: `draw(frame)` paints into frame.plot with frame.x and frame.y.
class Chart {
  constructor({ title, xName, yName, height = 190, label, range, draw, xTicks, note, whole }) {
    Object.assign(this, { title, xName, yName, height, range, draw, xTicks, whole });
    this.picture = svg("svg", { class: "chart", role: "img", "aria-label": label || title, tabindex: "0" });
    this.node = el("figure", { class: "chart-box" }, el("figcaption", {}, title, note ? el("span", { class: "muted" }, ` ${note}`) : null), this.picture);
    onResize(this.node, () => this.render());
  }

  render() {
    const width = this.node.clientWidth;
    if (!width) return;
    const { x: xs, y: ys, log } = this.range();
    const frame = {
      width,
      height: this.height,
      left: MARGIN.left,
      right: width - MARGIN.right,
      top: MARGIN.top,
      bottom: this.height - MARGIN.bottom,
    };
    frame.x = scale(xs[0], xs[1], frame.left, frame.right);
    frame.y = scale(ys[0], ys[1], frame.bottom, frame.top, log);
    frame.plot = svg("g");
    this.frame = frame;
    setAttributes(this.picture, { viewBox: `0 0 ${width} ${this.height}`, width, height: this.height });
    this.picture.replaceChildren(...this._axes(frame), frame.plot);
    this.draw(frame);
  }

  _axes(frame) {
    const parts = [];
    const yTicks = frame.y.ticks(4).filter((tick) => !this.whole || Number.isInteger(tick));
    for (const tick of yTicks) {
      const y = frame.y(tick);
      parts.push(svg("line", { class: "grid", x1: frame.left, x2: frame.right, y1: y, y2: y }));
      parts.push(svg("text", { class: "tick", x: frame.left - 6, y: y + 4, "text-anchor": "end" }, tickText(tick)));
    }
    const ticks = this.xTicks ? this.xTicks(frame) : frame.x.ticks(Math.max(2, Math.round(frame.width / 110))).map((t) => [t, tickText(t)]);
    for (const [value, text] of ticks) {
      parts.push(svg("text", { class: "tick", x: frame.x(value), y: frame.bottom + 15, "text-anchor": "middle" }, text));
    }
    parts.push(svg("line", { class: "axis-line", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }));
    const middle = (frame.left + frame.right) / 2;
    parts.push(svg("text", { class: "axis-name", x: middle, y: this.height - 3, "text-anchor": "middle" }, this.xName));
    const y = (frame.top + frame.bottom) / 2;
    parts.push(svg("text", { class: "axis-name", x: 0, y: 0, "text-anchor": "middle", transform: `translate(10 ${y}) rotate(-90)` }, this.yName));
    return parts;
  }
}

function pathOf(frame, xs, ys) {
  let path = "";
  let pen = "M";
  ys.forEach((value, i) => {
    if (value === null) {
      pen = "M";
      return;
    }
    path += `${pen}${frame.x(xs[i]).toFixed(1)} ${frame.y(value).toFixed(1)}`;
    pen = "L";
  });
  return path;
}

function bandOf(frame, xs, low, high) {
  const points = (values, order) => order.filter((i) => values[i] !== null).map((i) => `${frame.x(xs[i]).toFixed(1)} ${frame.y(values[i]).toFixed(1)}`);
  const forward = xs.map((_, i) => i);
  const all = [...points(low, forward), ...points(high, [...forward].reverse())];
  return all.length ? `M${all.join("L")}Z` : "";
}

function legendRow(items) {
  return el("div", { class: "legend-row" }, items.map(([kind, words]) => el("span", {}, el("i", { class: `key ${kind}` }), words)));
}
