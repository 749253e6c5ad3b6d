// "Adapt and prove" with the engines of anc: by the server of `anc play` where there is one, else by the command that is shown.

const POLL = 500; // milliseconds
const ENDS = { done: "Done.", failed: "It failed.", stopped: "Stopped before there was a result." };

class AdaptView {
  constructor(page) {
    this.page = page;
    this.server = page.data.server;
    this.what = el("p");
    this.tapes = el("textarea", { class: "mono play-tapes", rows: 6, spellcheck: "false", "aria-label": "Tapes to adapt to, one on each line" });
    this.tapes.addEventListener("input", () => this._commands());
    this.tapes.addEventListener("keydown", (event) => event.stopPropagation());
    this.add = playButton("Add the tape of the editor", () => this._addTape());
    this.own = el("div", { class: "play-own" }, el("label", {}, "Tapes to adapt to, one on each line:", this.tapes), this.add);
    this.seconds = el("input", { type: "number", min: 2, max: 120, value: 20, "aria-label": "Seconds" });
    this.seconds.addEventListener("change", () => this._commands());
    this.start = playButton("Adapt and prove", () => this.begin(), "primary");
    this.stop = playButton("Stop", () => this._post("stop", {}));
    this.stop.disabled = true;
    this.command = el("pre", { class: "mono play-shell", tabindex: "0" });
    this.files = el("p", { class: "muted" });
    this.status = el("p", { class: "play-status", role: "status", "aria-live": "polite" });
    this.log = el("pre", { class: "mono play-log", hidden: true, tabindex: "0", "aria-label": "Progress" });
    this.result = el("div", { class: "play-result" });
    const buttons = this.server ? el("div", { class: "play-choices" }, el("label", { class: "check" }, "for", this.seconds, "seconds"), this.start, this.stop) : null;
    const how = this.server ? "This command does the same:" : "This page has no engine for that. Start it with anc play, or run this command:";
    const head = el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "Adapt and prove")), this.what, this.own, buttons, this.status, this.log,
      el("p", { class: "muted" }, how), this.command, this.files);
    this.node = el("div", { class: "play-adapt", hidden: true }, head, this.result);
  }

  // The task whose inputs are used: a program of the paper that is as it was.
  get task() {
    return this.page.state.text === null ? this.page.state.program : null;
  }

  // The program has changed.
  about() {
    const { task } = this;
    this.own.hidden = Boolean(task);
    this.what.textContent = task
      ? `anc looks for a faster program on the biased inputs of ${task}, and for a proof of where it is right.`
      : "anc looks for a program that is faster on your tapes, and for a proof of where it is right.";
    if (!task && !this.tapes.value.trim()) {
      const examples = (this.page.examples || []).map(({ input }) => input.join(" "));
      this.tapes.value = [...new Set([...examples, withoutZeros(this.page.tapeEditor.tape).join(" ") || "0"])].join("\n");
    }
    this._commands();
  }

  _commands() {
    const { task } = this;
    this.command.textContent = `anc adapt ${task || `program.anc --data tapes.jsonl --memory ${this.page.cells()}`} --budget ${this.seconds.value || 20}s -o result`;
    this.files.replaceChildren();
    if (task) return;
    const download = (name, text) => {
      const link = el("a", { href: "#", download: name }, name);
      link.addEventListener("click", () => (link.href = URL.createObjectURL(new Blob([text()], { type: "text/plain" }))));
      return link;
    };
    this.files.append("with the files ", download("program.anc", () => this.page.editor.value), " and ",
      download("tapes.jsonl", () => this._tapes().map((input) => `${JSON.stringify({ input })}\n`).join("")));
  }

  _tapes() {
    return this.tapes.value.split("\n").map((line) => (line.match(/\d+/g) || []).map(Number)).filter((cells) => cells.length);
  }

  _addTape() {
    this.tapes.value = `${this.tapes.value.trimEnd()}\n${withoutZeros(this.page.tapeEditor.tape).join(" ") || "0"}`.trimStart();
  }

  // -- the server ---------------------------------------------------------------

  async _post(what, data) {
    return this._fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) });
  }

  async _fetch(what, options) {
    try {
      return await (await fetch(what, options)).json();
    } catch (problem) {
      return { problem: "The server does not answer: anc play has ended. Start it again." };
    }
  }

  async begin() {
    const { task, page } = this;
    this.result.replaceChildren();
    const said = await this._post("adapt", { task, program: page.editor.value, tapes: task ? [] : this._tapes(), memory: page.cells(), seconds: Number(this.seconds.value) });
    if (said.problem) return this._end(said.problem, said.help);
    this.start.disabled = true;
    this.stop.disabled = false;
    return this._poll();
  }

  async _poll() {
    const job = await this._fetch("job");
    if (job.problem) return this._end(job.problem, job.help);
    this.log.hidden = false;
    this.log.textContent = job.lines.join("\n");
    this.log.scrollTop = this.log.scrollHeight;
    this.status.classList.remove("bad");
    if (job.state === "running") {
      this.status.textContent = `Adapting: ${Math.round(job.seconds)} s`;
      setTimeout(() => this._poll(), POLL);
      return undefined;
    }
    this._end(job.state === "done" ? "" : ENDS[job.state] || "", null, job.state === "failed");
    if (job.result) this._show(job.result);
    return undefined;
  }

  _end(words, help = null, isBad = true) {
    this.start.disabled = false;
    this.stop.disabled = true;
    this.status.textContent = `${words}${help ? ` (${help})` : ""}`;
    this.status.classList.toggle("bad", isBad && Boolean(words));
  }

  _show(data) {
    const whole = el("a", { href: "report", target: "_blank", rel: "noopener" }, "Open its page");
    const better = data.answers.find((answer) => !answer.is_generic);
    const use = better ? playButton("Put it into the editor", () => {
      this.page.write(better.program, data.result.example_tape || null);
      this.page.open("run");
    }) : null;
    put(this.result, [
      el("section", { class: "card play-choices" }, whole, use),
      el("div", { class: "adapt-grid" }, data.answers.map((answer) => answerCard(data, answer)), el("div", { class: "stack" }, foundChart(data), remarks(data))),
      programsView(data),
    ]);
  }
}
