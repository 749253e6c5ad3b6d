// Live runs of both machines in the form of a recording, so that the views of the stepper show them.

const LIKELY = 1e-4; // what a distribution of a soft run gives less than this is not drawn
const SAME = 1e-5; // probabilities that differ by less are the same

function programFacts(program, M) {
  const set = program.set;
  const lines = program.lines.map((_, number) => ({ number, labels: [], choices: [], is_spare: false }));
  return { M, registers: program.names, ops: set.names, operands: set.rows.map((row) => row.operands), lines, has_program: true };
}

// A run of the exact machine. The number of a distribution is the value that is certain; NONE is no distribution.
class ExactRun extends Run {
  constructor(program, start, found) {
    const M = start.tape.length;
    const kept = found.trace.length;
    super({ ...programFacts(program, M), machine: "exact", title: "exact", steps: kept, stop: kept < found.steps ? "step-limit" : found.stop, threshold: null });
    Object.assign(this, { program, start, trace: found.trace, finalTape: found.tape });
    const count = Math.max(M, this.R, this.ops.length) + 1;
    this.NONE = count - 1;
    this.begin = Uint32Array.from({ length: count + 1 }, (_, i) => Math.min(i, count - 1));
    this.values = Uint32Array.from({ length: count - 1 }, (_, i) => i);
    this.p = new Float32Array(count - 1).fill(1);
    this.bestValue = Int32Array.from({ length: count }, (_, i) => (i < count - 1 ? i : -1));
    this.bestP = Float32Array.from({ length: count }, (_, i) => (i < count - 1 ? 1 : 0));
    this.lineIds = Uint32Array.from({ length: this.last + 1 }, (_, t) => (t ? this.trace[t - 1].line : start.line));
    this.stopAt = Float64Array.from({ length: this.last + 1 }, (_, t) => (t === this.last && found.stop === "stopped" ? 1 : 0));
    this.known = { t: -1, state: null };
  }

  state(t) {
    if (this.known.t !== t) this.known = { t, before: this.known, state: this._stateAt(t) };
    return this.known.state;
  }

  _stateAt(t) {
    const step = t ? this.trace[t - 1] : null;
    const line = step ? this.program.lines[step.line] : null;
    const named = (register) => (register === null ? this.NONE : register);
    const command = line ? [this.program.set.code[line.op], named(line.first), named(line.second), line.out] : [this.NONE, this.NONE, this.NONE, this.NONE];
    const { registers, tape } = step || this.start;
    return Uint32Array.from([this.lineIds[t], ...command, ...registers, ...tape]);
  }

  // The lines of the listing: of step t, and of the next one.
  sourceLines(t) {
    const of = (number) => (this.program.lines[number] ? this.program.lines[number].sourceLine : null);
    return { current: of(this.lineIds[t]), next: t > 0 && t < this.last ? of(this.lineIds[t + 1]) : null };
  }
}

// A run of the soft machine, read from its buffers; a row that hardly changes keeps its number.
class SoftRun extends Run {
  constructor(program, machine, M, sharpness) {
    super({ ...programFacts(program, M), machine: "soft", title: "soft", steps: machine.steps, stop: machine.stop, threshold: 0.9 });
    Object.assign(this, { program, sharpness, confidence: machine.confidence });
    this.stopAt = Float64Array.from({ length: this.last + 1 }, (_, t) => machine.stopped(t));
    this._read(machine);
  }

  _read(machine) {
    const [begin, values, p, bestValue, bestP] = [[0], [], [], [], []];
    const add = (row) => {
      let best = 0;
      for (let value = 0; value < row.length; value++) {
        if (row[value] < LIKELY) continue;
        values.push(value);
        p.push(row[value]);
        if (row[value] > row[best]) best = value;
      }
      begin.push(values.length);
      bestValue.push(best);
      bestP.push(row[best]);
      return bestValue.length - 1;
    };
    const none = add([]);
    const M = this.M;
    const commands = ["line", "op", "first", "second", "out"];
    let before = null;
    this.states = [];
    for (let t = 0; t <= this.last; t++) {
      const state = new Uint32Array(this.rowCount);
      const executed = Math.max(0, t - 1); // the command of step t is the machine's t - 1
      commands.forEach((part, row) => (state[row] = this.last && (t || part === "line") ? add(machine[part](executed)) : none));
      const rows = [machine.registers(t), machine.memory(t)];
      for (const [group, first, count] of [[0, ROW.registers, this.R], [1, this.cells, M]]) {
        for (let i = 0; i < count; i++) {
          const [begins, ends] = [i * M, (i + 1) * M];
          const stays = before && isSame(before.rows[group], rows[group], begins, ends);
          state[first + i] = stays ? before.state[first + i] : add(rows[group].subarray(begins, ends));
        }
      }
      this.states.push(state);
      before = { rows, state };
    }
    bestValue[none] = -1;
    this.begin = Uint32Array.from(begin);
    this.values = Uint32Array.from(values);
    this.p = Float32Array.from(p);
    this.bestValue = Int32Array.from(bestValue);
    this.bestP = Float32Array.from(bestP);
    this.lineIds = Uint32Array.from(this.states, (state) => state[ROW.line]);
  }

  state(t) {
    return this.states[t];
  }

  // The probability of each line of the listing at step t.
  sourceLines(t) {
    const found = new Map();
    for (const [number, probability] of this.entries(this.lineIds[t])) {
      const line = this.program.lines[number];
      if (line) found.set(line.sourceLine, (found.get(line.sourceLine) || 0) + probability);
    }
    return found;
  }

  // The most likely final tape.
  get finalTape() {
    const state = this.states[this.last];
    return Array.from({ length: this.M }, (_, cell) => this.bestValue[state[this.cells + cell]]);
  }
}

function isSame(a, b, begins, ends) {
  for (let i = begins; i < ends; i++) if (Math.abs(a[i] - b[i]) > SAME) return false;
  return true;
}

// The registers and cells in which the soft run's likeliest value is another than the exact run's, by row.
function differences(exact, soft, t) {
  const [a, b] = [exact.state(Math.min(t, exact.last)), soft.state(Math.min(t, soft.last))];
  const found = new Set();
  for (let row = ROW.registers; row < exact.rowCount; row++) {
    if (exact.bestValue[a[row]] !== soft.bestValue[b[row]]) found.add(row);
  }
  return found;
}

// Where a cell was used as an address: {step, from, to}. A register that got its value from a cell, changed by arithmetic
// perhaps, and with which a cell is read or written, makes an arrow from the one to the other.
function pointerArrows(run) {
  const origin = new Array(run.R).fill(null);
  const found = [];
  run.trace.forEach((step, number) => {
    const line = run.program.lines[step.line];
    const { operands, effect } = run.program.set.rows[run.program.set.code[line.op]];
    const from = operands > 0 && line.first !== null ? origin[line.first] : null;
    const to = effect === "READ" ? step.read : effect === "WRITE" ? step.cell : null;
    if (to !== null && from !== null) found.push({ step: number + 1, from, to });
    const other = operands > 1 && line.second !== null ? origin[line.second] : null;
    origin[line.out] = effect === "READ" ? step.read : effect ? null : from === null ? other : from;
  });
  return found;
}
