// The registers: name, most likely value, and the whole distribution as a strip of heat.

const FAINTEST = 1 / 510; // a probability whose colour is not that of 0

class RegistersView {
  constructor(run) {
    this.run = run;
    this.rows = run.registers.map((name, register) => this._row(name, register));
    const axis = el("div", { class: "register mono" }, el("span"), el("span"), axisEnds("", "value", run.M - 1));
    this.grid = el("div", { class: "registers", role: "list" }, this.rows.map((row) => row.node), axis);
    this.node = el("section", { class: "card registers-card" },
      el("div", { class: "card-head" }, el("h2", {}, "Registers"), el("span", { class: "marks muted" })), this.grid);
    this.draw = whileSeen(this.grid, () => this._drawStrips());
    onResize(this.grid, () => {
      this.width = this.rows.length ? this.rows[0].canvas.clientWidth : 0;
      this.draw();
    });
    onTheme(this.draw);
  }

  // Show another run of the same registers.
  take(run) {
    this.run = run;
  }

  _row(name, register) {
    const value = el("span", { class: "register-value mono" });
    const canvas = el("canvas", { class: "strip", "aria-hidden": "true" });
    const label = el("span", { class: "register-name mono", title: name }, name);
    const node = el("div", { class: "register", role: "listitem", tabindex: "0" }, label, value, canvas);
    const row = { node, value, canvas, name, register };
    explains(node, (event) => this._explanation(row, event));
    return row;
  }

  _explanation(row, event) {
    if (this.t === undefined) return null;
    const run = this.run;
    const id = run.state(this.t)[ROW.registers + row.register];
    const content = [tooltipTitle(row.name), tooltipDistribution(run.entries(id), String)];
    if (event.target === row.canvas && event.offsetX !== undefined) {
      const under = Math.min(run.M - 1, Math.max(0, Math.floor((event.offsetX / row.canvas.clientWidth) * run.M)));
      content.push(el("div", { class: "muted" }, `here: ${under} with ${precise(run.probability(id, under))}`));
    }
    return content;
  }

  show(t) {
    if (t === undefined) return;
    this.t = t;
    const run = this.run;
    const state = run.state(t);
    const changed = markedChanges(run, t);
    const command = t > 0 ? commandAt(run, t) : { operands: [] };
    const read = new Map(command.operands.map((o) => [o.register, o.place]));
    for (const row of this.rows) {
      const id = state[ROW.registers + row.register];
      const change = changed.get(ROW.registers + row.register);
      row.node.classList.toggle("changed", Boolean(change));
      row.node.classList.toggle("read", read.has(row.register));
      row.value.replaceChildren(String(run.bestValue[id]), el("small", {}, run.bestP[id] > 0.995 ? "" : short(run.bestP[id])));
      const was = change ? `, was ${run.bestValue[change.before]}` : "";
      row.node.setAttribute("aria-label", `${row.name}: ${run.bestValue[id]}, probability ${precise(run.bestP[id])}${was}`);
    }
    this.draw();
  }

  _drawStrips() {
    if (!this.width || this.t === undefined) return;
    const state = this.run.state(this.t);
    for (const { canvas, register } of this.rows) drawStrip(canvas, this.width, this.run, state[ROW.registers + register]);
  }
}

// What a picture of values or cells goes from and to.
function axisEnds(kind, what, last) {
  return el("span", { class: `axis-ends muted ${kind}`, "aria-hidden": "true" }, [0, what, last].map((word) => el("span", {}, word)));
}

function drawStrip(canvas, width, run, id) {
  const height = 18;
  const context = sharpContext(canvas, width, height);
  const slot = width / run.M;
  for (const [value, p] of run.entries(id)) {
    if (p < FAINTEST) continue;
    const heat = heatOf(p);
    context.fillStyle = heat.css;
    const size = Math.max(slot, 2.5);
    context.fillRect(value * slot + (slot - size) / 2, 0, size, height);
    if (slot >= 15 && value === run.bestValue[id]) {
      context.fillStyle = heat.ink;
      context.font = "600 11px ui-monospace, Menlo, Consolas, monospace";
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(value, (value + 0.5) * slot, height / 2 + 0.5);
    }
  }
}
