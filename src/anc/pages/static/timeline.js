// The timeline: the slider, and under it, on the same scale, the stop probability and the path
// that the run takes through the lines of the program.

const EDGE = 9; // half the slider's knob: where step 0 and the last step lie

class TimelineView {
  // Several timelines of one clock share its scale, and the slider of the first.
  constructor(run, clock, isFirst = true) {
    this.run = run;
    this.clock = clock;
    this.slider = el("input", { type: "range", min: 0, max: clock.last, step: 1, value: 0, "aria-label": "Step", hidden: !isFirst });
    this.slider.addEventListener("input", () => clock.set(Number(this.slider.value)));
    this.stop = el("canvas", { class: "stop-chart", role: "img" });
    this.path = el("canvas", { class: "path-chart", role: "img", "aria-label": "Lines executed over the steps" });
    this.cursor = el("div", { class: "cursor", "aria-hidden": "true" });
    this.stopValue = el("b", { class: "mono" });
    this.charts = el("div", { class: "charts" }, this.stop, this.path, this.cursor);
    const labels = el("div", { class: "chart-labels muted" },
      el("span", {}, "stop probability ", this.stopValue), el("span", {}, "line executed, over the steps"));
    this.node = el("div", { class: "timeline" }, this.slider, this.charts, labels);
    this._drag();
    this._explain();
    this.width = 0;
    onResize(this.charts, (width) => {
      this.width = width;
      this.draw();
    });
    onTheme(() => this.draw());
  }

  _x(t) {
    const width = this.width - 2 * EDGE;
    return EDGE + (this.clock.last ? (t / this.clock.last) * width : 0);
  }

  _stepAt(x) {
    const width = this.width - 2 * EDGE;
    return Math.min(this.clock.last, Math.max(0, Math.round(((x - EDGE) / width) * this.clock.last)));
  }

  _drag() {
    let dragging = false;
    const go = (event) => this.clock.set(this._stepAt(event.clientX - this.charts.getBoundingClientRect().left));
    this.charts.addEventListener("pointerdown", (event) => {
      dragging = event.pointerType !== "touch";
      window.addEventListener("pointerup", () => (dragging = false), { once: true });
      go(event);
    });
    this.charts.addEventListener("pointermove", (event) => dragging && event.buttons && go(event));
  }

  _explain() {
    explains(this.charts, (event) => {
      const run = this.run;
      const t = Math.min(run.last, this._stepAt(event.clientX - this.charts.getBoundingClientRect().left));
      const lines = run.entries(run.lineIds[t]);
      const stop = el("div", { class: "mono" }, `stop probability ${run.stopAt[t].toFixed(6)}`);
      return [tooltipTitle(`step ${t}`), stop, tooltipDistribution(lines, (line) => `line ${line}`, 4)];
    });
  }

  // Show another run on the scale of the clock.
  take(run) {
    this.run = run;
    this.slider.max = this.clock.last;
    this.draw();
  }

  draw() {
    this._drawStop();
    this._drawPath();
    this.show(this.clock.step);
  }

  _drawStop() {
    const [width, height] = [this.width, 34];
    if (!width) return;
    const context = sharpContext(this.stop, width, height);
    const y = (p) => 3 + (1 - p) * (height - 6);
    if (this.run.threshold !== null) {
      context.strokeStyle = themeColour("muted");
      context.setLineDash([3, 3]);
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(EDGE, y(this.run.threshold));
      context.lineTo(width - EDGE, y(this.run.threshold));
      context.stroke();
      context.setLineDash([]);
    }
    context.strokeStyle = context.fillStyle = themeColour("stop");
    context.lineWidth = 2;
    context.lineJoin = "round";
    context.beginPath();
    for (let t = 0; t <= this.run.last; t++) {
      context[t ? "lineTo" : "moveTo"](this._x(t), y(this.run.stopAt[t]));
    }
    context.stroke();
    context.globalAlpha = 0.14;
    context.lineTo(this._x(this.run.last), height - 3);
    context.lineTo(EDGE, height - 3);
    context.fill();
    context.globalAlpha = 1;
  }

  _drawPath() {
    const run = this.run;
    const lines = this._lineCount();
    const { width } = this;
    const height = Math.min(Math.max(lines * 7, 42), 130);
    if (!width) return undefined;
    const context = sharpContext(this.path, width, height);
    const h = height / lines;
    const w = Math.max((width - 2 * EDGE) / Math.max(this.clock.last, 1), 1.2);
    if (w < 4) return this._drawDense(context, lines, height, w);
    const slot = Math.min(w, 2 * EDGE);
    if (w > 2 * EDGE) this._connect(context, h);
    for (let t = 1; t <= run.last; t++) {
      for (const [line, p] of run.entries(run.lineIds[t])) {
        if (p < 0.004 || line >= lines) continue;
        context.fillStyle = heatOf(p).css;
        context.fillRect(this._x(t) - slot / 2, line * h, slot > 4 ? slot - 1 : slot, Math.max(h - (h > 4 ? 1 : 0), 1));
      }
    }
    return undefined;
  }

  // Many steps: one small column each.
  _drawDense(context, lines, height, w) {
    const run = this.run;
    const width = this._x(run.last) - this._x(1) + w;
    const heat = new Heat(run.last, lines);
    for (let t = 1; t <= run.last; t++) {
      const id = run.lineIds[t];
      for (let i = run.begin[id]; i < run.begin[id + 1]; i++) {
        if (run.values[i] < lines) heat.set(t - 1, run.values[i], run.p[i]);
      }
    }
    heat.draw(context, this._x(1) - w / 2, 0, width, height);
  }

  // Where steps stand far apart, a thin line leads from one to the next.
  _connect(context, h) {
    const run = this.run;
    context.strokeStyle = themeColour("border");
    context.lineWidth = 1.5;
    context.beginPath();
    for (let t = 1; t <= run.last; t++) {
      context[t > 1 ? "lineTo" : "moveTo"](this._x(t), (run.bestValue[run.lineIds[t]] + 0.5) * h);
    }
    context.stroke();
  }

  _lineCount() {
    const run = this.run;
    let most = run.lines.filter((line) => !line.is_spare && !line.choices.length).length;
    for (const id of new Set(run.lineIds)) {
      for (const [line, p] of run.entries(id)) if (p >= VISITED) most = Math.max(most, line + 1);
    }
    return Math.max(1, most);
  }

  show(now) {
    const run = this.run;
    const t = Math.min(now, run.last);
    this.slider.value = now;
    this.slider.setAttribute("aria-valuetext", `step ${now} of ${this.clock.last}`);
    this.cursor.style.transform = `translateX(${this._x(now)}px)`;
    this.stopValue.textContent = run.stopAt[t] > 0 && run.stopAt[t] < 1 ? run.stopAt[t].toFixed(4) : run.stopAt[t];
    this.stop.setAttribute("aria-label", `Stop probability over the steps, now ${run.stopAt[t].toFixed(4)}`);
  }
}
