// Both machines side by side, at the same step of one clock.

const TALLEST_BESIDE = 200; // pixels of the heat map

class MachinePanel {
  constructor(run, about) {
    this.run = run;
    this.words = el("div", { class: "words", role: "status", "aria-live": "polite" });
    this.chips = el("span", { class: "chips" });
    this.registers = new RegistersView(run);
    this.tape = new TapeView(run);
    this.tape.showCells(run.M);
    this.tape.map.tallest = TALLEST_BESIDE;
    this.command = new CommandView(run);
    this.views = [this.registers, this.tape, this.command];
    this._explain(this.tape, "The cells after this step, each with its most likely value. A cell is a number from 0 to M - 1.");
    this._explain(this.registers, "What each variable and constant holds after this step: the most likely value, and at the right the whole distribution.");
    const title = run.isSoft ? "Soft machine" : "Exact machine";
    const head = el("div", { class: "card-head" }, el("h2", { tabindex: "0" }, title), this.chips);
    explains(head.firstChild, () => [tooltipTitle(title), el("div", {}, about)]);
    const command = el("details", { class: "play-command" }, el("summary", {}, "Command of this step"), this.command.node);
    const map = el("section", { class: "card", hidden: !run.isSoft || this.tape.map.node.hidden }, this.tape.map.node);
    this.node = el("article", { class: `play-machine ${run.machine}`, "aria-label": title },
      el("section", { class: "card step-words" }, head, this.words), this.tape.node, this.registers.node, el("div", { class: "play-more" }, map, command));
  }

  // What a part shows, where its heading is pointed at.
  _explain(view, words) {
    const heading = view.node.querySelector("h2");
    explains(heading, () => [tooltipTitle(heading.textContent), el("div", {}, words)]);
  }

  take(run) {
    this.run = run;
    for (const view of this.views) view.take(run);
  }

  show(now, differing) {
    const t = Math.min(now, this.run.last);
    this.words.replaceChildren(...(now > t ? [el("p", { class: "muted" }, `It ended after step ${t}.`)] : stepWords(this.run, t)));
    for (const view of this.views) view.show(t);
    for (const { node, cell } of this.tape.tiles) node.classList.toggle("differs", differing.has(this.run.cells + cell));
    for (const { node, register } of this.registers.rows) node.classList.toggle("differs", differing.has(ROW.registers + register));
  }
}

const EXACT_WORDS = "It computes with numbers. It is the definition of what a program means.";
const SOFT_WORDS = "Every register, cell and choice is a probability distribution, so that gradient descent can change the program. The lower the sharpness, the less certain it is.";

const LINE_WORDS = "Steps go to the right, program lines downwards: a loop is a saw. The darker, the likelier.";

class SeeView {
  constructor() {
    this.clock = new Clock(0);
    this.player = new Player([this.clock]);
    this.number = el("input", { type: "number", min: 0, value: 0, "aria-label": "Jump to step" });
    this.number.addEventListener("input", () => {
      if (this.number.value === "") return;
      this.player.pause();
      this.clock.set(Number(this.number.value));
    });
    this.number.addEventListener("blur", () => (this.number.value = this.clock.step));
    this.of = el("span");
    this.controls = el("div", { class: "card controls play-controls" }, playerButtons(this.player, "the run"),
      el("label", { class: "jump" }, "step ", this.number, " of ", this.of), speedSelect(this.player));
    this.node = el("div", { class: "play-see" });
    this.clock.listeners.push((t) => this.show(t));
    this.player.listeners.push((playing) => {
      for (const panel of this.panels || []) panel.words.setAttribute("aria-live", playing ? "off" : "polite");
    });
  }

  // Show these runs; all boxes stay if the runs have the same registers and cells as those before.
  take(exact, soft) {
    const shape = JSON.stringify([exact.M, exact.registers, exact.ops, Boolean(soft)]);
    const keep = shape === this.shape;
    Object.assign(this, { exact, soft, shape });
    this.clock.last = Math.max(exact.last, soft ? soft.last : 0);
    this.clock.step = Math.min(this.clock.step, this.clock.last);
    if (keep) {
      this.panels[0].take(exact);
      this.lines[0].take(exact);
      if (soft) {
        this.panels[1].take(soft);
        this.lines[1].take(soft);
      }
    } else {
      if (this.forget) this.forget();
      this.forget = whileThemed(() => this._build());
    }
    this.arrows.take(pointerArrows(exact));
    this.number.max = this.clock.last;
    this.of.textContent = this.clock.last;
    this._facts();
    this.show(this.clock.step);
  }

  _build() {
    const runs = [this.exact, this.soft].filter(Boolean);
    this.panels = runs.map((run) => new MachinePanel(run, run.isSoft ? SOFT_WORDS : EXACT_WORDS));
    this.arrows = new TapeArrows(this.panels[0].tape);
    this.lines = runs.map((run, i) => new TimelineView(run, this.clock, i === 0));
    this.lines[0].slider.addEventListener("input", () => this.player.pause());
    const named = this.lines.map((line, i) => {
      line.node.classList.add(runs[i].machine);
      const name = el("span", { class: "play-line-name" }, runs[i].machine);
      explains(name, () => [tooltipTitle(`the ${runs[i].machine} machine's path`), el("div", {}, LINE_WORDS)]);
      return el("div", { class: "play-line" }, name, line.node);
    });
    this.same = el("p", { class: "play-same muted" });
    this.node.replaceChildren(el("section", { class: "card step-card" }, named, this.same), stepperLegend(runs),
      el("div", { class: "play-machines" }, this.panels.map((panel) => panel.node)));
    const legend = this.node.querySelector(".stepper-legend");
    legend.append(el("span", {}, el("i", { class: "mark differs" }), "the machines differ"), el("span", {}, el("i", { class: "mark pointer" }), "used as an address"));
  }

  _facts() {
    const { exact, soft } = this;
    const facts = (run, more) => [[`${plural(run.steps, "step")}`, ""], ...more].map(([fact, kind]) => el("span", { class: `chip ${kind}` }, fact));
    const ends = { stopped: ["stopped", "good"], "step-limit": ["did not stop", "bad"], "past-end": ["ran past its last line", "bad"] };
    this.panels[0].chips.replaceChildren(...facts(exact, [[plural(exact.program.lines.length, "line"), ""], ends[exact.stop]]));
    if (!soft) return;
    const wrong = exact.finalTape.reduce((count, value, cell) => count + (value !== soft.finalTape[cell]), 0);
    const result = exact.stop !== "stopped" || soft.stop !== "stopped" ? [] : [wrong ? [`${plural(wrong, "cell")} wrong at the end`, "bad"] : ["same result", "good"]];
    this.panels[1].chips.replaceChildren(...facts(soft, [ends[soft.stop], ...result]));
  }

  show(t) {
    if (!this.panels) return;
    if (document.activeElement !== this.number || Number(this.number.value) !== t) this.number.value = t;
    const differing = this.soft ? differences(this.exact, this.soft, t) : new Set();
    for (const line of this.lines) line.show(t);
    for (const panel of this.panels) panel.show(t, differing);
    this.arrows.show(Math.min(t, this.exact.last));
    this._same(t, differing);
    refreshTooltip();
    for (const listener of this.listeners || []) listener(t);
  }

  _same(t, differing) {
    const names = [...differing].map((row) => rowName(this.exact, row));
    const shown = names.slice(0, 6).join(", ") + (names.length > 6 ? ` and ${names.length - 6} more` : "");
    this.same.textContent = !this.soft ? "" : names.length ? `At step ${t} the machines differ in ${shown}.` : `At step ${t} both machines agree everywhere.`;
    this.same.classList.toggle("differ", names.length > 0);
  }
}
