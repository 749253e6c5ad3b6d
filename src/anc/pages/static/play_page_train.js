// Gradient descent in the page: one seed of a task, in a worker, with its losses, its controller and its hardened program as they change.

const LOSSES = [["correctness", "wrong cells"], ["halting", "not stopping"], ["confidence", "indecision"], ["efficiency", "steps"]];
const MATRICES = [["first", "first operand"], ["second", "second operand"], ["op", "instruction"], ["out", "output"]];
const PACES = [[60, "60 iterations / s"], [250, "250 / s"], [0, "as fast as it goes"]];
const FIRST_PACE = 250;

class TrainView {
  constructor(page) {
    this.page = page;
    const { tasks } = page.data;
    this.task = el("select", { "aria-label": "Task" }, Object.keys(tasks).map((name) => el("option", { value: name }, name)));
    this.task.addEventListener("change", () => this._chosen());
    this.seed = el("input", { type: "number", min: 0, max: NUMBERS.seed.high, "aria-label": "Seed" });
    this.seed.addEventListener("change", () => this._seedTyped());
    this.pace = el("select", { "aria-label": "Pace", title: "Iterations in a second" }, PACES.map(([value, words]) => el("option", { value }, words)));
    this.pace.value = FIRST_PACE;
    this.pace.addEventListener("change", () => this.worker && this.worker.postMessage({ type: "pace", pace: this._pace() }));
    this.mine = el("input", { type: "checkbox" });
    this.start = playButton("Train", () => this.begin(), "primary");
    this.stop = playButton("Stop", () => this.worker.postMessage({ type: "stop" }));
    this.another = playButton("Another seed", () => this._another());
    this.bias = el("p", { class: "play-bias" });
    this.status = el("p", { class: "play-status", role: "status", "aria-live": "polite" });
    this.tiles = el("div");
    this.lossChart = this._chart("loss terms", "log", true);
    this.rightChart = this._chart("cases right", "", false);
    this.listing = el("div", { class: "play-hardened" });
    this.registers = el("div", { class: "register-chips", "aria-label": "First values of the registers" });
    this.matrices = MATRICES.map(([part, title]) => new LiveMatrix(part, title));
    this.use = playButton("Put it into the editor", () => this._use());
    this.shown = el("div", { class: "play-train-shown", hidden: true }, this.tiles,
      el("section", { class: "card play-charts" }, this.lossChart.node, this.rightChart.node,
        legendRow([...LOSSES.map(([name, words]) => [`loss-${name}`, words]), ["right-soft", "right, run softly"], ["right-hard", "right, as a program"]])),
      el("section", { class: "card play-now" }, el("div", { class: "card-head" }, el("h2", {}, "The program that it would be now"), this.use), this.registers, this.listing),
      el("section", { class: "card play-now" }, el("div", { class: "card-head" }, el("h2", {}, "The controller"), el("span", { class: "muted" }, "a row for each program line; strong is likely")),
        el("div", { class: "play-matrices" }, this.matrices.map(({ node }) => node))));
    const head = el("section", { class: "card play-train-head" },
      el("div", { class: "play-choices" }, el("label", { class: "check" }, "Task", this.task), el("label", { class: "check" }, "seed", this.seed), this.pace, this.start, this.stop, this.another),
      this.bias, el("label", { class: "check muted" }, this.mine, "begin with the program in the editor instead of the task's own"), this.status);
    this.node = el("div", { class: "play-train", hidden: true }, head, this.shown);
    this._rest();
    onTheme(() => this.weights && this._drawWeights());
  }

  take(state) {
    const { tasks } = this.page.data;
    this.task.value = state.task || (tasks[state.program] ? state.program : Object.keys(tasks)[0]);
    this.seed.value = state.seed;
    this._explain();
  }

  _chosen() {
    this.page.state.task = this.task.value;
    this._explain();
    this.page.changed();
  }

  _explain() {
    const { bias } = this.page.data.tasks[this.task.value];
    this.bias.replaceChildren(el("b", {}, "The inputs: "), bias);
  }

  _seedTyped() {
    const value = Math.round(Number(this.seed.value));
    if (value >= 0 && value <= NUMBERS.seed.high) this.page.state.seed = value;
    this.seed.value = this.page.state.seed;
    this.page.changed();
  }

  _another() {
    this.page.state.seed = (this.page.state.seed + 1) % (NUMBERS.seed.high + 1);
    this.seed.value = this.page.state.seed;
    this.page.changed();
    this.begin();
  }

  // -- the worker ---------------------------------------------------------------

  begin() {
    if (!this.worker) {
      this.worker = this.page.engine.startWorker(String(playEngine));
      this.worker.addEventListener("message", ({ data }) => this._told(data));
      this.worker.addEventListener("error", (event) => this._failed(event.message));
    }
    this.task.disabled = this.seed.disabled = this.start.disabled = true;
    this.stop.disabled = false;
    this.status.textContent = "Compiling the program to weights ...";
    this.points = [];
    const { settings, text } = this.page.data.tasks[this.task.value];
    const asked = { task: this.task.value, seed: this.page.state.seed, settings, text: this.mine.checked ? this.page.editor.value : text };
    this.worker.postMessage({ type: "train", ...asked, biased: true, every: 0.15, until: "success", pace: this._pace() });
  }

  _pace() {
    return Number(this.pace.value) || null;
  }

  _rest() {
    this.task.disabled = this.seed.disabled = this.start.disabled = false;
    this.stop.disabled = true;
  }

  _failed(words) {
    this._rest();
    this.status.textContent = words;
    this.status.classList.add("bad");
  }

  _told(message) {
    if (message.type === "problem") return this._failed(`${message.message}${message.help ? ` (${message.help})` : ""}`);
    this.status.classList.remove("bad");
    if (message.type === "begin") return this._begun(message);
    this._progress(message);
    if (message.type !== "end") return undefined;
    this._rest();
    this.status.textContent = this._verdict(message);
    return undefined;
  }

  _verdict({ reason, succeeded, right, steps, hardRight, hardSteps, exact }) {
    const begun = { succeeded: "It succeeded", iterations: "The iterations are used up", stopped: "Stopped" }[reason];
    const seed = succeeded ? "" : " Another seed may succeed.";
    const generic = `the generic program takes ${hundredths(this.begun.genericSteps)}`;
    const soft = `: run softly, it is right on ${share(right)} of new cases, in ${hundredths(steps)} steps (${generic}).`;
    const hard = hardRight === 1 ? ` Read back as a program it is right on all of them, in ${hundredths(hardSteps)} steps.`
      : ` Read back as a program it is right on ${share(hardRight)}: some of what it learnt needs probabilities.`;
    const met = hardRight === 1 || !exact ? "" : ` But on its way, at iteration ${exact.iteration}, it was a program that is right on all held-out cases, in ${hundredths(exact.steps)} steps.`;
    return `${begun}${soft}${hard}${met}${seed}`;
  }

  _begun(message) {
    this.begun = message;
    this.shown.hidden = false;
    const { program } = this.page.engine.compile(message.text, { memory: message.M });
    const numbered = { ...program, names: program.names.map((_, r) => `R${r + 1}`) };
    this.first = program.registers;
    this.previous = this.generic = numbered.lines.map((line) => commandText(numbered, line));
    this.status.textContent = `Training ${message.task} with seed ${message.seed}.`;
    for (const matrix of this.matrices) matrix.take(message);
  }

  _progress(message) {
    this.last = message;
    if (message.type === "progress") this.points.push({ iteration: message.iteration, loss: message.loss, right: message.right, hard: message.hardRight });
    const { M, R, names } = this.begun;
    const set = this.page.engine.sets[this.begun.setName];
    this.weights = this.page.engine.weightsOf(message.flat, M, R, set, M, names);
    this._tiles(message);
    this.lossChart.render();
    this.rightChart.render();
    this._drawListing(message);
    this._drawWeights();
  }

  // -- what is shown ------------------------------------------------------------

  _tiles(now) {
    const steps = (number) => (number === null || number === undefined ? "–" : hundredths(number));
    this.tiles.replaceChildren(summaryTiles([
      ["iteration", `${now.iteration}`, "", `of ${now.iterations}${now.rate ? `, ${Math.round(now.rate)} a second` : ""}`],
      ["soft, right", share(now.right), now.right === 1 ? "good" : "", `of the cases, in ${steps(now.steps)} steps`],
      ["as a program", share(now.hardRight), now.hardRight === 1 ? "good" : "", `right, in ${steps(now.hardSteps)} steps; generic ${steps(this.begun.genericSteps)}`],
      ["success", now.succeeded ? "yes" : "not yet", now.succeeded ? "good" : "", `seed ${this.begun.seed}${now.attempt > 1 ? `, attempt ${now.attempt}` : ""}`],
    ]));
  }

  _chart(title, kind, isLoss) {
    const top = () => Math.max(10, ...(this.points || []).map(({ iteration }) => iteration));
    const values = () => (this.points || []).flatMap(({ loss }) => LOSSES.map(([name]) => loss[name])).filter((value) => value > 0);
    const range = () => {
      if (!isLoss) return { x: [0, top()], y: [0, 1] };
      const all = values();
      return { x: [0, top()], y: all.length ? [Math.max(1e-5, Math.min(...all)), Math.max(...all) * 1.1] : [0.01, 1], log: true };
    };
    const draw = (frame) => {
      const points = this.points || [];
      const xs = points.map(({ iteration }) => iteration);
      const lines = isLoss ? LOSSES.map(([name]) => [`loss-${name}`, points.map(({ loss }) => loss[name])])
        : [["right-soft", points.map(({ right }) => right ?? null)], ["right-hard", points.map(({ hard }) => hard ?? null)]];
      for (const [name, ys] of lines) frame.plot.append(svg("path", { class: `play-curve ${name}`, d: pathOf(frame, xs, ys) }));
    };
    return new Chart({ title, xName: "iteration", yName: isLoss ? "loss" : "share", height: 190, range, draw });
  }

  // The program line by line, before and now; what differs is marked, and what has just changed flashes.
  _drawListing(message) {
    this.hardened = message.hardRight === 1 || !message.exact ? message.listing : message.exact.listing;
    const now = linesOf(message.listing);
    const visited = new Set(message.visited);
    const rows = now.map((line, i) => {
      const before = this.generic[i] || "";
      const kinds = [visited.has(i) ? "" : "unvisited", withoutLabels(before) === withoutLabels(line) ? "" : "changed", this.previous[i] === line ? "" : "flash"];
      return el("tr", { class: kinds.filter(Boolean).join(" ") }, el("th", { scope: "row" }, i), el("td", {}, before), el("td", {}, line));
    });
    const head = el("thead", {}, el("tr", {}, el("td"), el("th", { scope: "col" }, "generic"), el("th", { scope: "col" }, "now")));
    this.listing.replaceChildren(el("table", { class: "mono" }, head, el("tbody", {}, rows)));
    this.previous = now;
    this._drawRegisters();
  }

  // What the registers begin with: it is learnt, too.
  _drawRegisters() {
    const { M, R } = this.begun;
    this.registers.replaceChildren(...Array.from({ length: R }, (_, r) => {
      const row = this.page.engine.probabilities(this.weights.registers.subarray(r * M, (r + 1) * M));
      const best = row.indexOf(Math.max(...row));
      const was = this.first[r];
      const is = isLikely(row[best], M) ? best : null;
      const words = was === is ? [`R${r + 1} = ${is ?? "–"}`] : [`R${r + 1} = ${was ?? "–"} → `, el("b", {}, is ?? "–")];
      return el("span", { class: `register-chip mono${was === is ? "" : " differs"}` }, words, el("small", {}, short(row[best])));
    }));
  }

  _drawWeights() {
    for (const matrix of this.matrices) matrix.draw(this.weights, this.page.engine);
  }

  _use() {
    this.page.state.step = 0;
    this.page.see.clock.set(0);
    this.page.write(this.hardened, this.begun.cases.length ? Array.from(this.begun.cases[0].input) : null);
    if (this.hardened === this.last.listing) this.page.useWeights(this.weights);
    this.page.open("run");
  }
}

function share(number) {
  return number === null || number === undefined ? "–" : `${Math.round(100 * number)} %`;
}

// The program lines of a listing as anc prints it.
function linesOf(text) {
  return text.split("\n").filter((line) => line && !/^(memory|instructions|start|var [^(]*$|#|\/\/)/.test(line)).map((line) => line.replace(/ *(#|\/\/).*/, ""));
}

// A program line in full: anc leaves out registers that are not used.
function commandText({ names, set }, { op, first, second, out }) {
  const operands = [first, second].slice(0, set.rows[set.code[op]].operands).map((register) => (register === null ? "–" : names[register]));
  return `${names[out]} = ${op}(${operands.join(", ")})`;
}

function withoutLabels(line) {
  return line.replace(/^\w+:\s*/, "");
}

// One of the four matrices, drawn again with every message.
class LiveMatrix {
  constructor(part, title) {
    this.part = part;
    this.canvas = el("canvas", { role: "img", "aria-label": `${title}: how likely each choice of each line is` });
    this.node = el("figure", { class: "matrix" }, el("figcaption", {}, title), this.canvas);
    onResize(this.node, (width) => {
      this.width = width;
      if (this.last) this.draw(...this.last);
    });
    explains(this.canvas, (event) => this._explain(event));
  }

  take({ M, R, N, names, setName }) {
    Object.assign(this, { rows: M, columns: this.part === "op" ? N : R, names, setName });
  }

  draw(weights, engine) {
    this.last = [weights, engine];
    if (!this.width) return;
    const { rows, columns } = this;
    this.p = Array.from({ length: rows }, (_, line) => engine.probabilities(weights[this.part].subarray(line * columns, (line + 1) * columns)));
    this.h = Math.max(4, Math.min(14, 280 / rows));
    this.w = Math.min(24, this.width / columns);
    const context = sharpContext(this.canvas, this.width, rows * this.h);
    this.p.forEach((row, line) => row.forEach((p, column) => {
      context.fillStyle = heatOf(p).css;
      context.fillRect(column * this.w, line * this.h, this.w - 1, this.h - 1);
    }));
  }

  _explain(event) {
    if (!this.p || event.offsetX === undefined) return null;
    const [line, column] = [Math.floor(event.offsetY / this.h), Math.floor(event.offsetX / this.w)];
    if (!this.p[line] || this.p[line][column] === undefined) return null;
    const name = this.part === "op" ? this.last[1].sets[this.setName].names[column] : this.names[column] || `R${column + 1}`;
    return [tooltipTitle(`line ${line}: ${name}`), el("div", { class: "mono" }, precise(this.p[line][column]))];
  }
}
