// The tape before the run, editable cell by cell; a whole tape can be pasted into a cell.

class TapeEditor {
  constructor(changed) {
    this.changed = changed;
    this.cells = [];
    this.grid = el("div", { class: "play-tape", role: "group", "aria-label": "Tape before the run, cell by cell" });
    this.problem = el("p", { class: "play-problem", role: "status", "aria-live": "polite" });
    this.node = el("div", {}, this.grid, this.problem);
  }

  get tape() {
    return this.cells.map(({ value }) => value);
  }

  // Have M cells with these values.
  set(tape, M) {
    this.M = M;
    if (this.cells.length !== M) {
      this.cells = Array.from({ length: M }, (_, cell) => this._cell(cell));
      this.grid.replaceChildren(...this.cells.map(({ node }) => node));
    }
    this.cells.forEach((cell, i) => this._show(cell, tape[i] || 0));
    this.problem.textContent = "";
  }

  _show(cell, value) {
    cell.value = value;
    if (cell.input.value !== String(value)) cell.input.value = value;
    cell.input.classList.remove("wrong");
    cell.input.classList.toggle("zero", value === 0);
  }

  _cell(number) {
    const input = el("input", { type: "text", inputmode: "numeric", class: "mono", "aria-label": `Cell ${number}`, maxlength: 4, autocomplete: "off" });
    const cell = { input, value: 0, node: el("label", { class: "play-cell" }, el("span", { class: "tile-address mono", "aria-hidden": "true" }, number), input) };
    input.addEventListener("input", () => this._typed(cell));
    input.addEventListener("focus", () => input.select());
    input.addEventListener("blur", () => this._show(cell, cell.value));
    input.addEventListener("paste", (event) => this._paste(event, number));
    input.addEventListener("keydown", (event) => this._keys(event, number));
    return cell;
  }

  _typed(cell) {
    const text = cell.input.value.trim();
    const isRight = /^\d{0,4}$/.test(text) && Number(text) < this.M;
    cell.input.classList.toggle("wrong", !isRight);
    this.problem.textContent = isRight ? "" : `A cell holds a number from 0 to ${this.M - 1}.`;
    if (!isRight) return;
    cell.value = Number(text);
    cell.input.classList.toggle("zero", cell.value === 0);
    this.changed();
  }

  _paste(event, first) {
    const text = (event.clipboardData || { getData: () => "" }).getData("text");
    const numbers = text.match(/\d+/g);
    if (!numbers || numbers.length < 2) return;
    event.preventDefault();
    const wrong = numbers.find((number) => Number(number) >= this.M);
    if (wrong !== undefined || first + numbers.length > this.M) {
      this.problem.textContent = wrong === undefined ? `That is more than fits behind cell ${first}.` : `${wrong.slice(0, 9)} is too large: a cell holds a number from 0 to ${this.M - 1}.`;
      return;
    }
    numbers.forEach((number, i) => this._show(this.cells[first + i], Number(number)));
    this.problem.textContent = "";
    this.changed();
  }

  _keys(event, number) {
    const { input } = this.cells[number];
    const columns = Math.max(1, getComputedStyle(this.grid).gridTemplateColumns.split(" ").length);
    const atEnd = input.selectionStart === input.value.length || input.selectionStart !== input.selectionEnd;
    const atBegin = input.selectionEnd === 0 || input.selectionStart !== input.selectionEnd;
    const moves = { ArrowUp: -columns, ArrowDown: columns, ArrowLeft: atBegin ? -1 : 0, ArrowRight: atEnd ? 1 : 0, Enter: 1 };
    const there = this.cells[number + (moves[event.key] || 0)];
    event.stopPropagation();
    if (!moves[event.key] || !there) return;
    event.preventDefault();
    there.input.focus();
  }
}
