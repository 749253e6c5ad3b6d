// Weights: logits, one row per program line. Softening a program gives weights, hardening weights gives a program.

// A generator of uniform numbers from 0 to 1 (splitmix32). Its numbers are not those of Python.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
  };
}

// One seed from several numbers.
function mixedSeed(...parts) {
  return parts.reduce((seed, part) => Math.floor(generator(Math.imul(seed, 31) + part)() * 4294967296), 0);
}

function parameterCount(M, R, N) {
  return M + R * M + M * (N + 3 * R);
}

// The six matrices, as views into one flat array.
function weightsOf(flat, M, R, set, lines = M, names = []) {
  const weights = { M, R, N: set.N, set, lines, names, flat };
  let begin = 0;
  const sizes = { start: M, registers: R * M, op: M * set.N, first: M * R, second: M * R, out: M * R };
  for (const [name, size] of Object.entries(sizes)) {
    weights[name] = flat.subarray(begin, begin + size);
    begin += size;
  }
  return weights;
}

// A program as weights: rows of 0 and 1, times the sharpness. Unused operands and registers without a value become flat rows.
// Rows after the last line are small random numbers, or those of `rest`.
function soften(program, { memory = null, sharpness = 5, seed = 0, rest = null } = {}) {
  const M = memory === null ? program.memory : memory;
  const R = program.registers.length;
  const flat = new Float32Array(parameterCount(M, R, program.set.N));
  const weights = weightsOf(flat, M, R, program.set, program.lines.length, program.names);
  if (rest) flat.set(rest);
  else {
    const [random, bound] = [generator(seed), 1 / Math.sqrt(M)];
    for (const matrix of [weights.op, weights.first, weights.second, weights.out]) {
      for (let i = 0; i < matrix.length; i++) matrix[i] = bound * (2 * random() - 1);
    }
  }
  return withSharpness(weights, program, sharpness);
}

// Changes the sharpness in place; the rows after the program stay.
function withSharpness(weights, program, sharpness) {
  const { M, R, N, lines } = weights;
  weights.start.fill(0)[program.start] = sharpness;
  weights.registers.fill(0);
  program.registers.forEach((value, register) => {
    if (value !== null) weights.registers[register * M + value] = sharpness;
  });
  const sizes = [["op", N], ["first", R], ["second", R], ["out", R]];
  for (const [name, size] of sizes) weights[name].fill(0, 0, lines * size);
  program.lines.forEach(({ op, first, second, out }, line) => {
    weights.op[line * N + program.set.code[op]] = sharpness;
    weights.out[line * R + out] = sharpness;
    if (first !== null) weights.first[line * R + first] = sharpness;
    if (second !== null) weights.second[line * R + second] = sharpness;
  });
  return weights;
}

function argmax(numbers, begin = 0, end = numbers.length) {
  let best = begin;
  for (let i = begin + 1; i < end; i++) if (numbers[i] > numbers[best]) best = i;
  return best - begin;
}

// The most likely program: the largest weight of every row.
function harden(weights) {
  const { M, R, N, set, lines: L, names } = weights;
  const choice = (matrix, line, size) => argmax(matrix, line * size, (line + 1) * size);
  const lines = [];
  for (let line = 0; line < L; line++) {
    const row = set.rows[choice(weights.op, line, N)];
    const first = row.operands > 0 ? choice(weights.first, line, R) : null;
    const second = row.operands > 1 ? choice(weights.second, line, R) : null;
    lines.push({ op: row.name, first, second, out: choice(weights.out, line, R), sourceLine: null });
  }
  const registers = [];
  for (let register = 0; register < R; register++) {
    const row = weights.registers.subarray(register * M, (register + 1) * M);
    const isOpen = row.every((value) => value === row[0]) && (M > 1 || row[0] === 0);
    registers.push(isOpen ? null : argmax(row));
  }
  const start = argmax(weights.start);
  if (start >= L) return { problem: `the most likely first line is ${start}, but the program has ${L} lines` };
  return { program: { lines, registers, start, names, memory: M, frozen: [], set } };
}

// The softmax of `size` numbers at `from`, written to `to`.
function softmax(logits, from, size, into, to) {
  let top = -Infinity;
  for (let i = 0; i < size; i++) if (logits[from + i] > top) top = logits[from + i];
  let sum = 0;
  for (let i = 0; i < size; i++) sum += into[to + i] = Math.exp(logits[from + i] - top);
  for (let i = 0; i < size; i++) into[to + i] /= sum;
}

function probabilities(logits) {
  const found = new Float32Array(logits.length);
  softmax(logits, 0, logits.length, found, 0);
  return found;
}
