// The exact machine, equal to the Python one at every step, and the tapes that people write.

function fitsProblem(program, M) {
  const values = program.registers.filter((value) => value !== null);
  const [L, largest] = [program.lines.length, Math.max(0, ...values)];
  const smallest = Math.max(1, L, largest + 1);
  if (smallest <= M) return null;
  return {
    problem: `memory ${M} is too small for this program: it has ${L} lines and its largest constant is ${largest}`,
    help: `use a memory of at least ${smallest}`,
  };
}

function parseTape(text) {
  const words = text.match(/[^\s,]+/gu) || [];
  const wrong = words.findIndex((word) => !/^[0-9]{1,9}$/.test(word));
  if (wrong >= 0) {
    const problem = `cell ${wrong} of the tape is '${words[wrong].slice(0, 60)}', expected a number from 0 up`;
    return { problem, help: 'write a tape as numbers with spaces between them: "3 2 2 9 15"' };
  }
  if (!words.length) return { problem: "the tape is empty", help: 'write it as numbers: "3 2 2 9 15"' };
  return { cells: words.map(Number) };
}

function fillTape(cells, M) {
  if (cells.length > M) {
    const problem = `the tape has ${cells.length} cells, the memory only ${M}`;
    return { problem, help: `shorten the tape or use a memory of ${cells.length}` };
  }
  const wrong = cells.findIndex((value) => !(value >= 0 && value < M));
  if (wrong >= 0) {
    const value = cells[wrong];
    const problem = `cell ${wrong} of the tape is ${value}, but values go from 0 to ${M - 1} in a memory of ${M} cells`;
    return { problem, help: value >= 0 && value < LARGEST_MEMORY ? `use a memory of at least ${value + 1}` : null };
  }
  return { cells: [...cells, ...new Array(M - cells.length).fill(0)] };
}

function startOf(program, tape) {
  const registers = Uint16Array.from(program.registers, (value) => value || 0);
  return { registers, tape: Uint16Array.from(tape), line: program.start };
}

// Runs a program on a tape of M cells. The trace holds the first `keep` steps; executed lines are added to `visited`.
function runExact(program, tape, { maxSteps = 1000, keep = 10000, visited = new Set() } = {}) {
  const M = tape.length;
  const found = fitsProblem(program, M) || fillTape(tape, M);
  if (found.problem) throw new Error(found.problem);
  const [{ lines, set }, trace] = [program, []];
  const { registers, tape: memory } = startOf(program, tape);
  let [here, steps, stop] = [program.start, 0, "step-limit"];
  while (steps < maxSteps) {
    const { op, first: one, second: two, out } = lines[here];
    const { effect, output } = set.rows[set.code[op]];
    const [first, second] = [one === null ? 0 : registers[one], two === null ? 0 : registers[two]];
    const value = effect === "READ" ? memory[first] : output(first, second, M);
    const cell = effect === "WRITE" ? first : null;
    const jumped = effect === "JUMP" && first === 0;
    if (cell !== null) memory[cell] = second;
    registers[out] = value;
    const after = jumped ? second : (here + 1) % M;
    steps++;
    visited.add(here);
    const ends = effect === "STOP" || after >= lines.length;
    if (trace.length < keep) {
      const read = { first: one === null ? null : first, second: two === null ? null : second };
      const state = { registers: registers.slice(), tape: memory.slice() };
      const moves = { out, value, cell, read: effect === "READ" ? first : null, jumped, after: ends ? null : after };
      trace.push({ line: here, op, ...read, ...moves, ...state });
    }
    if (ends) {
      stop = effect === "STOP" ? "stopped" : "past-end";
      break;
    }
    here = after;
  }
  return { tape: Array.from(memory), steps, stop, trace };
}
