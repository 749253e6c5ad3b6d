// The page of `anc play`: a program and a tape to edit, both machines side by side, and what can be done with them.

const SLOW = 0.12; // seconds that a soft run, with its pictures, may take while the slider moves
const MOST_NUMBERS = 12e6; // probabilities that a soft run may have
const REST_AFTER = 250; // milliseconds until what is slow is computed
const OWN = ""; // the menu's value of a program that is the reader's own
const TAB_NAMES = { run: "Run", train: "Train", adapt: "Adapt and prove", puzzles: "Puzzles" };

class PlayPage {
  constructor(data, place) {
    Object.assign(this, { data, place, engine: playEngine() });
    this.notice = el("div", { class: "play-notice", role: "status", "aria-live": "polite", hidden: true });
    this.editor = new Editor(() => this.edited());
    this.tapeEditor = new TapeEditor(() => this.tapeEdited());
    this.see = new SeeView();
    this.see.listeners = [(t) => this.stepped(t)];
    this.sharpness = new SharpnessSlider((value) => this.sharpened(value));
    this.see.controls.append(this.sharpness.node);
    this.train = new TrainView(this);
    this.adapt = new AdaptView(this);
    this.puzzles = new PuzzlesView(this);
    this.numbers = this._numbers();
    this._build();
    listenToKeys(this.see.player, this.seePlace);
  }

  _build() {
    const menu = el("select", { "aria-label": "Program" }, el("option", { value: OWN }, "your own"),
      this.data.programs.map(({ name }) => el("option", { value: name }, name)));
    menu.addEventListener("change", () => menu.value && this.choose(menu.value));
    this.menu = menu;
    this.summary = el("p", { class: "play-summary" });
    this.share = playButton("Copy link", () => this.copyLink());
    this.tabs = TABS.map((name) => this._tab(name));
    this.choice = el("label", { class: "check" }, el("b", {}, "Program"), menu);
    const bar = el("div", { class: "card play-bar" }, this.choice, this.summary, this.share);
    const program = el("section", { class: "card play-program" }, this._programHead(), this.editor.node);
    const tape = el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "Tape"), this._tapeButtons()), this.tapeEditor.node, this.numbers.node);
    this.left = el("div", { class: "play-left" }, program, tape);
    this.slow = el("p", { class: "play-slow muted", role: "status", hidden: true });
    this.seePlace = el("div", { class: "play-run" }, this.see.controls, this.slow, this.see.node);
    this.panels = { run: null, train: this.train.node, adapt: this.adapt.node, puzzles: this.puzzles.node };
    this.right = el("div", { class: "play-right", role: "tabpanel", id: "play-panel", tabindex: "-1" }, this.puzzles.node, this.train.node, this.adapt.node, this.seePlace);
    const tablist = el("div", { class: "play-tabs", role: "tablist", "aria-label": "What to do" }, this.tabs);
    tablist.addEventListener("keydown", (event) => this._tabKeys(event));
    this.place.append(this.notice, bar, tablist, el("div", { class: "play" }, this.left, this.right));
  }

  _programHead() {
    this.counts = el("span", { class: "muted" });
    return el("div", { class: "card-head" }, el("h2", {}, "Program"), this.counts);
  }

  _tab(name) {
    const button = el("button", { type: "button", role: "tab", "aria-controls": "play-panel", "data-tab": name }, TAB_NAMES[name]);
    button.addEventListener("click", () => this.open(name));
    return button;
  }

  _tabKeys(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const here = TABS.indexOf(this.state.tab);
    const there = (here + move + TABS.length) % TABS.length;
    this.open(TABS[there]);
    this.tabs[there].focus();
  }

  _tapeButtons() {
    const button = (words, action) => playButton(words, action, "small");
    this.exampleButton = button("the example", () => this.useTape(this.example() || []));
    this.drawButton = button("a random one", () => this.useTape(this.drawn()));
    return el("span", { class: "play-tape-buttons" }, this.exampleButton, this.drawButton, button("all zero", () => this.useTape([])));
  }

  _numbers() {
    const field = (name, words, explanation) => {
      const { low, high } = NUMBERS[name];
      const input = el("input", { type: "number", min: low, max: high, step: 1, "data-name": name });
      input.addEventListener("change", () => this.numberChanged(name, input));
      const node = el("label", { class: "check" }, words, input);
      explains(node, () => [tooltipTitle(words), el("div", {}, explanation)]);
      return { input, node };
    };
    const fields = {
      memory: field("memory", "cells M", "How many cells the tape has. Each holds a number from 0 to M - 1, and all arithmetic is modulo M."),
      spare: field("spare", "spare registers", "Registers that the program does not use. Training may use them."),
      limit: field("limit", "step limit", "A run is given up after this many steps."),
    };
    return { fields, node: el("div", { class: "play-numbers" }, Object.values(fields).map(({ node }) => node)) };
  }

  // -- the state ----------------------------------------------------------------

  async begin() {
    await this.readLink();
    window.addEventListener("hashchange", () => window.location.hash !== this.link && this.readLink());
  }

  async readLink() {
    let state;
    try {
      state = await stateOfLink(window.location.hash, this.data);
      this.say("");
    } catch (problem) {
      if (!(problem instanceof LinkProblem)) throw problem;
      state = { ...standardState(this.data), ...this.data.start };
      this.say(`This link cannot be used: ${problem.message}. Here is the page as it begins.`, "bad");
    }
    this.take(state);
  }

  take(state) {
    this.state = state;
    document.documentElement.classList.toggle("play-embedded", state.embed);
    this.editor.value = state.text === null ? this.shipped(state.program).text : state.text;
    this.sharpness.value = state.sharpness;
    this.see.clock.step = state.step; // the runs will cut it
    this.compile();
    this.see.clock.set(state.step);
    this.train.take(state);
    this.puzzles.take(state);
    if (state.begins) this.puzzles.start();
    this.open(state.tab);
  }

  shipped(name) {
    return this.data.programs.find((program) => program.name === name) || null;
  }

  choose(name) {
    const { text, tape } = this.shipped(name);
    Object.assign(this.state, { program: name, text: null, tape, memory: null, spare: 0, step: 0, puzzle: null });
    this.editor.value = text;
    this.see.clock.step = 0;
    this.compile();
    this.puzzles.take(this.state);
  }

  // Put a listing into the editor, as if somebody had typed it.
  write(text, tape = null) {
    this.editor.value = text;
    if (tape) Object.assign(this.state, { tape, memory: tape.length });
    this.edited();
  }

  edited() {
    const shipped = this.data.programs.find(({ text }) => text === this.editor.value);
    Object.assign(this.state, shipped ? { program: shipped.name, text: null } : { program: null, text: this.editor.value });
    this.compile();
  }

  compile() {
    if (this.trained) this.say("");
    this.trained = null;
    const found = this.engine.compile(this.editor.value, { memory: this.state.memory });
    this.editor.explain([...found.mistakes, ...found.warnings], this.engine);
    this.examples = found.examples;
    if (!found.program) return this.stale(found.mistakes.length);
    this.compiled = found.program;
    this.editor.number(found.program);
    return this.run(true);
  }

  // The runs are of an earlier text.
  stale(mistakes) {
    this.seePlace.classList.add("stale");
    this.counts.textContent = `${plural(mistakes, "mistake")}: the runs are of the text before`;
    this.about();
  }

  // -- the runs -----------------------------------------------------------------

  program() {
    const { compiled } = this;
    const spare = Array.from({ length: this.state.spare }, (_, i) => `spare ${i + 1}`);
    return { ...compiled, registers: [...compiled.registers, ...spare.map(() => null)], names: [...compiled.names, ...spare] };
  }

  cells() {
    const { compiled, state } = this;
    if (!compiled) return state.memory || Math.max(8, state.tape.length);
    const constants = compiled.registers.map((value) => (value === null ? 0 : value + 1));
    return state.memory || compiled.memory || Math.max(8, state.tape.length, compiled.lines.length, ...constants);
  }

  run(isNew) {
    const M = this.cells();
    if (this.tapeEditor.M !== M || isNew) this.tapeEditor.set(this.state.tape.slice(0, M).map((value) => (value < M ? value : 0)), M);
    const tape = this.tapeEditor.tape;
    const program = this.program();
    const limit = this.state.limit;
    try {
      const exact = this.engine.runExact(program, tape, { maxSteps: limit, keep: limit });
      this.exact = new ExactRun(program, this.engine.startOf(program, tape), exact);
    } catch (problem) {
      this.editor.explain([{ severity: "error", message: problem.message, line: null, column: null, width: 0, help: null }], this.engine);
      return this.stale(1);
    }
    this.seePlace.classList.remove("stale");
    this.counts.textContent = `${plural(program.lines.length, "line")}, ${plural(program.registers.length, "register")}`;
    if (!this.runsTrained(M, program)) this.trained = null;
    this.weights = this.trained || this.engine.soften(program, { memory: M, sharpness: this.state.sharpness, seed: this.state.seed });
    this.seconds = 0;
    this.soften(false);
    this.about();
    return undefined;
  }

  // Run these weights softly, as they were learnt, beside the program in the editor: until it is edited or blurred.
  useWeights(weights) {
    this.trained = weights;
    this.run(false);
    if (this.trained) this.say("The soft machine runs the weights as they were learnt. They are not in the link; the slider runs the program instead.");
  }

  runsTrained(M, program) {
    const { trained } = this;
    return trained && trained.M === M && trained.R === program.registers.length && trained.set === program.set;
  }

  // Run softly, at once if the last time was quick, else when nothing has moved for a while.
  soften(mayWait) {
    clearTimeout(this.softTimer);
    const { M, R } = this.exact;
    if (this.state.limit * M * (M + R) > MOST_NUMBERS) {
      this.slow.hidden = false;
      this.slow.textContent = "A soft run of this size is too large for this page. With fewer cells or a lower step limit it is shown; anc trace --machine soft shows it, too.";
      this.soft = null;
      this.see.take(this.exact, null);
    } else if (this.seconds > SLOW && mayWait) this.softTimer = setTimeout(() => this.softRun(), REST_AFTER);
    else this.softRun();
  }

  softRun() {
    const { exact } = this;
    const { M, program } = exact;
    const began = performance.now();
    if (!this.trained) this.engine.withSharpness(this.weights, program, this.state.sharpness);
    const wanted = `${program.set.name} ${M} ${exact.R} ${this.state.limit}`;
    if (this.machineFor !== wanted) {
      this.machine = this.engine.softMachine(program.set, M, exact.R, this.state.limit);
      this.machineFor = wanted;
    }
    this.machine.run(this.weights, this.tapeEditor.tape, { maxSteps: this.state.limit });
    this.soft = new SoftRun(program, this.machine, M, this.state.sharpness);
    this.see.take(exact, this.soft);
    this.seconds = (performance.now() - began) / 1000;
    this.slow.hidden = this.seconds <= SLOW;
    this.slow.textContent = `Slow: a soft run of this size takes ${this.seconds.toFixed(1)} s here, and is computed when the slider rests.`;
  }

  sharpened(value) {
    this.state.sharpness = value;
    if (this.trained) {
      this.trained = null;
      this.say("");
      this.run(false);
    } else if (this.exact) this.soften(true);
    this.changed();
  }

  stepped(t) {
    this.state.step = t;
    this.editor.show({ exact: this.exact.sourceLines(Math.min(t, this.exact.last)), soft: this.soft ? this.soft.sourceLines(Math.min(t, this.soft.last)) : null });
    this.editor.reveal();
    this.changed();
  }

  // -- the tape -----------------------------------------------------------------

  tapeEdited() {
    this.state.tape = this.tapeEditor.tape;
    this.run(false);
  }

  useTape(tape) {
    this.state.tape = tape;
    this.run(true);
  }

  // The tape of the paper for its programs, a puzzle's, else the listing's first example.
  example() {
    const puzzle = this.data.puzzles.find(({ id }) => id === this.state.puzzle);
    if (puzzle) return puzzle.example;
    const shipped = this.state.text === null ? this.shipped(this.state.program) : null;
    if (shipped) return shipped.tape;
    return this.examples && this.examples.length ? this.examples[0].input : null;
  }

  drawn() {
    const task = this.data.tasks[this.state.program] ? this.state.program : null;
    this.draws = (this.draws || 0) + 1;
    if (task) return this.engine.drawCases(task, true, 1, this.state.seed * 1000 + this.draws)[0].input;
    return Array.from({ length: this.cells() }, () => Math.floor(Math.random() * this.cells()));
  }

  numberChanged(name, input) {
    const { low, high } = NUMBERS[name];
    const value = Math.round(Number(input.value));
    if (input.value !== "" && value >= low && value <= high) this.state[name] = value;
    else if (name === "memory") this.state.memory = null;
    if (name === "memory") this.compile();
    else this.run(false);
  }

  // -- what is said about it ----------------------------------------------------

  about() {
    const { state } = this;
    const shipped = state.text === null ? this.shipped(state.program) : null;
    this.menu.value = shipped ? shipped.name : OWN;
    this.summary.textContent = shipped ? shipped.summary.replace(/^\w+: /, "") : "a program of your own";
    this.exampleButton.disabled = !this.example();
    this.drawButton.title = this.data.tasks[state.program] ? "drawn from the biased inputs of this task" : "any numbers";
    for (const [name, { input }] of Object.entries(this.numbers.fields)) {
      if (document.activeElement !== input) input.value = name === "memory" ? this.compiled ? this.cells() : "" : state[name];
    }
    this.adapt.about();
    this.changed();
  }

  say(words, kind = "") {
    this.notice.hidden = !words;
    this.notice.className = `play-notice card ${kind}`;
    this.notice.textContent = words;
  }

  open(tab) {
    this.state.tab = tab;
    for (const button of this.tabs) {
      const isOpen = button.dataset.tab === tab;
      button.setAttribute("aria-selected", String(isOpen));
      button.tabIndex = isOpen ? 0 : -1;
    }
    for (const [name, node] of Object.entries(this.panels)) if (node) node.hidden = name !== tab;
    this.right.setAttribute("aria-label", TAB_NAMES[tab]);
    this.left.hidden = this.choice.hidden = this.summary.hidden = tab === "train"; // a task has its own program
    this.seePlace.hidden = tab === "train" || tab === "adapt";
    this.changed();
  }

  // -- the link -----------------------------------------------------------------

  // Browsers refuse an address that changes too often: the last change wins, a moment later.
  changed() {
    clearTimeout(this.linkTimer);
    this.linkTimer = setTimeout(() => this.writeLink(), 200);
  }

  async writeLink() {
    clearTimeout(this.linkTimer);
    this.link = await linkOfState(this.state, this.data);
    try {
      window.history.replaceState(null, "", this.link);
    } catch (problem) {
      // a page inside another one has no address of its own
    }
  }

  async copyLink() {
    await this.writeLink();
    const whole = window.location.href.replace(/#.*$/, "") + this.link;
    try {
      await navigator.clipboard.writeText(whole);
      this.share.textContent = "Copied";
    } catch (problem) {
      this.share.textContent = "It is in the address bar";
    }
    setTimeout(() => (this.share.textContent = "Copy link"), 2000);
  }
}

startPage(async (data, place) => {
  const page = new PlayPage(data, place);
  await page.begin();
});
