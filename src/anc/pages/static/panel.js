// One run: its clock, its timeline and all that is shown of a step.

class RunPanel {
  constructor(run, alone) {
    this.run = run;
    this.clock = new Clock(run.last);
    this.player = new Player([this.clock]);
    this.timeline = new TimelineView(run, this.clock);
    this.timeline.slider.addEventListener("input", () => this.player.pause());
    this.words = el("div", { class: "words", role: "status", "aria-live": "polite" });
    this.views = [new ListingView(run), new CommandView(run), new RegistersView(run), new TapeView(run)];
    const [listing, command, registers, tape] = this.views;
    this.tape = tape;
    const step = el("section", { class: "card step-card" }, this.timeline.node, this.words);
    this.node = el("article", { class: `run ${run.machine}`, "aria-label": run.title },
      alone ? null : runHead(run), this._controls(alone),
      el("div", { class: "run-grid" }, step, listing.node, command.node, registers.node, tape.node));
    this.clock.listeners.push((t) => this.show(t));
    this.player.listeners.push((playing) => this.words.setAttribute("aria-live", playing ? "off" : "polite"));
  }

  _controls(alone) {
    this.number = el("input", { type: "number", min: 0, max: this.run.last, value: 0, "aria-label": "Jump to step" });
    this.number.addEventListener("input", () => {
      if (this.number.value === "") return;
      this.player.pause();
      this.clock.set(Number(this.number.value));
    });
    this.number.addEventListener("focus", () => this.number.select());
    this.number.addEventListener("blur", () => (this.number.value = this.clock.step));
    const jump = el("label", { class: "jump" }, "step ", this.number, ` of ${this.run.last}`);
    const what = alone ? "the run" : this.run.title;
    return el("div", { class: "card controls" }, playerButtons(this.player, what), jump, speedSelect(this.player));
  }

  show(t) {
    if (document.activeElement !== this.number || Number(this.number.value) !== t) this.number.value = t;
    this.timeline.show(t);
    this.words.replaceChildren(...stepWords(this.run, t));
    for (const view of this.views) view.show(t);
    refreshTooltip();
  }
}

// What there is to say about a run as a whole.
function runFacts(run) {
  const ends = { stopped: "stopped", "step-limit": "did not stop", "past-end": "ran past its last line" };
  const facts = [[`${run.machine} machine`]];
  if (run.sharpness) facts.push([`sharpness ${run.sharpness}`]);
  const good = run.exact && run.exact.wrong ? "" : "good";
  facts.push([`${plural(run.steps, "step")}, ${ends[run.stop]}`, run.stop === "stopped" ? good : "bad"], ...exactFacts(run), [`M = ${run.M}`]);
  if (run.tolerance > 1e-4) facts.push([`probabilities within ${run.tolerance}`]);
  return facts.map(([fact, kind]) => el("span", { class: `chip ${kind || ""}` }, fact));
}

// How a soft run ends, compared with the exact run of the same program on the same tape.
function exactFacts(run) {
  if (!run.exact) return [];
  const { stop, steps, wrong, cells } = run.exact;
  if (stop !== "stopped") return run.stop === "stopped" ? [["the exact run does not stop", "wrong"]] : [];
  if (!wrong) return run.stop === "stopped" ? [[`same result as the exact run of ${plural(steps, "step")}`, "good"]] : [];
  const named = cells.map(([cell, here, there]) => `tape[${cell}] is ${here}, exactly ${there}`).join("; ");
  const more = wrong - cells.length;
  return [[`wrong result: ${named}${more ? ` and ${more} more` : ""}`, "wrong"]];
}

function runHead(run) {
  return el("div", { class: "run-head" }, el("h2", { class: "run-title" }, run.title), el("div", { class: "chips" }, runFacts(run)), runSummary(run));
}

// What the program does, in its own words.
function runSummary(run) {
  return run.summary ? el("p", { class: "run-summary" }, run.summary) : null;
}
