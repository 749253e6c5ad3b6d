// The population over the iterations: median, bands, and single members under the pointer.

class PopulationView {
  constructor(data) {
    this.data = data;
    this.member = null;
    this.logLosses = true;
    this.charts = data.curves.filter((curve) => this._matters(curve)).map((curve) => this._curve(curve));
    const box = el("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      this.logLosses = box.checked;
      for (const chart of this.charts) chart.render();
    });
    this.who = el("span", { class: "muted", role: "status" }, "point at a curve to see a single member");
    this.node = el("section", { class: "card" },
      el("div", { class: "card-head" }, el("h2", {}, "The population over the iterations"), this.who,
        el("label", { class: "check muted" }, box, "logarithmic losses")),
      legendRow([["line-median", "median"], ["band-inner", "half of the members"], ["band-outer", "80 %"], ["line-member", "one member"]]),
      el("div", { class: "chart-grid" }, this.charts.map((chart) => chart.node)));
    onTheme(() => this.charts.forEach((chart) => chart.render()));
  }

  // A loss term that counts nothing in this run is still shown if it is part of the story: not zero.
  _matters(curve) {
    return curve.quantiles.some((row) => row.some((value) => value !== null && value !== 0));
  }

  _range(curve) {
    const values = [...curve.quantiles[0], ...curve.quantiles[4]].filter((v) => v !== null);
    if (this.member !== null && curve.members[this.member]) values.push(...curve.members[this.member].filter((v) => v !== null));
    if (curve.key === "steps") values.push(this.data.generic_steps);
    const xs = this.data.iterations;
    const x = [0, xs[xs.length - 1]];
    const log = curve.is_loss && this.logLosses;
    if (curve.key === "right") return { x, y: [0, 1] };
    if (log) {
      const positive = values.filter((v) => v > 0);
      const high = Math.max(...positive);
      const low = Math.max(Math.min(...positive), high * 1e-5);
      return { x, y: [low * 0.8, high * 1.25], log };
    }
    return { x, y: [0, Math.max(...values) * 1.05] };
  }

  _curve(curve) {
    const xs = this.data.iterations;
    const chart = new Chart({
      title: curve.name,
      xName: "iteration",
      yName: curve.is_loss ? "loss" : curve.key === "right" ? "share" : "steps",
      label: `${curve.name}: median ${tickText(curve.quantiles[2][xs.length - 1] || 0)} at the end`,
      range: () => this._range(curve),
      draw: (frame) => this._draw(frame, curve),
    });
    chart.picture.addEventListener("pointermove", (event) => this._hover(chart, curve, event.clientX, event.clientY));
    chart.picture.addEventListener("pointerleave", () => hideTooltip());
    chart.picture.addEventListener("pointerdown", (event) => this._hover(chart, curve, event.clientX, event.clientY));
    this._keys(chart, curve);
    return chart;
  }

  _draw(frame, curve) {
    const xs = this.data.iterations;
    const [p10, p25, p50, p75, p90] = curve.quantiles;
    frame.plot.append(
      svg("path", { class: "band-outer", d: bandOf(frame, xs, p10, p90) }),
      svg("path", { class: "band-inner", d: bandOf(frame, xs, p25, p75) }),
      svg("path", { class: "line-median", d: pathOf(frame, xs, p50) }));
    if (curve.key === "steps") {
      const y = frame.y(this.data.generic_steps);
      frame.plot.append(svg("line", { class: "reference", x1: frame.left, x2: frame.right, y1: y, y2: y }),
        svg("text", { class: "reference-name", x: frame.right, y: y - 4, "text-anchor": "end" }, "generic program"));
    }
    const own = this.member !== null && curve.members[this.member];
    if (own) frame.plot.append(svg("path", { class: "line-member", d: pathOf(frame, xs, own) }));
    frame.cursor = svg("line", { class: "chart-cursor", y1: frame.top, y2: frame.bottom, x1: -9, x2: -9 });
    frame.plot.append(frame.cursor);
  }

  _nearest(curve, k, y, frame) {
    let [found, distance] = [null, Infinity];
    for (const [member, values] of Object.entries(curve.members)) {
      if (values[k] === null) continue;
      const d = Math.abs(frame.y(values[k]) - y);
      if (d < distance) [found, distance] = [member, d];
    }
    return found;
  }

  _hover(chart, curve, clientX, clientY) {
    const box = chart.picture.getBoundingClientRect();
    const frame = chart.frame;
    const at = frame.x.invert(clientX - box.left);
    const xs = this.data.iterations;
    const k = xs.reduce((best, x, i) => (Math.abs(x - at) < Math.abs(xs[best] - at) ? i : best), 0);
    this.show(this._nearest(curve, k, clientY - box.top, frame));
    this._tip(chart, curve, k, clientX, clientY);
  }

  _tip(chart, curve, k, x, y) {
    const place = chart.frame.x(this.data.iterations[k]);
    setAttributes(chart.frame.cursor, { x1: place, x2: place });
    const rows = [["median", curve.quantiles[2][k]], ["half between", `${tickText(curve.quantiles[1][k] ?? 0)} and ${tickText(curve.quantiles[3][k] ?? 0)}`]];
    if (this.member !== null && curve.members[this.member]) {
      rows.push([`member ${this.member} (seed ${this.data.seeds[this.member]})`, curve.members[this.member][k]]);
    }
    const table = rows.map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", {}, value === null ? "not finite" : String(value))));
    showTooltip(chart.picture, [tooltipTitle(`${curve.name}, iteration ${this.data.iterations[k]}`), el("table", {}, el("tbody", {}, table))], x, y);
  }

  // The keyboard walks over the iterations with left and right, over the members with up and down.
  _keys(chart, curve) {
    let k = this.data.iterations.length - 1;
    chart.picture.addEventListener("keydown", (event) => {
      const order = this.data.order.map(String);
      const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const across = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!along && !across) return;
      event.preventDefault();
      if (along) k = Math.min(this.data.iterations.length - 1, Math.max(0, k + along));
      else this.show(order[Math.min(order.length - 1, Math.max(0, order.indexOf(String(this.member)) + across))]);
      const box = chart.picture.getBoundingClientRect();
      this._tip(chart, curve, k, box.left + chart.frame.x(this.data.iterations[k]), box.top + 30);
    });
    chart.picture.addEventListener("blur", hideTooltip);
  }

  show(member) {
    if (member === null || member === this.member) return;
    this.member = member;
    const end = this.data.members[member];
    this.who.textContent = `member ${member}: ${tickText(100 * end.right)} % of the cases right, ${tickText(end.steps)} steps at the end`;
    for (const chart of this.charts) chart.render();
  }
}

// How many members had succeeded when, and how each ended.
function successView(data, population) {
  const xs = data.iterations;
  const most = data.members.length;
  const chart = new Chart({
    title: "members that succeeded",
    note: "right on every held-out case and faster than the generic program",
    xName: "iteration",
    yName: "members",
    whole: true,
    height: 230,
    range: () => ({ x: [0, xs[xs.length - 1]], y: [0, Math.max(1, most)] }),
    draw: (frame) => {
      const zero = xs.map(() => 0);
      frame.plot.append(svg("path", { class: "band-good", d: bandOf(frame, xs, zero, data.faster) }),
        svg("path", { class: "line-now", d: pathOf(frame, xs, data.right_now) }),
        svg("path", { class: "line-good", d: pathOf(frame, xs, data.faster) }));
    },
  });
  explains(chart.picture, (event) => {
    if (event.clientX === undefined) return null;
    const at = chart.frame.x.invert(event.clientX - chart.picture.getBoundingClientRect().left);
    const k = xs.reduce((best, x, i) => (Math.abs(x - at) < Math.abs(xs[best] - at) ? i : best), 0);
    return [tooltipTitle(`iteration ${xs[k]}`), el("div", {}, `${data.faster[k]} of ${most} succeeded so far`), el("div", {}, `${data.right_now[k]} right at this moment`)];
  });
  const ends = endsChart(data, population);
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "Who succeeded, and when")),
    el("div", { class: "chart-grid wide" },
      el("div", {}, chart.node, legendRow([["line-good", "succeeded so far (best checkpoint)"], ["line-now", "right at this moment"]])),
      el("div", {}, ends.node, legendRow([["dot-fast", "right and faster"], ["dot-right", "right"], ["dot-wrong", "wrong somewhere"]]))));
}

function endsChart(data, population) {
  const kind = (m) => (m.right < 1 ? "wrong" : m.steps < data.generic_steps ? "fast" : "right");
  const high = Math.max(...data.members.map((m) => m.steps), data.generic_steps) * 1.08;
  const chart = new Chart({
    title: "how each member ended",
    note: "a mark for each member",
    xName: "mean steps on the test cases",
    yName: "members",
    whole: true,
    height: 230,
    range: () => ({ x: [0, high], y: [0, Math.max(1, tallest)] }),
    draw: (frame) => {
      const x = frame.x(data.generic_steps);
      frame.plot.append(svg("line", { class: "reference", x1: x, x2: x, y1: frame.top, y2: frame.bottom }),
        svg("text", { class: "reference-name", x: x - 4, y: frame.top + 9, "text-anchor": "end" }, "generic"));
      const size = Math.min(5, Math.max(1.5, (frame.bottom - frame.top) / tallest / 2.2));
      for (const { member, steps, level, kind: k } of marks) {
        const mark = endMark(k, frame.x(steps), frame.y(level + 0.5), size);
        explains(mark, () => {
          population.show(String(member));
          const m = data.members[member];
          return [tooltipTitle(`member ${member} (seed ${m.seed})`), el("div", {}, `${tickText(100 * m.right)} % of the test cases right`), el("div", {}, `${tickText(m.steps)} steps`)];
        });
        frame.plot.append(mark);
      }
    },
  });
  const slot = high / 60;
  const levels = new Map();
  const marks = data.order.map((member) => {
    const m = data.members[member];
    const place = Math.round(m.steps / slot);
    const level = levels.get(place) || 0;
    levels.set(place, level + 1);
    return { member, steps: place * slot, level, kind: kind(m) };
  });
  const tallest = Math.max(...levels.values());
  return chart;
}

function endMark(kind, x, y, size) {
  if (kind === "fast") return svg("circle", { class: "dot-fast", cx: x, cy: y, r: size });
  if (kind === "right") return svg("rect", { class: "dot-right", x: x - size, y: y - size, width: 2 * size, height: 2 * size });
  return svg("path", { class: "dot-wrong", d: `M${x - size} ${y - size}L${x + size} ${y + size}M${x - size} ${y + size}L${x + size} ${y - size}` });
}
