// A program as a listing that compiles to the same program: registers that are never written print as numbers and labels, the
// others as variables. If the compiler would choose other registers, they are called R1, R2, ...: such names choose their own.

const WORDS = ["var", "memory", "start"];

function listing(program) {
  const numberedNames = new Map(program.registers.map((_, register) => [register, `R${register + 1}`]));
  for (const names of [readableNames(program), numberedNames]) {
    const text = new Listing(program, names).text();
    const found = text !== null && compile(text, { set: program.set }).program;
    if (found && sameProgram(found, program)) return text;
  }
  throw new Error("a program's own listing compiles to another program");
}

function sameProgram(one, two) {
  const about = (program) => [
    program.lines.map(({ op, first, second, out }) => [op, first, second, out]),
    program.registers,
    program.start,
    program.set.name,
  ];
  return JSON.stringify(about(one)) === JSON.stringify(about(two));
}

function operandsOf(line) {
  return [line.first, line.second].filter((register) => register !== null);
}

function nameOf(program, register) {
  return program.names.length ? program.names[register] : `R${register + 1}`;
}

// Names of the registers that are both written and read; the others need none.
function readableNames(program) {
  const written = new Set(program.lines.map((line) => line.out));
  const read = [...new Set(program.lines.flatMap(operandsOf))].filter((register) => written.has(register));
  const names = new Map();
  for (const register of read.sort((a, b) => a - b)) {
    let number = register + 1;
    while ([...names.values()].includes(`x${number}`)) number += program.registers.length;
    const taken = [...names.values(), ...program.set.names];
    const parts = nameOf(program, register).split("/").filter((part) => isFree(part, taken) && !part.startsWith("l_"));
    names.set(register, parts.length ? parts[0] : `x${number}`);
  }
  return names;
}

function isFree(name, taken) {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^R[0-9]+$/.test(name) && ![...WORDS, ...taken].includes(name);
}

// Builds the text; registers with a name are its variables.
class Listing {
  constructor(program, names) {
    [this.program, this.names, this.labels, this.isWhole] = [program, names, new Map(), true];
    this.targets = new Set(program.lines.filter((line) => line.op === "JEZ").map((line) => line.second));
  }

  // The text, or null if a register without a value would have to be printed.
  text() {
    const { lines, start, memory, frozen, set } = this.program;
    const first = start ? this.label(start) : null;
    const declared = [...this.names].map(([register, name]) => {
      const value = this.value(register, this.targets.has(register));
      return `var ${name}${value === null ? "" : ` = ${value}`}`;
    });
    const bodies = lines.map((line) => {
      const operands = operandsOf(line).map((each, i) => this.operand(each, line.op === "JEZ" && i === 1));
      const called = `${line.op}(${operands.join(", ")})`;
      return this.names.has(line.out) ? `${this.names.get(line.out)} = ${called}` : called;
    });
    const statements = bodies.map((body, line) => {
      const label = this.labels.has(line) ? `${this.labels.get(line)}: ` : "";
      return `${label}${frozen.includes(line) ? "@frozen " : ""}${body}`;
    });
    const head = [
      set.name === "paper" ? null : `instructions ${set.name}`,
      memory === null ? null : `memory ${memory}`,
      first === null ? null : `start ${first}`,
      ...declared,
    ].filter((line) => line !== null);
    return this.isWhole ? `${[...head, ...(head.length ? [""] : []), ...statements].join("\n")}\n` : null;
  }

  label(line) {
    if (!this.labels.has(line)) {
      const { registers, names, set } = this.program;
      const known = registers.flatMap((value, register) =>
        value === line && !this.names.has(register) && names.length ? names[register].split("/") : [],
      );
      const taken = [...this.names.values(), ...this.labels.values(), ...set.names];
      this.labels.set(line, [...known, `l_${line}`, `l_${line}_`].find((name) => isFree(name, taken)));
    }
    return this.labels.get(line);
  }

  // The initial value of a register, as a label if a jump goes there.
  value(register, isTarget) {
    const value = this.program.registers[register];
    if (value === null) return null;
    return isTarget && value < this.program.lines.length ? this.label(value) : String(value);
  }

  operand(register, isTarget) {
    if (this.names.has(register)) return this.names.get(register);
    const value = this.value(register, isTarget);
    if (value === null) this.isWhole = false;
    return value;
  }
}
