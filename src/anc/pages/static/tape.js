// The tape: one tile for each cell with its most likely value, and all distributions as a heat map. A step draws
// again only the tiles that it changed.

const COLUMNS = [25, 20, 16, 10, 8, 5];
const DIGIT = 8.4; // pixels; what else a tile needs beside its digits follows
const AROUND_DIGITS = 12;
const SURE = 0.99; // a cell of a soft run that is 0 with less than this is worth a look
const FEW_IDLE = 10; // cells at the end that are worth no word

// A tape is mostly certain: its tiles stay calm, and what is less certain fades.
function certaintyShare(p) {
  return 0.48 * Math.pow(p, 1.6);
}

// How many cells from the first on a run shows anything of: the others stay 0, and nothing reads them.
function usedCells(run) {
  const shows = (id) => run.bestValue[id] !== 0 || run.bestP[id] < SURE;
  let used = 0;
  run.changedRows.forEach((row, i) => {
    if (row >= run.cells + used && shows(run.changedIds[i])) used = row - run.cells + 1;
  });
  for (let t = 1; t <= run.last && !run.isSoft; t++) {
    const command = commandAt(run, t);
    if (command.opName === "READ") used = Math.max(used, command.operands[0].value + 1);
  }
  return used;
}

class TapeView {
  constructor(run) {
    this.run = run;
    this.shade = run.isSoft ? "certainty" : "value";
    this.tiles = [];
    this.grid = el("div", { class: "tape", role: "grid", "aria-label": "Tape" });
    this.grid.addEventListener("keydown", (event) => this._keys(event));
    this.map = new TapeMap(run);
    this.idle = el("label", { class: "check muted idle-cells", hidden: true });
    this.node = el("section", { class: "card tape-card" }, this._head(), this.grid, this.idle, this.map.node);
    onResize(this.grid, (width) => this._layout(width));
    onTheme(() => this._drawAll());
  }

  // Show another run of the same size.
  take(run) {
    this.run = this.map.run = run;
    this.map.painted = null;
    for (const tile of this.tiles) tile.id = undefined;
  }

  // Make the tiles of the first cells; those of the rest only for people who ask, if they are many.
  showCells(count) {
    const rest = this.run.M - count;
    this._addTiles(rest > FEW_IDLE ? count : this.run.M);
    this.map.showCells(this.tiles.length);
    if (rest <= FEW_IDLE) return;
    const box = el("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      if (this.tiles.length === count) this._addTiles(this.run.M);
      for (const tile of this.tiles.slice(count)) tile.node.hidden = !box.checked;
      this.map.showCells(box.checked ? this.run.M : count);
      this.show(this.t);
    });
    this.idle.append(box, `also ${plural(rest, "cell")} that stay 0`);
    this.idle.hidden = false;
  }

  _addTiles(end) {
    const more = Array.from({ length: end - this.tiles.length }, (_, i) => this._tile(this.tiles.length + i));
    this.tiles.push(...more);
    this.grid.append(...more.map((tile) => tile.node));
  }

  _head() {
    const select = el("select", { "aria-label": "What the shade of a cell means" },
      el("option", { value: "certainty" }, "certainty"), el("option", { value: "value" }, "value"));
    select.value = this.shade;
    select.addEventListener("change", () => {
      this.shade = select.value;
      this._drawAll();
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
    const least = Math.max(32, AROUND_DIGITS + DIGIT * String(M - 1).length);
    this.columns = choices.find((columns) => width / columns >= least && columns <= M) || 5;
    this.grid.style.gridTemplateColumns = `repeat(${this.columns}, minmax(0, 68px))`;
  }

  // What the shades mean has changed.
  _drawAll() {
    for (const tile of this.tiles) tile.id = undefined;
    this._drawLegend();
    this.show(this.t);
  }

  show(t) {
    if (t === undefined) return;
    if (this.t === undefined) this._drawLegend();
    this.t = t;
    const run = this.run;
    const state = run.state(t);
    const changed = markedChanges(run, t);
    const command = t > 0 ? commandAt(run, t) : null;
    const read = command && command.opName === "READ" ? command.operands[0].value : -1;
    for (const tile of this.tiles) {
      const id = state[run.cells + tile.cell];
      const change = changed.get(run.cells + tile.cell);
      const before = change ? change.before : -1;
      const isRead = tile.cell === read;
      if (tile.id === id && tile.before === before && tile.isRead === isRead) continue;
      Object.assign(tile, { id, before, isRead });
      this._drawTile(tile);
    }
    this.map.show(t);
  }

  _drawTile({ node, value, bar, cell, id, before, isRead }) {
    const run = this.run;
    const [best, p] = [run.bestValue[id], run.bestP[id]];
    const share = this.shade === "value" ? (0.55 * best) / Math.max(1, run.M - 1) : certaintyShare(p);
    const colour = rampAt(share);
    node.style.backgroundColor = rgb(colour);
    node.style.color = inkOn(colour);
    value.textContent = best;
    bar.style.width = `${p * 100}%`;
    node.classList.toggle("changed", before >= 0);
    node.classList.toggle("read", isRead);
    const was = before >= 0 ? `, was ${run.bestValue[before]}` : "";
    node.setAttribute("aria-label", `cell ${cell}: ${best}, probability ${precise(p)}${was}`);
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
}
