// The listing as an editor: names and comments coloured, mistakes underlined while one types, and in its margin where the exact
// machine is and how likely the soft machine is there.

const PAUSE = 150; // milliseconds without a key before the text is read again
const TOKEN = /(#.*|\/\/.*)|\b(var|memory|start|instructions)\b|([A-Za-z_]\w*)(?=\s*:)|([A-Za-z_]\w*)(?=\s*\()|(\b\d+\b)/g;
const TOKEN_KINDS = ["comment", "keyword", "label", "instruction", "number"];

class Editor {
  constructor(changed) {
    this.changed = changed;
    this.text = el("textarea", { class: "mono", spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off", wrap: "off", "aria-label": "Listing of the program", "aria-describedby": "play-messages", maxlength: MOST_TEXT });
    this.behind = el("pre", { class: "mono", "aria-hidden": "true" });
    this.margin = el("div", { class: "play-margin mono", "aria-hidden": "true" });
    this.messages = el("div", { class: "play-messages", id: "play-messages", role: "status", "aria-live": "polite" });
    const code = el("div", { class: "play-code" }, this.behind, this.text);
    this.box = el("div", { class: "play-editor" }, this.margin, code);
    this.node = el("div", {}, this.box, this.messages);
    this.rows = [];
    this.text.addEventListener("input", () => this._typed());
    this.text.addEventListener("keydown", (event) => this._keys(event));
    onTheme(() => this.show(this.marks));
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    clearTimeout(this.timer);
    this.text.value = text;
    this.marks = null;
    this._colour([]);
  }

  _typed() {
    this._colour([]);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed(), PAUSE);
  }

  // Escape leaves the editor: the Tab key does so, too, for people who use no mouse.
  _keys(event) {
    if (event.key === "Escape") this.text.blur();
    event.stopPropagation();
  }

  // Mistakes and warnings, each with its place.
  explain(found, engine) {
    this._colour(found);
    this.text.setAttribute("aria-invalid", String(found.some(({ severity }) => severity === "error")));
    this.messages.replaceChildren(...found.slice(0, 8).map((one) => this._message(one, engine)),
      found.length > 8 ? el("p", { class: "muted" }, `and ${found.length - 8} more`) : "");
  }

  // The numbers of the program lines, each at the first statement of its line of text.
  number(program) {
    const first = new Map();
    program.lines.forEach(({ sourceLine }, number) => first.has(sourceLine) || first.set(sourceLine, number));
    for (const row of this.rows) row.line.textContent = first.has(row.number) ? first.get(row.number) : "";
  }

  _message(one, engine) {
    const place = one.line === null ? "" : `in line ${one.line} of the text: `;
    const go = el("button", { type: "button", class: "play-message-text", disabled: one.line === null }, el("b", {}, one.severity), ` ${place}${one.message}`);
    go.addEventListener("click", () => this._goTo(one));
    const lines = engine.render(one, this.value, "listing").split("\n");
    const caret = lines.findIndex((line) => /^ *\| +\^/.test(line));
    return el("div", { class: `play-message ${one.severity}` }, go,
      caret > 0 ? el("pre", { class: "mono" }, lines.slice(caret - 1, caret + 1).join("\n")) : null,
      one.help ? el("p", { class: "muted" }, `help: ${one.help}`) : null);
  }

  _goTo({ line, column, width }) {
    const before = this.value.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(before + column - 1, before + column - 1 + Math.max(1, width));
  }

  // Write the text again behind the transparent one, with colours and underlines.
  _colour(found) {
    const lines = this.value.split("\n");
    const marks = new Map();
    for (const one of found) if (one.line !== null) marks.set(one.line, [...(marks.get(one.line) || []), one]);
    this.behind.replaceChildren(...lines.map((line, i) => el("div", { class: "code-line" }, colouredLine(line, marks.get(i + 1) || []))));
    this.rows = lines.map((_, i) => ({ arrow: el("span", { class: "arrow" }), p: el("span", { class: "line-p" }), number: i + 1 }));
    this.margin.replaceChildren(...this.rows.map((row) => {
      row.line = el("span", { class: "line-number" });
      row.node = el("div", { class: "margin-line" }, row.arrow, row.line, row.p);
      return row.node;
    }));
    this.text.style.height = this.behind.style.height = `${lines.length * 20 + 14}px`;
    const widest = Math.max(...lines.map((line) => line.length));
    this.text.style.width = this.behind.style.width = `max(100%, ${widest + 4}ch)`;
    if (this.marks) this.show(this.marks);
  }

  // Where the machines are: {current, next} lines of the exact one, line to probability of the soft one.
  show(marks) {
    this.marks = marks;
    if (!marks) return;
    const { exact, soft } = marks;
    for (const row of this.rows) {
      const isCurrent = row.number === exact.current;
      row.arrow.textContent = isCurrent ? "▶" : row.number === exact.next ? "▷" : "";
      const p = (soft && soft.get(row.number)) || 0;
      const heat = p >= 0.01 ? heatOf(p) : null;
      row.p.textContent = heat ? short(p) : "";
      row.p.style.backgroundColor = heat ? heat.css : "";
      row.p.style.color = heat ? heat.ink : "";
      row.node.classList.toggle("current", isCurrent);
      this.behind.childNodes[row.number - 1].classList.toggle("current", isCurrent);
    }
  }

  // Bring the current line into sight, inside the editor only.
  reveal() {
    const row = this.rows.find(({ number }) => this.marks && number === this.marks.exact.current);
    if (!row || document.activeElement === this.text) return;
    const [top, height] = [row.node.offsetTop, row.node.offsetHeight];
    const box = this.box;
    if (top < box.scrollTop + 30) box.scrollTop = top - 30;
    else if (top + height > box.scrollTop + box.clientHeight - 30) box.scrollTop = top + height + 30 - box.clientHeight;
  }
}

function colouredLine(text, marks) {
  const kinds = new Array(text.length).fill("");
  for (const found of text.matchAll(TOKEN)) {
    const kind = TOKEN_KINDS[found.slice(1).findIndex((part) => part !== undefined)];
    kinds.fill(kind, found.index, found.index + found[0].length);
  }
  for (const { column, width, severity } of marks) {
    for (let i = column - 1; i < Math.min(text.length, column - 1 + width); i++) kinds[i] += ` mistake ${severity}`;
  }
  const parts = [];
  for (let begin = 0, i = 1; i <= text.length; i++) {
    if (i < text.length && kinds[i] === kinds[begin]) continue;
    parts.push(kinds[begin] ? el("span", { class: kinds[begin] }, text.slice(begin, i)) : text.slice(begin, i));
    begin = i;
  }
  const isBehind = marks.some(({ column }) => column > text.length); // at the end of the line: something is missing
  return [...parts, isBehind ? el("span", { class: "mistake error" }, " ") : "", "\u200b"];
}
