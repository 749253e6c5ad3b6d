// Text to syntax tree, a line at a time; a wrong statement is reported and skipped. The grammar and the messages are those of
// the Python parser, and a test compares them.

const TOKENS = [
  "(?<space>\\s+)|(?<comment>(?:#|//)[^\\n]*)|(?<number>[0-9]+)",
  "(?<file>instructions\\s+[^\\s;#=:(),?@]+)|(?<name>[A-Za-z_][A-Za-z0-9_]*)",
  "(?<mark>[():,;=?@])|(?<other>[^\\n])",
].join("|");
const EXAMPLE = /^(?:#|\/\/)\s*run:([^\n]*)/u;
const MOST_DIGITS = 9; // no machine holds a number with more

class Mistake extends Error {
  constructor(message, place, help) {
    super(message);
    this.diagnostic = diagnostic("error", message, place, help);
  }
}

function tokensOf(line, number) {
  const found = [];
  let end = characters(line.trimEnd()) + 1;
  for (const match of line.matchAll(new RegExp(TOKENS, "gu"))) {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    const before = line.slice(0, match.index);
    if (kind === "comment") end = characters(before.trimEnd()) + 1;
    if (kind !== "space") {
      found.push({ kind, text: match[0], span: span(number, characters(before) + 1, characters(match[0])) });
    }
  }
  return [...found, { kind: "end", text: "", span: span(number, end, 1) }];
}

function tokenInWords(token) {
  if (token.kind === "end" || token.kind === "comment") return "the end of the line";
  const letters = [...token.text];
  return letters.length <= 40 ? `'${token.text}'` : `'${letters.slice(0, 40).join("")}...'`;
}

// The tape before or after the arrow of an example.
function exampleTape(text, line, column) {
  const cells = [];
  for (const match of text.matchAll(/[^\s,]+/gu)) {
    if (!new RegExp(`^[0-9]{1,${MOST_DIGITS}}$`).test(match[0])) {
      const place = span(line, column + characters(text.slice(0, match.index)), characters(match[0]));
      throw new Mistake(`expected a number, found '${match[0]}'`, place);
    }
    cells.push(Number(match[0]));
  }
  if (!cells.length) {
    throw new Mistake("this side of the example has no cells", span(line, column, Math.max(1, characters(text))));
  }
  return cells;
}

function exampleIn(comment) {
  const match = EXAMPLE.exec(comment.text);
  if (!match) return [];
  const sides = match[1].split("->");
  if (sides.length !== 2) {
    const help = "write: # run: 6 9 1 -> 1 9 1 (the tape before, the tape after)";
    throw new Mistake("expected one '->' in this example", comment.span, help);
  }
  const { line, column, width } = comment.span;
  const first = column + characters(match[0]) - characters(match[1]);
  const input = exampleTape(sides[0], line, first);
  const output = exampleTape(sides[1], line, first + characters(sides[0]) + 2);
  return [{ input, output, line, column, width }];
}

class Parser {
  constructor(text, sets, given) {
    [this.text, this.sets, this.given] = [text, sets, given];
    this.set = given || sets.paper;
    this.file = null; // the word behind `instructions`
    this.mistakes = [];
    this.memory = this.start = null;
    [this.declarations, this.statements, this.examples, this.labels] = [[], [], [], []];
    this.frozen = null; // the place of an @frozen that waits for its line
  }

  parse() {
    this.text.split("\n").forEach((line, i) => this.line(line.replace(/\r+$/, ""), i + 1));
    this.finish();
    return this;
  }

  line(text, number) {
    [this.tokens, this.at] = [tokensOf(text, number), 0];
    while (this.here.kind !== "end") {
      try {
        if (this.here.kind === "comment") this.examples.push(...exampleIn(this.take()));
        else if (!this.accept(";")) this.statement();
      } catch (problem) {
        if (!(problem instanceof Mistake)) throw problem;
        this.mistakes.push(problem.diagnostic);
        [this.labels, this.frozen] = [[], null]; // they belong to the skipped statement
        while (!["end", "comment"].includes(this.here.kind) && this.here.text !== ";") this.at++;
      }
    }
  }

  finish() {
    for (const label of this.labels) {
      const message = `label '${label.text}' marks no line: no statement follows it`;
      this.wrong(message, label.span, "put a statement after it, such as STOP()");
    }
    if (this.frozen) this.wrong("@frozen marks no line: none follows it", this.frozen);
    if (!this.statements.length && !this.mistakes.length) {
      this.wrong("the program is empty: it has no statement", null, "the shortest is: STOP()");
    }
  }

  wrong(message, place, help) {
    this.mistakes.push(diagnostic("error", message, place, help));
  }

  // -- statements ----------------------------------------------------------------------------

  statement() {
    if (this.here.text === "?") return this.instructionLine(null, this.call(this.hole()));
    if (this.here.text === "@") return this.mark();
    if (this.here.kind === "file") return this.instructionsNamed();
    const word = this.name("a statement");
    const after = this.here;
    if (this.accept(":")) this.labels.push(word);
    else if (word.text === "var") this.declaration();
    else if (["memory", "start"].includes(word.text) && (["number", "name"].includes(after.kind) || after.text === "?")) {
      this.header(word);
    } else if (this.accept("=")) this.instructionLine(word, this.assignedCall(word));
    else if (after.text === "(") this.instructionLine(null, this.call(word));
    else throw this.unexpected(after, "':', '=' or '('", this.wordHelp(word, after));
    return null;
  }

  // `instructions wide`, before all lines.
  instructionsNamed() {
    const token = this.take();
    if (this.file !== null || this.statements.length || this.declarations.length) {
      throw new Mistake("a file of instructions is named once, on the first line", token.span);
    }
    this.file = token.text.split(/\s+/u)[1];
    const named = this.sets[this.file];
    if (!named) {
      const known = Object.keys(this.sets).join(" and ");
      throw new Mistake(`this page does not know the instructions '${this.file}'`, token.span, `it knows ${known}`);
    }
    if (this.given && this.given !== named) {
      const help = "leave the line or the option out";
      throw new Mistake("this program has other instructions than those given", token.span, help);
    }
    this.set = named;
    this.endOfStatement();
  }

  mark() {
    const at = this.take().span;
    const word = this.name("frozen");
    if (word.text !== "frozen") {
      throw new Mistake(`there is no mark '@${word.text}'`, word.span, "the mark of a line is @frozen");
    }
    this.frozen = span(at.line, at.column, word.span.column + word.span.width - at.column);
  }

  header(word) {
    if (this[word.text] !== null) throw new Mistake(`a second '${word.text}': a program has one`, word.span);
    const value = this.operand();
    if (value.kind === "hole") throw new Mistake(`'${word.text}' cannot be left open`, value.span);
    if (word.text === "start") this.start = value;
    else if (value.kind === "name") {
      throw new Mistake(`expected a number of cells, found '${value.text}'`, value.span);
    } else if (value.value === 0) throw new Mistake("a memory of 0 cells cannot hold anything", value.span);
    else this.memory = value;
    this.endOfStatement();
  }

  declaration() {
    const name = this.name("the name of a variable");
    if (name.text in this.set.code) throw new Mistake(`'${name.text}' is an instruction, not a name`, name.span);
    let value = null;
    if (this.accept("=")) {
      if (this.here.text === "?") {
        value = this.hole();
        if (this.here.text === "(") return this.declaredCall(name, value);
      } else if (this.here.kind === "name" && this.tokens[this.at + 1].text === "(") {
        return this.declaredCall(name, this.name("an instruction"));
      } else value = this.operand();
    }
    this.declarations.push({ name, value });
    if (this.frozen) {
      const help = "a number stays as it is when a frozen line reads it";
      throw new Mistake("@frozen marks program lines, not variables", this.frozen, help);
    }
    this.endOfStatement();
    return null;
  }

  declaredCall(name, op) {
    const call = this.call(op);
    this.declarations.push({ name, value: null });
    this.instructionLine(name, call);
  }

  instructionLine(out, call) {
    this.endOfStatement();
    this.statements.push({ labels: this.labels, out, call, frozen: this.frozen !== null });
    [this.labels, this.frozen] = [[], null];
  }

  assignedCall(out) {
    if (this.here.kind === "number") {
      const value = this.take();
      const help = `give a first value with: var ${out.text} = ${value.text}; later on, only instructions change a variable`;
      throw new Mistake(`expected an instruction, found '${value.text}'`, value.span, help);
    }
    if (this.here.text === "?") {
      const hole = this.hole();
      if (this.here.text === "(") return this.call(hole);
      throw this.unexpected(this.here, "'('", `to choose what is copied, write: ${out.text} = ADD(? in (a, b), 0)`);
    }
    const op = this.name("an instruction");
    if (this.here.text !== "(") {
      const known = closeMatch(op.text, this.set.names);
      const copy = `to copy a variable, write: ${out.text} = ADD(${op.text}, 0)`;
      throw this.unexpected(this.here, "'('", known ? `did you mean ${known}(...)?` : copy);
    }
    return this.call(op);
  }

  call(op) {
    this.expect("(", null);
    const operands = [];
    if (!this.accept(")")) {
      do operands.push(this.operand());
      while (this.accept(","));
      this.expect(")", "close the list of operands with ')'");
    }
    return { op, operands, span: this.upToHere(op.span) };
  }

  hole() {
    const begin = this.take().span;
    if (this.accept("in")) {
      this.expect("(", "write what may stand here: ? in (0, 1)");
      if (!this.accept(")")) {
        do {
          const choice = this.operand();
          if (choice.kind === "hole") throw new Mistake("a hole cannot be a choice of another hole", choice.span);
        } while (this.accept(","));
        this.expect(")", "close the list of choices with ')'");
      }
    }
    return { kind: "hole", span: this.upToHere(begin) };
  }

  operand() {
    const token = this.here;
    if (token.text === "?") return this.hole();
    if (token.kind === "number") {
      this.at++;
      if (token.text.replace(/^0+/, "").length > MOST_DIGITS) {
        throw new Mistake(`${token.text.slice(0, 20)}... is too large a number`, token.span);
      }
      return { kind: "number", value: Number(token.text), span: token.span };
    }
    if (token.text === "-") {
      const help = "numbers go from 0 to M-1; arithmetic is modulo M, so M-1 acts as -1";
      throw new Mistake("expected a number or a name, found '-'", token.span, help);
    }
    return this.name("a number or a name");
  }

  // -- tokens --------------------------------------------------------------------------------

  get here() {
    return this.tokens[this.at];
  }

  take() {
    return this.tokens[this.at++];
  }

  accept(text) {
    if (this.here.text !== text) return false;
    this.at++;
    return true;
  }

  // From a place to the end of the last token.
  upToHere(begin) {
    const last = this.tokens[this.at - 1].span;
    return span(begin.line, begin.column, last.column + last.width - begin.column);
  }

  expect(mark, help) {
    if (!this.accept(mark)) throw this.unexpected(this.here, mark === ")" ? "',' or ')'" : `'${mark}'`, help);
  }

  name(wanted) {
    const token = this.here;
    if (token.kind !== "name") throw this.unexpected(token, wanted, null);
    this.at++;
    return { kind: "name", text: token.text, span: token.span };
  }

  endOfStatement() {
    if (!["end", "comment"].includes(this.here.kind) && !this.accept(";")) {
      throw this.unexpected(this.here, "the end of the line", "put ';' between statements");
    }
  }

  unexpected(token, wanted, help) {
    return new Mistake(`expected ${wanted}, found ${tokenInWords(token)}`, token.span, help);
  }

  wordHelp(word, after) {
    if (word.text in this.set.code) return `instructions are called with parentheses: ${word.text}(...)`;
    const known = closeMatch(word.text, [...this.set.names, "var", "memory", "start"]);
    if (known) return `did you mean ${known}?`;
    if (["name", "number"].includes(after.kind)) {
      return "a statement is: var NAME, NAME = INSTRUCTION(...), INSTRUCTION(...) or LABEL:";
    }
    return null;
  }
}
