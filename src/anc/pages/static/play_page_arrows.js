// Arrows over the tape, from cells that are used as addresses to the cells that they lead to.

const MOST_ARROWS = 120;

class TapeArrows {
  constructor(tape) {
    this.tape = tape;
    this.picture = svg("svg", { class: "play-arrows", "aria-hidden": "true" });
    this.arrows = [];
    tape.grid.classList.add("with-arrows");
    tape.grid.append(this.picture);
    onResize(tape.grid, () => this.show(this.t));
  }

  take(arrows) {
    this.arrows = arrows.slice(0, MOST_ARROWS);
  }

  // Those of this step are strong, earlier ones faint; what is still to come is not drawn.
  show(t) {
    if (t === undefined) return;
    this.t = t;
    const drawn = new Map();
    for (const arrow of this.arrows) {
      if (arrow.step > t || arrow.from === arrow.to) continue;
      drawn.set(`${arrow.from} ${arrow.to}`, { ...arrow, isNow: arrow.step === t });
    }
    this.picture.replaceChildren(...[...drawn.values()].flatMap((arrow) => this._draw(arrow)));
  }

  _draw({ from, to, isNow }) {
    const [a, b] = [this._place(from), this._place(to)];
    if (!a || !b) return [];
    const flat = Math.abs(a.y - b.y) < 4;
    const bend = flat ? Math.min(26, 9 + Math.abs(b.x - a.x) / 9) : 0;
    const [ay, by] = flat ? [a.top, b.top] : a.y < b.y ? [a.bottom, b.top] : [a.top, b.bottom];
    const [mx, my] = [(a.x + b.x) / 2, flat ? ay - bend : (ay + by) / 2];
    const angle = Math.atan2(by - my, b.x - mx);
    const wing = (turn) => `L${(b.x - 7 * Math.cos(angle + turn)).toFixed(1)} ${(by - 7 * Math.sin(angle + turn)).toFixed(1)}`;
    const head = `M${b.x} ${by}${wing(0.45)}${wing(-0.45)}Z`;
    const kind = isNow ? "now" : "past";
    return [svg("path", { class: `arrow-line ${kind}`, d: `M${a.x} ${ay}Q${mx} ${my} ${b.x} ${by}` }), svg("path", { class: `arrow-head ${kind}`, d: head })];
  }

  _place(cell) {
    const tile = this.tape.tiles[cell] && this.tape.tiles[cell].node;
    if (!tile || tile.hidden) return null;
    const [left, top] = [tile.offsetLeft, tile.offsetTop];
    const x = left + tile.offsetWidth / 2;
    return { x, y: top + tile.offsetHeight / 2, top: top + 1, bottom: top + tile.offsetHeight - 1 };
  }
}
