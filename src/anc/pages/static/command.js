// The command's four distributions, as bars with names.

const PARTS = [["op", "instruction"], ["first", "first"], ["second", "second"], ["out", "output"]];

class CommandView {
  constructor(run) {
    this.run = run;
    this.parts = PARTS.map(([key, title]) => this._part(key, title));
    this.node = el("section", { class: "card command-card" },
      el("div", { class: "card-head" }, el("h2", {}, "Command"), el("span", { class: "muted" }, "how likely each choice is")),
      el("div", { class: "parts" }, this.parts.map((part) => part.node)));
  }

  // Show another run of the same machine.
  take(run) {
    this.run = run;
  }

  _part(key, title) {
    const names = key === "op" ? this.run.ops : this.run.registers;
    const bars = names.map((name, index) => {
      const fill = el("span", { class: "bar-fill" });
      const p = el("span", { class: "bar-p mono" });
      const track = el("span", { class: "bar-track" }, fill);
      const node = el("div", { class: "bar" }, el("span", { class: "bar-name mono", title: name }, name), track, p);
      return { node, fill, p, index };
    });
    const value = el("span", { class: "part-value mono" });
    const head = el("div", { class: "part-head" }, el("span", {}, title), value);
    const node = el("div", { class: "part", tabindex: "0", role: "img" }, head, bars.map((bar) => bar.node));
    const part = { key, title, names, bars, value, node };
    explains(node, () => this._explanation(part));
    return part;
  }

  _explanation(part) {
    const entries = part.id === undefined ? [] : this.run.entries(part.id);
    if (!entries.length) return [tooltipTitle(`${part.title}: not used`)];
    const content = [tooltipTitle(part.title), tooltipDistribution(entries, (i) => part.names[i])];
    if (part.operand) {
      content.push(tooltipTitle("its value"), tooltipDistribution(part.operand.values, String));
    }
    return content;
  }

  show(t) {
    const run = this.run;
    const state = run.state(t);
    const command = t > 0 ? commandAt(run, t) : null;
    for (const part of this.parts) {
      part.id = state[ROW[part.key]];
      part.operand = command && command.operands.find((o) => o.place === part.key);
      const best = run.bestValue[part.id];
      const used = !run.isEmpty(part.id) && (part.key === "op" || part.key === "out" || part.operand);
      part.node.classList.toggle("unused", !used);
      part.value.textContent = !used ? (t ? "unused" : "–") : part.operand ? `= ${part.operand.value}` : "";
      for (const bar of part.bars) {
        const p = run.probability(part.id, bar.index);
        bar.fill.style.width = `${p * 100}%`;
        bar.p.textContent = p >= 0.005 ? short(p) : "";
        bar.node.classList.toggle("best", used && bar.index === best);
        bar.node.classList.toggle("none", p < 0.005);
      }
      const words = used ? `${part.names[best]}, probability ${precise(run.bestP[part.id])}` : "not used";
      part.node.setAttribute("aria-label", `${part.title}: ${words}`);
    }
  }
}
