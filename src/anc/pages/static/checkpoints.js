// A member's program at each checkpoint, and which lines changed since the one before.

class CheckpointsView {
  static async open(data) {
    return new CheckpointsView(data, await unpack(data.checkpoints.packed));
  }

  constructor(data, arrays) {
    this.data = data;
    this.arrays = arrays;
    this.found = data.checkpoints;
    this.member = 0;
    this.moment = this.found.iterations.length - 1;
    this.slider = el("input", { type: "range", min: 0, max: this.moment, value: this.moment, "aria-label": "Checkpoint" });
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    const select = el("select", { "aria-label": "Member" }, this.found.members.map((member, i) => {
      const end = data.members[member];
      return el("option", { value: i }, `member ${member}: ${tickText(end.steps)} steps, ${tickText(100 * end.right)} % right`);
    }));
    select.addEventListener("change", () => {
      this.member = Number(select.value);
      this.show(this.moment);
    });
    this.title = el("b", { class: "mono" });
    this.words = el("p", { class: "checkpoint-words", role: "status" });
    this.body = el("div", { class: "checkpoint-lines" });
    this.play = iconButton("Play the checkpoints", ICONS_PLAY, () => this._toggle());
    this.strip = el("canvas", { class: "change-strip", role: "img", "aria-label": "Lines changed at each checkpoint" });
    this.node = el("section", { class: "card checkpoints" },
      el("div", { class: "card-head" }, el("h2", {}, "The program over the checkpoints"), el("span", { class: "muted" }, "bars: how many lines changed"), select),
      el("div", { class: "checkpoint-controls" }, this.play, this.slider, this.title), this.strip, this.words,
      el("div", { class: "scroller" }, this.body));
    onResize(this.strip, () => this._drawStrip());
    onTheme(() => this._drawStrip());
    this.show(this.moment);
  }

  _toggle() {
    if (this.timer) return this._pause();
    if (this.moment >= this.found.iterations.length - 1) this.show(0);
    this.timer = setInterval(() => {
      if (this.moment >= this.found.iterations.length - 1) this._pause();
      else this.show(this.moment + 1);
    }, 500);
    return undefined;
  }

  _pause() {
    clearInterval(this.timer);
    this.timer = null;
  }

  // The choices of every line of this member at this moment, and the registers' first values.
  at(moment) {
    const { M, registers } = this.data;
    const size = 4 * M + registers.length;
    const begin = (this.member * this.found.iterations.length + moment) * size;
    const pair = (i) => [this.arrays.choices[begin + i], this.arrays.units[begin + i] / UNITS];
    const lines = [];
    for (let line = 0; line < M; line++) {
      lines.push({ op: pair(line), first: pair(M + line), second: pair(2 * M + line), out: pair(3 * M + line) });
    }
    return { lines, registers: registers.map((_, r) => pair(4 * M + r)) };
  }

  changedLines(moment) {
    if (moment === 0) return [];
    const [before, now] = [this.at(moment - 1), this.at(moment)];
    return now.lines.map((_, i) => i).filter((i) => linesDiffer(this.data, before.lines[i], now.lines[i]));
  }

  show(moment) {
    this.moment = moment;
    this.slider.value = moment;
    const now = this.at(moment);
    const before = this.at(Math.max(0, moment - 1));
    const changed = new Set(this.changedLines(moment));
    this.title.textContent = `iteration ${this.found.iterations[moment]}`;
    this.slider.setAttribute("aria-valuetext", this.title.textContent);
    const lines = [...changed].map((i) => `line ${i}`).join(", ");
    this.words.textContent = moment === 0 ? "the start" : changed.size ? `changed since iteration ${this.found.iterations[moment - 1]}: ${lines}` : "no line changed since the checkpoint before";
    this.body.replaceChildren(this._registers(now, before), ...now.lines.map((choices, i) =>
      el("div", { class: `line${changed.has(i) ? " just-changed" : ""}` },
        el("span", { class: "line-number mono" }, i), choiceLine(this.data, choices, changed.has(i) ? before.lines[i] : null))));
    this._drawStrip();
  }

  _registers(now, before) {
    return el("div", { class: "register-chips" }, now.registers.map(([value, p], r) => {
      const differs = before.registers[r][0] !== value;
      return el("span", { class: `register-chip mono${differs ? " differs" : ""}` }, registerLabel(this.data, r), isLikely(p, this.data.M) ? value : "–", el("small", {}, short(p)));
    }));
  }

  // How many lines changed at each checkpoint, on the slider's scale.
  _drawStrip() {
    const width = this.strip.clientWidth;
    if (!width) return;
    const context = sharpContext(this.strip, width, 26);
    const last = Math.max(1, this.found.iterations.length - 1);
    const counts = this.found.iterations.map((_, i) => this.changedLines(i).length);
    const most = Math.max(1, ...counts);
    counts.forEach((count, i) => {
      const x = 9 + (i / last) * (width - 18);
      context.fillStyle = themeColour(i === this.moment ? "change" : "accent");
      context.fillRect(x - 2, 25 - (count / most) * 22, 4, (count / most) * 22 + 1);
    });
  }
}
