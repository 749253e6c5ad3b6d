// Gradient descent in the page: one seed of a task, in a worker, with its losses, its controller and its hardened program as they change.

const LOSSES = [["correctness", "wrong cells"], ["halting", "not stopping"], ["confidence", "indecision"], ["efficiency", "steps"]];
const MATRICES = [["first", "first operand"], ["second", "second operand"], ["op", "instruction"], ["out", "output"]];
const REASONS = {
  succeeded: "It succeeded: the program is right on the held-out cases and takes fewer steps.",
  iterations: "The iterations are used up.",
  stopped: "Stopped.",
};

class TrainView {
  constructor(page) {
    this.page = page;
    const { tasks } = page.data;
    this.task = el("select", { "aria-label": "Task" }, Object.keys(tasks).map((name) => el("option", { value: name }, name)));
    this.task.addEventListener("change", () => this._chosen());
    this.seed = el("input", { type: "number", min: 0, max: NUMBERS.seed.high, "aria-label": "Seed" });
    this.seed.addEventListener("change", () => this._seedTyped());
    this.start = this._button("Train", () => this.begin(), "primary");
    this.stop = this._button("Stop", () => this.worker.postMessage({ type: "stop" }));
    this.another = this._button("Another seed", () => this._another());
    this.bias = el("p", { class: "play-bias" });
    this.status = el("p", { class: "play-status", role: "status", "aria-live": "polite" });
    this.tiles = el("div");
    this.lossChart = this._chart("loss terms", "log", true);
    this.rightChart = this._chart("cases right", "", false);
    this.listing = el("div", { class: "play-hardened" });
    this.matrices = MATRICES.map(([part, title]) => new LiveMatrix(part, title));
    this.use = this._button("Put it into the editor", () => this._use());
    this.shown = el("div", { class: "play-train-shown", hidden: true }, this.tiles,
      el("section", { class: "card play-charts" }, this.lossChart.node, this.rightChart.node,
        legendRow([...LOSSES.map(([name, words]) => [`loss-${name}`, words]), ["right-soft", "right, run softly"], ["right-hard", "right, as a program"]])),
      el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "The program that it would be now"), this.use), this.listing),
      el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "The controller"), el("span", { class: "muted" }, "a row for each program line; strong is likely")),
        el("div", { class: "play-matrices" }, this.matrices.map(({ node }) => node))));
    const head = el("section", { class: "card play-train-head" },
      el("div", { class: "play-choices" }, el("label", { class: "check" }, "Task", this.task), el("label", { class: "check" }, "seed", this.seed), this.start, this.stop, this.another),
      this.bias, this.status);
    this.node = el("div", { class: "play-train", hidden: true }, head, this.shown);
    this._rest();
    onTheme(() => this.weights && this._drawWeights());
  }

  _button(words, action, kind = "") {
    const node = el("button", { type: "button", class: `play-button ${kind}` }, words);
    node.addEventListener("click", action);
    return node;
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
    const { settings } = this.page.data.tasks[this.task.value];
    this.worker.postMessage({ type: "train", task: this.task.value, seed: this.page.state.seed, settings, text: null, biased: true, every: 0.15 });
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
    const found = message.hardRight === 1 ? ` As a program it is right on all held-out cases, in ${hundredths(message.hardSteps)} steps instead of ${hundredths(this.begun.genericSteps)}.` : "";
    const tryAgain = message.succeeded ? "" : " Another seed may succeed.";
    this.status.textContent = `${REASONS[message.reason] || ""}${found}${tryAgain}`;
    return undefined;
  }

  _begun(message) {
    this.begun = message;
    this.shown.hidden = false;
    this.previous = this.generic = this._lines(message.text);
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
    const percent = (share) => (share === null || share === undefined ? "–" : `${Math.round(100 * share)} %`);
    const steps = (number) => (number === null || number === undefined ? "–" : hundredths(number));
    this.tiles.replaceChildren(summaryTiles([
      ["iteration", `${now.iteration}`, "", `of ${now.iterations}, ${Math.round(now.rate || 0)} a second`],
      ["soft, right", percent(now.right), now.right === 1 ? "good" : "", `of the cases, in ${steps(now.steps)} steps`],
      ["as a program", percent(now.hardRight), now.hardRight === 1 ? "good" : "", `right, in ${steps(now.hardSteps)} steps; generic ${steps(this.begun.genericSteps)}`],
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

  _lines(text) {
    return (text || "").split("\n").filter((line) => line && !/^(memory|var|start|#)/.test(line));
  }

  // The hardened program; lines that the generic one does not have are marked, and those that just changed flash.
  _drawListing(message) {
    this.use.disabled = !message.listing;
    if (!message.listing) {
      this.listing.replaceChildren(el("p", { class: "muted" }, "The likeliest choices make no program at this moment."));
      return;
    }
    this.hardened = message.listing;
    const lines = this._lines(message.listing);
    const known = new Set(this.generic.map(withoutLabel));
    this.listing.replaceChildren(...lines.map((line, i) => {
      const isNew = !known.has(withoutLabel(line));
      const justNow = this.previous[i] !== line;
      return el("div", { class: `line${isNew ? " changed" : ""}${justNow ? " flash" : ""}` }, el("span"), el("span", { class: "line-number mono" }, i), el("span", { class: "line-text mono" }, line));
    }));
    this.previous = lines;
  }

  _drawWeights() {
    for (const matrix of this.matrices) matrix.draw(this.weights, this.page.engine);
  }

  _use() {
    this.page.state.step = 0;
    this.page.see.clock.set(0);
    this.page.write(this.hardened, this.begun.cases.length ? Array.from(this.begun.cases[0].input) : null);
    this.page.open("run");
  }
}

function withoutLabel(line) {
  return line.replace(/^\w+:\s*/, "").replace(/\bl_\w+\b/g, "l");
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
