// Names and numbers of a listing: the nodes of its program, or what is wrong, and warnings.
//
// A node is { op, operands, out, span }. An operand is a variable { name, value, pinned, span } or a constant { value, name }.

const MOST_PINNED = 1000; // variables R1, R2, ... choose their register

function pinnedRegister(name) {
  const match = /^R([1-9][0-9]*)$/.exec(name);
  return match ? Number(match[1]) - 1 : null;
}

class Resolver {
  constructor(tree, memory) {
    [this.tree, this.set, this.mistakes] = [tree, tree.set, []];
    this.M = memory === null ? tree.memory && tree.memory.value : memory;
    this.memorySpan = memory === null && tree.memory ? tree.memory.span : null;
    [this.labels, this.variables] = [new Map(), new Map()];
  }

  graph() {
    this.checkMemory();
    this.collectLabels();
    this.collectVariables();
    const nodes = this.tree.statements.map(({ call, out }) => {
      this.checkInstruction(call);
      const operands = call.operands.map((each) => this.operand(each));
      return { op: call.op.text, operands, out: out && this.output(out), span: call.span };
    });
    const start = this.startLine();
    return { nodes, start, M: this.M, declared: [...this.variables.values()], set: this.set };
  }

  // -- limits --------------------------------------------------------------------------------

  checkMemory() {
    const { M, memorySpan } = this;
    if (M === null) return;
    const largest = this.set.largest;
    if (M < 1 || M > largest) {
      this.wrong(`a memory of ${M} cells is not possible`, memorySpan, `use a size from 1 to ${largest}`);
    }
    const lines = this.tree.statements.length;
    if (lines > M) {
      const where = M >= 0 ? this.tree.statements[M].call.span : memorySpan;
      const message = `the program has ${lines} lines, which is more than its memory of ${M} cells`;
      this.wrong(message, where, `line numbers are values too: use a memory of at least ${lines}`);
    }
  }

  checkNumber(value, place) {
    if (this.M === null || value < this.M) return;
    const message = `${value} does not fit in a memory of ${this.M} cells: values go from 0 to ${this.M - 1}`;
    this.wrong(message, place, `use a memory of at least ${value + 1}`);
  }

  // -- names ---------------------------------------------------------------------------------

  collectLabels() {
    this.tree.statements.forEach((statement, line) => {
      for (const label of statement.labels) {
        const first = this.labels.get(label.text);
        this.checkDefinition("label", label, first && first.span);
        if (!first) this.labels.set(label.text, { line, span: label.span });
      }
    });
  }

  collectVariables() {
    const values = [];
    for (const { name, value } of this.tree.declarations) {
      const first = this.variables.get(name.text);
      this.checkDefinition("variable", name, first && first.span);
      if (first) continue;
      const variable = { name: name.text, value: null, pinned: pinnedRegister(name.text), span: name.span };
      this.variables.set(name.text, variable);
      this.checkVariable(variable);
      values.push([variable, value]);
    }
    for (const [variable, value] of values) variable.value = this.initialValue(value);
  }

  checkDefinition(what, name, first) {
    if (first) this.wrong(`${what} '${name.text}' is defined twice, first in line ${first.line}`, name.span);
    else if (name.text in this.set.code) this.wrong(`'${name.text}' is an instruction, not a ${what}`, name.span);
  }

  checkVariable(variable) {
    const label = this.labels.get(variable.name);
    if (label) {
      const message = `'${variable.name}' is a variable here and a label in line ${label.span.line}`;
      this.wrong(message, variable.span, "rename one of the two");
    }
    if (variable.pinned !== null && variable.pinned >= MOST_PINNED) {
      const help = "names such as R1 choose their register; use another name, or a smaller number";
      this.wrong(`'${variable.name}' names a register beyond R${MOST_PINNED}`, variable.span, help);
    }
  }

  initialValue(value) {
    if (value === null) return null;
    const found = this.operand(value);
    if (!("pinned" in found)) return found.value;
    this.wrong(`'${found.name}' is a variable; an initial value is a number or a label`, value.span);
    return null;
  }

  operand(operand) {
    if (operand.kind === "number") {
      this.checkNumber(operand.value, operand.span);
      return { value: operand.value, name: String(operand.value) };
    }
    if (this.variables.has(operand.text)) return this.variables.get(operand.text);
    if (this.labels.has(operand.text)) return { value: this.labels.get(operand.text).line, name: operand.text };
    const message = `'${operand.text}' is neither a variable nor a label`;
    const known = [...this.variables.keys(), ...this.labels.keys()];
    this.unknown(message, operand, known, `declare it: var ${operand.text} = 0`);
    return { value: 0, name: "" };
  }

  output(name) {
    if (this.labels.has(name.text) && !this.variables.has(name.text)) {
      this.wrong(`'${name.text}' is a label; only a variable can take an output`, name.span);
    } else if (!this.variables.has(name.text)) {
      const message = `variable '${name.text}' is not declared`;
      this.unknown(message, name, [...this.variables.keys()], `declare it: var ${name.text}`);
    }
    return this.variables.get(name.text) || null;
  }

  startLine() {
    const { start, statements } = this.tree;
    if (start === null) return 0;
    if (start.kind === "number") {
      if (start.value >= statements.length) {
        this.wrong(`start ${start.value}: the program has only lines 0 to ${statements.length - 1}`, start.span);
      }
      return start.value;
    }
    if (this.labels.has(start.text)) return this.labels.get(start.text).line;
    const message = `start names '${start.text}', which is not a label`;
    this.unknown(message, start, [...this.labels.keys()], "name a label, or give a line number");
    return 0;
  }

  checkInstruction(call) {
    const [op, found] = [call.op.text, call.operands.length];
    if (!(op in this.set.code)) {
      const match = closeMatch(op, this.set.names);
      const all = `the instructions are ${this.set.names.join(", ")}`;
      this.wrong(`unknown instruction '${op}'`, call.op.span, match ? `did you mean ${match}?` : all);
      return;
    }
    const wanted = this.set.rows[this.set.code[op]].operands;
    if (found === wanted) return;
    const message = `${op} takes ${wanted || "no"} operand${wanted === 1 ? "" : "s"}, found ${found}`;
    this.wrong(message, call.span, `write ${op}(${["first", "second"].slice(0, wanted).join(", ")})`);
  }

  unknown(message, name, known, otherwise) {
    const match = closeMatch(name.text, known);
    this.wrong(message, name.span, match ? `did you mean '${match}'?` : otherwise);
  }

  wrong(message, place, help) {
    this.mistakes.push(diagnostic("error", message, place, help));
  }
}

// A sketch has holes, and no machine runs it.
function holesOf(tree) {
  const values = tree.declarations.map((each) => each.value);
  const parts = tree.statements.flatMap(({ call }) => [call.op, ...call.operands]);
  const help = "fill it from cases: anc fill FILE --data cases.jsonl";
  return [...values, ...parts]
    .filter((each) => each && each.kind === "hole")
    .map((hole) => diagnostic("error", "this is a hole: the program is not finished", hole.span, help));
}

// -- warnings ----------------------------------------------------------------------------------

function warningsOf(graph, edges, alive) {
  const reached = reachable(graph, edges);
  const found = [...stopWarnings(graph, reached), ...unreachedWarnings(graph, reached), ...variableWarnings(graph, alive)];
  return found.map(([message, place, help]) => diagnostic("warning", message, place, help));
}

function stopWarnings({ nodes }, reached) {
  const stops = nodes.flatMap((node, line) => (node.op === "STOP" ? [line] : []));
  if (stops.some((line) => reached.has(line))) return [];
  const found = stops.length ? "no STOP can be reached" : "the program has no STOP";
  const help = stops.length ? "let a line lead to this STOP()" : "end the program with STOP()";
  return [[`${found}: it never ends by itself`, nodes[stops.length ? stops[0] : nodes.length - 1].span, help]];
}

function unreachedWarnings({ nodes }, reached) {
  const found = [];
  for (let line = 0; line < nodes.length; line++) {
    if (reached.has(line)) continue;
    const first = line;
    while (line + 1 < nodes.length && !reached.has(line + 1)) line++;
    const many = `these ${1 + line - first} lines, down to line ${nodes[line].span.line}, are`;
    found.push([`${line > first ? many : "this line is"} never reached`, nodes[first].span, null]);
  }
  return found;
}

function variableWarnings(graph, alive) {
  const written = new Set(graph.nodes.map((node) => node.out));
  const read = new Set(graph.nodes.flatMap((node) => node.operands));
  const found = [];
  for (const variable of graph.declared) {
    const { name, pinned, value } = variable;
    if (pinned !== null) continue;
    if (!read.has(variable)) {
      const what = written.has(variable) ? "assigned but never read" : "never used";
      found.push([`variable '${name}' is ${what}`, variable.span, null]);
    } else if (value === null && (alive.before[graph.start] & alive.bit.get(variable)) !== 0n) {
      const message = `variable '${name}' may be read before it has a value`;
      found.push([message, variable.span, `give it one: var ${name} = 0`]);
    }
  }
  return found;
}
