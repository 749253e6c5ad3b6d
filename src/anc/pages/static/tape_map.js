// All distributions of a tape as one picture: cells across, values upwards. It has the cells that the tiles above it
// show: five among 256 would be a hair at its edge. A step paints again only the cells that it changed, and nothing at
// all while nobody can see the picture.

const LARGEST_MAP = 512; // cells; a larger memory has tiles only
const NARROWEST_MAP = 140; // pixels
const TALLEST_MAP = 420;

class TapeMap {
  constructor(run) {
    this.run = run;
    this.cells = run.M;
    this.tallest = TALLEST_MAP;
    this.canvas = el("canvas", { class: "map", role: "img", "aria-label": "Heat map: cells across, values upwards" });
    explains(this.canvas, (event) => this._explain(event));
    this.lastCell = el("span");
    this.frame = el("div", { class: "map-frame" },
      axisEnds("map-y", "value", run.M - 1), this.canvas, axisEnds("map-x", "cell", this.lastCell));
    this.node = el("details", { class: "map-box", open: run.isSoft, hidden: run.M > LARGEST_MAP },
      el("summary", {}, "Heat map of every cell's distribution"), this.frame);
    this.width = 0;
    this.draw = whileSeen(this.canvas, () => this._draw());
    onResize(this.canvas, (width) => {
      this.width = width;
      this.draw();
    });
    onTheme(() => {
      this.painted = null;
      this.draw();
    });
  }

  show(t) {
    this.t = t;
    this.draw();
  }

  // Have so many cells, from the first on.
  showCells(count) {
    this.cells = count;
    this.painted = null;
    this.lastCell.textContent = count > 1 ? count - 1 : "";
    this.frame.style.maxWidth = `${Math.max(60 * count, NARROWEST_MAP)}px`;
    this.draw();
  }

  _explain(event) {
    const run = this.run;
    if (event.offsetX === undefined || !this.canvas.clientWidth) return null;
    const cell = Math.floor((event.offsetX / this.canvas.clientWidth) * this.cells);
    const value = run.M - 1 - Math.floor((event.offsetY / this.canvas.clientHeight) * run.M);
    if (cell < 0 || cell >= this.cells || value < 0 || value >= run.M) return null;
    const id = run.state(this.t)[run.cells + cell];
    return [tooltipTitle(`tape[${cell}] = ${value}`), el("div", { class: "mono" }, precise(run.probability(id, value)))];
  }

  _draw() {
    const run = this.run;
    if (!this.node.open || !this.width || this.t === undefined) return;
    const height = Math.min((this.width * run.M) / this.cells, this.tallest, 28 * run.M);
    const state = run.state(this.t);
    if (this.width / this.cells < 12 || height / run.M < 9) this._drawPixels(state, height);
    else this._drawBoxes(state, height);
  }

  // Few cells: a box for each value, the likeliest with its number.
  _drawBoxes(state, height) {
    const run = this.run;
    const context = sharpContext(this.canvas, this.width, height);
    const [w, h] = [this.width / this.cells, height / run.M];
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `600 ${Math.min(11, h - 3)}px ui-monospace, Menlo, Consolas, monospace`;
    for (let cell = 0; cell < this.cells; cell++) {
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
  }

  // Many cells: a pixel for each value, stretched.
  _drawPixels(state, height) {
    const run = this.run;
    if (!this.painted) {
      this.heat = new Heat(this.cells, run.M);
      this.painted = new Int32Array(this.cells).fill(-1);
    }
    for (let cell = 0; cell < this.cells; cell++) {
      const id = state[run.cells + cell];
      if (this.painted[cell] === id) continue;
      this.painted[cell] = id;
      this.heat.clearColumn(cell);
      for (let i = run.begin[id]; i < run.begin[id + 1]; i++) this.heat.set(cell, run.M - 1 - run.values[i], run.p[i]);
    }
    this.heat.draw(sharpContext(this.canvas, this.width, height), 0, 0, this.width, height);
  }
}
