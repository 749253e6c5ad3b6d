// The tape: one tile for each cell with its most likely value, and all distributions as a heat map.

const COLUMNS = [25, 20, 10, 5];
const LARGEST_MAP = 512; // cells; a larger memory has tiles only
const FEW_IDLE = 10; // cells at the end that are worth no word

// A tape is mostly certain: its tiles stay calm, and what is less certain fades.
function certaintyShare(p) {
  return 0.48 * Math.pow(p, 1.6);
}

// How many cells from the first on a run shows anything of: the others stay 0, and nothing reads them.
function usedCells(run) {
  if (run.isSoft) return run.M;
  const first = run.state(0).subarray(run.cells);
  let used = first.findLastIndex((id) => run.bestValue[id] !== 0) + 1;
  for (const row of run.changedRows.subarray(run.changeBegin[1])) used = Math.max(used, row - run.cells + 1);
  for (let t = 1; t <= run.last; t++) {
    const command = commandAt(run, t);
    if (command.opName === "READ") used = Math.max(used, command.operands[0].value + 1);
  }
  return used;
}

class TapeView {
  constructor(run) {
    this.run = run;
    this.shade = run.isSoft ? "certainty" : "value";
    this.tiles = Array.from({ length: run.M }, (_, cell) => this._tile(cell));
    this.grid = el("div", { class: "tape", role: "grid", "aria-label": "Tape" }, this.tiles.map((tile) => tile.node));
    this.grid.addEventListener("keydown", (event) => this._keys(event));
    this.map = el("canvas", { class: "map", role: "img", "aria-label": "Heat map: cells across, values upwards" });
    explains(this.map, (event) => this._explainMap(event));
    this.details = el("details", { class: "map-box", open: run.isSoft, hidden: run.M > LARGEST_MAP },
      el("summary", {}, "Heat map of every cell's distribution"),
      el("div", { class: "map-frame" }, el("span", { class: "map-y muted" }, "value"), this.map, el("span", { class: "map-x muted" }, "cell")));
    this.details.addEventListener("toggle", () => this._drawMap());
    this.idle = el("label", { class: "check muted idle-cells", hidden: true });
    this.node = el("section", { class: "card tape-card" }, this._head(), this.grid, this.idle, this.details);
    this.map.style.maxWidth = `${60 * run.M}px`;
    onResize(this.grid, (width) => this._layout(width));
    onTheme(() => this.show(this.t));
  }

  // Show the cells from this one on only to those who ask, if they are many.
  leaveOut(from) {
    const idle = this.tiles.slice(from);
    if (idle.length <= FEW_IDLE) return;
    const box = el("input", { type: "checkbox" });
    const choose = () => idle.forEach((tile) => (tile.node.hidden = !box.checked));
    box.addEventListener("change", choose);
    this.idle.append(box, `also ${plural(idle.length, "cell")} that stay 0`);
    this.idle.hidden = false;
    choose();
  }

  _head() {
    const select = el("select", { "aria-label": "What the shade of a cell means" },
      el("option", { value: "certainty" }, "certainty"), el("option", { value: "value" }, "value"));
    select.value = this.shade;
    select.addEventListener("change", () => {
      this.shade = select.value;
      this.show(this.t);
    });
    this.legend = el("canvas", { class: "legend", "aria-hidden": "true" });
    this.legendEnds = [el("span"), el("span")];
    const legend = el("span", { class: "legend-box muted" }, this.legendEnds[0], this.legend, this.legendEnds[1]);
    return el("div", { class: "card-head" }, el("h2", {}, "Tape"), el("label", { class: "check muted" }, "shade: ", select), legend);
  }

  _tile(cell) {
    const value = el("span", { class: "tile-value mono" });
    const bar = el("span", { class: "tile-bar" });
    const address = el("span", { class: "tile-address mono" }, cell);
    const attributes = { class: "tile", role: "gridcell", tabindex: cell === 0 ? "0" : "-1" };
    const node = el("div", attributes, address, value, this.run.isSoft ? bar : null);
    node.addEventListener("mousedown", (event) => event.preventDefault());
    explains(node, () => this._explain(cell));
    return { node, value, bar, cell };
  }

  _explain(cell) {
    if (this.t === undefined) return null;
    const run = this.run;
    const id = run.state(this.t)[run.cells + cell];
    return [tooltipTitle(`tape[${cell}]`), tooltipDistribution(run.entries(id), String)];
  }

  _explainMap(event) {
    const run = this.run;
    if (event.offsetX === undefined || !this.map.clientWidth) return null;
    const cell = Math.floor((event.offsetX / this.map.clientWidth) * run.M);
    const value = run.M - 1 - Math.floor((event.offsetY / this.map.clientHeight) * run.M);
    if (cell < 0 || cell >= run.M || value < 0 || value >= run.M) return null;
    const id = run.state(this.t)[run.cells + cell];
    return [tooltipTitle(`tape[${cell}] = ${value}`), el("div", { class: "mono" }, precise(run.probability(id, value)))];
  }

  _keys(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns };
    const move = moves[event.key];
    const here = this.tiles.findIndex((tile) => tile.node === document.activeElement);
    if (!move || here < 0) return;
    const there = this.tiles[here + move];
    event.preventDefault();
    event.stopPropagation();
    if (!there || there.node.hidden) return;
    this.tiles[here].node.tabIndex = -1;
    there.node.tabIndex = 0;
    there.node.focus();
  }

  _layout(width) {
    const M = this.run.M;
    const choices = M < 25 ? [M, ...COLUMNS] : COLUMNS;
    this.columns = choices.find((columns) => width / columns >= 32 && columns <= M) || 5;
    this.grid.style.gridTemplateColumns = `repeat(${this.columns}, minmax(0, 68px))`;
    this.show(this.t);
  }

  show(t) {
    if (t === undefined) return;
    this.t = t;
    const run = this.run;
    const state = run.state(t);
    const changed = markedChanges(run, t);
    const command = t > 0 ? commandAt(run, t) : null;
    const read = command && command.opName === "READ" ? command.operands[0].value : -1;
    for (const tile of this.tiles) {
      const id = state[run.cells + tile.cell];
      const change = changed.get(run.cells + tile.cell);
      const [value, p] = [run.bestValue[id], run.bestP[id]];
      const share = this.shade === "value" ? (0.55 * value) / Math.max(1, run.M - 1) : certaintyShare(p);
      const colour = rampAt(share);
      tile.node.style.backgroundColor = rgb(colour);
      tile.node.style.color = inkOn(colour);
      tile.value.textContent = value;
      tile.bar.style.width = `${p * 100}%`;
      tile.node.classList.toggle("changed", Boolean(change));
      tile.node.classList.toggle("read", tile.cell === read);
      const was = change ? `, was ${run.bestValue[change.before]}` : "";
      tile.node.setAttribute("aria-label", `cell ${tile.cell}: ${value}, probability ${precise(p)}${was}`);
    }
    this._drawLegend();
    this._drawMap();
  }

  _drawLegend() {
    const byValue = this.shade === "value";
    this.legendEnds[0].textContent = "0";
    this.legendEnds[1].textContent = byValue ? this.run.M - 1 : "1";
    const context = sharpContext(this.legend, 72, 10);
    for (let x = 0; x < 72; x++) {
      context.fillStyle = rgb(rampAt(byValue ? (0.55 * x) / 71 : certaintyShare(x / 71)));
      context.fillRect(x, 0, 1.5, 10);
    }
  }

  _drawMap() {
    const run = this.run;
    const width = this.map.clientWidth;
    if (!this.details.open || !width || this.t === undefined) return undefined;
    const height = Math.min(width, 420, 28 * run.M);
    const context = sharpContext(this.map, width, height);
    const [w, h] = [width / run.M, height / run.M];
    const state = run.state(this.t);
    if (w < 12 || h < 9) return this._drawDenseMap(context, state, width, height);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `600 ${Math.min(11, h - 3)}px ui-monospace, Menlo, Consolas, monospace`;
    for (let cell = 0; cell < run.M; cell++) {
      const id = state[run.cells + cell];
      for (const [value, p] of run.entries(id)) {
        const heat = heatOf(p);
        context.fillStyle = heat.css;
        context.fillRect(cell * w, height - (value + 1) * h, Math.max(w, 1), Math.max(h, 1));
        if (value === run.bestValue[id] && w >= 15 && h >= 12) {
          context.fillStyle = heat.ink;
          context.fillText(value, (cell + 0.5) * w, height - (value + 0.5) * h + 0.5);
        }
      }
    }
    return undefined;
  }

  _drawDenseMap(context, state, width, height) {
    const run = this.run;
    drawHeat(context, run.M, run.M, 0, 0, width, height, (set) => {
      for (let cell = 0; cell < run.M; cell++) {
        const id = state[run.cells + cell];
        for (let i = run.begin[id]; i < run.begin[id + 1]; i++) set(cell, run.M - 1 - run.values[i], run.p[i]);
      }
    });
  }
}
