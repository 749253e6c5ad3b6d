// Eight puzzles: one writes a program for a tape; it is checked on tapes that are not shown, and its lines and steps are compared with
// the best known. What was solved is remembered in this browser only.

const SOLVED = "anc-puzzles";
const PUZZLE_STEPS = 2000; // a run of a puzzle is given up after this many

class PuzzlesView {
  constructor(page) {
    this.page = page;
    this.puzzles = page.data.puzzles;
    this.done = this._remembered();
    this.list = el("ol", { class: "play-puzzle-list" });
    this.text = el("div", { class: "play-puzzle" });
    this.check = playButton("Check it on the hidden tapes", () => this._check(), "primary");
    this.begin = playButton("Begin", () => this.start(), "primary");
    this.said = el("div", { class: "play-verdict", role: "status", "aria-live": "polite" });
    this.node = el("section", { class: "card play-puzzles", hidden: true }, el("div", { class: "card-head" }, el("h2", {}, "Puzzles"), el("span", { class: "muted" }, "write a program for the tape")), this.list,
      el("div", {}, this.text, el("div", { class: "play-choices" }, this.begin, this.check), this.said));
  }

  _remembered() {
    try {
      const found = JSON.parse(remember(SOLVED) || "{}");
      return typeof found === "object" && found !== null ? found : {};
    } catch (problem) {
      return {};
    }
  }

  take(state) {
    this.chosen = this.puzzles.find(({ id }) => id === state.puzzle) || this.puzzles[0];
    this._show();
  }

  _choose(puzzle) {
    this.chosen = puzzle;
    this.start();
  }

  // Put the puzzle's tape into the editor, and the program that was right before, or one to begin with.
  start() {
    const { page, chosen: puzzle } = this;
    Object.assign(page.state, { puzzle: puzzle.id, memory: null, spare: 0, step: 0 });
    page.see.clock.set(0);
    const mine = this.done[puzzle.id] && this.done[puzzle.id].text;
    page.write(typeof mine === "string" ? mine : puzzle.start);
    page.useTape(puzzle.example);
    this._show();
  }

  _show() {
    this.list.replaceChildren(...this.puzzles.map((puzzle) => {
      const done = this.done[puzzle.id];
      const stars = done ? ["✓", done.lines <= puzzle.lines ? "★" : "", done.steps <= puzzle.steps + 1e-9 ? "★" : ""].join("") : "";
      const button = playButton(puzzle.title, () => this._choose(puzzle), `puzzle${puzzle === this.chosen ? " chosen" : ""}`);
      if (puzzle === this.chosen) button.setAttribute("aria-current", "true");
      const words = done ? `solved with ${plural(done.lines, "line")} and ${hundredths(done.steps)} steps` : "not solved yet";
      button.append(el("span", { class: "stars", role: "img", "aria-label": words, title: words }, stars));
      return el("li", {}, button);
    }));
    const { words, example, expected, lines, steps, M } = this.chosen;
    this.text.replaceChildren(el("p", {}, words),
      tapeRow("for example", example, { why: `(M = ${M})` }), tapeRow("becomes", expected, { marked: example.flatMap((value, cell) => (value === expected[cell] ? [] : [cell])) }),
      el("p", { class: "muted" }, `Best known: ${plural(lines, "line")}; ${hundredths(steps)} steps on average (perhaps not the same program).`));
    const isBegun = this.page.state.puzzle === this.chosen.id;
    this.begin.hidden = isBegun;
    this.check.hidden = !isBegun;
    this.said.replaceChildren();
  }

  _check() {
    const { page, chosen } = this;
    const { program, mistakes } = page.engine.compile(page.editor.value, { memory: chosen.M });
    if (!program) return this._say(`The program has ${plural(mistakes.length, "mistake")}.`, "bad");
    let steps = 0;
    let passed = 0;
    let wrong = null;
    for (const { input, output } of chosen.tapes) {
      let run;
      try {
        run = page.engine.runExact(program, input, { maxSteps: PUZZLE_STEPS, keep: 0 });
      } catch (problem) {
        return this._say(problem.message, "bad");
      }
      steps += run.steps;
      const isRight = run.stop === "stopped" && output.every((value, cell) => run.tape[cell] === value);
      if (isRight) passed++;
      else wrong = wrong || { input, output, run };
    }
    if (wrong) return this._failed(wrong, passed);
    return this._solved(program.lines.length, steps / chosen.tapes.length);
  }

  _say(words, kind, ...more) {
    this.said.className = `play-verdict ${kind}`;
    this.said.replaceChildren(el("p", {}, el("b", {}, words)), ...more);
  }

  _failed({ input, output, run }, passed) {
    const { chosen, page } = this;
    const cells = output.flatMap((value, cell) => (run.tape[cell] !== value ? [cell] : []));
    const step = playButton("Step through it", () => {
      page.useTape(input);
      page.see.clock.set(0);
    });
    const ends = { "step-limit": " It did not stop.", "past-end": " It ran past its last line." };
    this._say(`Right on ${passed} of ${chosen.tapes.length} hidden tapes.${ends[run.stop] || ""}`, "bad",
      tapeRow("on this one", input), tapeRow("it leaves", Array.from(run.tape), { marked: cells }), tapeRow("expected", output, { marked: cells }), step);
  }

  _solved(lines, steps) {
    const { chosen } = this;
    const before = this.done[chosen.id];
    const best = before ? { lines: Math.min(before.lines, lines), steps: Math.min(before.steps, steps) } : { lines, steps };
    this.done[chosen.id] = { ...best, text: this.page.editor.value };
    remember(SOLVED, JSON.stringify(this.done));
    this._show();
    const compare = (mine, known, words) => (mine < known - 1e-9 ? `better than the best known in ${words}!` : mine <= known + 1e-9 ? `as good as the best known in ${words}` : null);
    const said = [compare(lines, chosen.lines, "lines"), compare(steps, chosen.steps, "steps")].filter(Boolean);
    this._say(`Solved: right on all ${chosen.tapes.length} hidden tapes.`, "good",
      el("p", {}, `${plural(lines, "line")} (best known ${chosen.lines}), ${hundredths(steps)} steps on average (best known ${hundredths(chosen.steps)})${said.length ? `; ${said.join(" and ")}` : ""}.`));
  }
}
