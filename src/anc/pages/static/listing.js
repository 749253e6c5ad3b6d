// The listing: the current line marked, each line shaded by its probability.

const VISITED = 0.05; // how likely a row after the program's end must have been to be worth a look
const CHOICE_NAMES = { out: "output", op: "instruction", first: "first operand", second: "second operand" };

class ListingView {
  constructor(run) {
    this.run = run;
    this.visited = this._everVisited();
    this.rows = run.lines.map((line) => this._row(line));
    const body = el("div", { class: "listing-rows" }, this.rows.map((row) => row.node));
    const attributes = { class: "listing scroller", tabindex: "0", role: "region", "aria-label": "Listing" };
    this.scroller = el("div", attributes, body);
    const idle = this.rows.filter((row) => row.node.classList.contains("idle"));
    this.node = el("section", { class: "card listing-card" }, this._head(idle.length), this.scroller);
    onTheme(() => {
      for (const row of this.rows) row.drawn = undefined;
      this.show(this.t);
    });
  }

  _head(idle) {
    const head = el("div", { class: "card-head" }, el("h2", {}, "Program"));
    if (idle) {
      const box = el("input", { type: "checkbox" });
      box.addEventListener("change", () => this.node.classList.toggle("show-idle", box.checked));
      const words = ` also ${plural(idle, "row")} of little weight`;
      head.append(el("label", { class: "check muted" }, box, words));
    }
    return head;
  }

  _everVisited() {
    const most = new Float32Array(this.run.M);
    for (const id of new Set(this.run.lineIds)) {
      for (const [line, p] of this.run.entries(id)) most[line] = Math.max(most[line], p);
    }
    return most;
  }

  _row(line) {
    const p = el("span", { class: "line-p mono" });
    const labels = line.labels.map((label) => el("span", { class: "label" }, `${label}: `));
    const text = el("span", { class: "line-text mono" }, labels, line.text || el("i", { class: "muted" }, "no choice is likely"));
    const arrow = el("span", { class: "arrow", "aria-hidden": "true" });
    const number = el("span", { class: "line-number mono" }, line.number);
    const hides = line.is_spare
      ? !line.text || this.visited[line.number] < VISITED
      : !this.run.has_program && this.visited[line.number] < 0.01;
    const node = el("div", { class: `line${hides ? " idle" : ""}` }, arrow, number, text, p);
    explains(node, () => this._explanation(line));
    return { node, p, arrow, line };
  }

  _explanation(line) {
    const now = this.run.probability(this.run.lineIds[this.t], line.number);
    if (!line.choices.length) return null;
    const rows = line.choices.map(([what, name, p]) =>
      el("tr", {}, el("th", {}, CHOICE_NAMES[what]), el("td", {}, name), el("td", {}, precise(p))));
    const words = `line ${line.number}: probability ${precise(now)} now`;
    return [tooltipTitle(words), el("table", {}, el("tbody", {}, rows))];
  }

  show(t) {
    if (t === undefined) return;
    this.t = t;
    const run = this.run;
    const id = run.lineIds[t];
    const best = run.bestValue[id];
    const next = t > 0 && t < run.last ? run.bestValue[run.lineIds[t + 1]] : -1;
    const probabilities = new Float32Array(run.M);
    for (const [line, p] of run.entries(id)) probabilities[line] = p;
    for (const row of this.rows) {
      const { node, p, arrow, line } = row;
      const probability = probabilities[line.number];
      const current = line.number === best;
      const drawn = `${probability} ${current} ${line.number === next}`;
      if (row.drawn === drawn) continue;
      row.drawn = drawn;
      node.classList.toggle("current", current);
      node.classList.toggle("next", line.number === next && !current);
      arrow.textContent = current ? "▶" : line.number === next ? "▷" : "";
      if (current) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
      const shaded = run.isSoft && probability >= 0.005;
      const colour = shaded ? rampAt(probabilityShare(probability) * 0.9) : null;
      node.style.backgroundColor = shaded ? rgb(colour) : "";
      node.style.color = shaded ? inkOn(colour) : "";
      p.textContent = run.isSoft && probability >= 0.01 ? short(probability) : "";
    }
    this._revealSoon(this.rows[best]);
  }

  // Where a row lies is asked for once in a frame, when everything has been written: asking makes the browser work it out.
  _revealSoon(row) {
    if (!this.revealed) requestAnimationFrame(() => this._reveal());
    this.revealed = row;
  }

  _reveal() {
    const row = this.revealed;
    this.revealed = null;
    if (!row) return;
    const box = this.scroller;
    const [top, height] = [row.node.offsetTop, row.node.offsetHeight];
    const margin = Math.min(60, box.clientHeight / 4);
    if (top < box.scrollTop + margin) box.scrollTop = top - margin;
    else if (top + height > box.scrollTop + box.clientHeight - margin) {
      box.scrollTop = top + height + margin - box.clientHeight;
    }
  }
}
