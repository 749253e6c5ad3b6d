// The soft machine: the exact machine on probability distributions. It keeps the states of all steps, for display and for the
// backward pass. Buffers are allocated once; methods return views, which are valid until the next run.

const THRESHOLD = 0.9; // a run halts when its stop probability passes this
const MOST_BYTES = 1 << 29;

function softBytes(M, R, N, steps) {
  return 4 * (steps + 1) * (M * M + (R + N + 4) * M + N + 3 * R);
}

class SoftMachine {
  constructor(set, M, R, maxSteps) {
    const N = set.N;
    if (softBytes(M, R, N, maxSteps) > MOST_BYTES) {
      throw new Error(`a soft run of ${maxSteps} steps in a memory of ${M} cells needs too much of the browser's memory`);
    }
    Object.assign(this, { set, M, R, N, C: N + 3 * R, maxSteps, steps: 0, stop: "step-limit" });
    const kinds = kindsOf(set, M);
    this.kinds = kinds.map((each) => each.kind);
    this.tables = kinds.map((each) => each.table || null);
    const numbers = (size) => new Float32Array(size);
    const T = maxSteps;
    this.rows = numbers(M * this.C); // the controller: a row per line, instruction and three registers together
    this.memories = numbers((T + 1) * M * M);
    this.registerFile = numbers((T + 1) * R * M);
    this.linesAt = numbers((T + 1) * M);
    this.stops = numbers(T + 1);
    this.choices = numbers(T * this.C);
    this.firsts = numbers(T * M); // operands and mixed outputs
    this.seconds = numbers(T * M);
    this.values = numbers(T * M);
    this.outputs = numbers(T * N * M);
    this.sums = numbers(2 * T); // of the operands before they are normalised
    this.logits = numbers(this.C);
  }

  memory(t) {
    return this.memories.subarray(t * this.M ** 2, (t + 1) * this.M ** 2);
  }

  registers(t) {
    return this.registerFile.subarray(t * this.R * this.M, (t + 1) * this.R * this.M);
  }

  line(t) {
    return this.linesAt.subarray(t * this.M, (t + 1) * this.M);
  }

  stopped(t) {
    return this.stops[t];
  }

  op(t) {
    return this.choices.subarray(t * this.C, t * this.C + this.N);
  }

  chosen(t, which) {
    const begin = t * this.C + this.N + which * this.R;
    return this.choices.subarray(begin, begin + this.R);
  }

  first(t) {
    return this.chosen(t, 0);
  }

  second(t) {
    return this.chosen(t, 1);
  }

  out(t) {
    return this.chosen(t, 2);
  }

  firstValue(t) {
    return this.firsts.subarray(t * this.M, (t + 1) * this.M);
  }

  secondValue(t) {
    return this.seconds.subarray(t * this.M, (t + 1) * this.M);
  }

  value(t) {
    return this.values.subarray(t * this.M, (t + 1) * this.M);
  }

  // The least likely of the most likely values of the final cells.
  get confidence() {
    const [cells, { M }] = [this.memory(this.steps), this];
    let least = 1;
    for (let i = 0; i < M; i++) least = Math.min(least, cells[i * M + argmax(cells, i * M, (i + 1) * M)]);
    return least;
  }

  // The most likely final tape.
  get tape() {
    const [cells, { M }] = [this.memory(this.steps), this];
    return Array.from({ length: M }, (_, i) => argmax(cells, i * M, (i + 1) * M));
  }

  // Loads the weights that the next runs use.
  load(weights) {
    const { M, R, N, C, rows } = this;
    for (let line = 0; line < M; line++) {
      rows.set(weights.op.subarray(line * N, (line + 1) * N), line * C);
      for (const [which, name] of ["first", "second", "out"].entries()) {
        rows.set(weights[name].subarray(line * R, (line + 1) * R), line * C + N + which * R);
      }
    }
    softmax(weights.start, 0, M, this.linesAt, 0);
    for (let r = 0; r < R; r++) softmax(weights.registers, r * M, M, this.registerFile, r * M);
  }

  run(weights, tape, { maxSteps = this.maxSteps, threshold = THRESHOLD } = {}) {
    this.load(weights);
    return this.go(tape, Math.min(maxSteps, this.maxSteps), threshold);
  }

  go(tape, maxSteps, threshold) {
    const { M, memories, stops } = this;
    memories.fill(0, 0, M * M);
    for (let i = 0; i < M; i++) memories[i * M + tape[i]] = 1;
    let t = 0;
    while (t < maxSteps && stops[t] <= threshold) this.step(t++);
    this.steps = t;
    this.stop = stops[t] > threshold ? "stopped" : "step-limit";
    return this;
  }

  // One step, from the state t to the state t + 1.
  step(t) {
    this.choose(t);
    this.operand(t, 0, this.firsts);
    this.operand(t, 1, this.seconds);
    this.compute(t);
    this.change(t);
  }

  // The controller mixes the rows of weights by the line's distribution, then applies softmax to each choice.
  choose(t) {
    const { M, R, N, C, rows, logits, linesAt, choices } = this;
    logits.fill(0);
    for (let line = 0; line < M; line++) {
      const p = linesAt[t * M + line];
      if (p < TINY) continue;
      const row = line * C;
      for (let c = 0; c < C; c++) logits[c] += p * rows[row + c];
    }
    softmax(logits, 0, N, choices, t * C);
    for (let which = 0; which < 3; which++) softmax(logits, N + which * R, R, choices, t * C + N + which * R);
  }

  // An operand: the chosen registers, normalised, for ADD and SUB would double rounding errors.
  operand(t, which, into) {
    const { M, R, N, C, choices, registerFile, sums } = this;
    const [at, chosen, file] = [t * M, t * C + N + which * R, t * R * M];
    for (let v = 0; v < M; v++) into[at + v] = 0;
    for (let r = 0; r < R; r++) {
      const p = choices[chosen + r];
      if (p < TINY) continue;
      for (let v = 0; v < M; v++) into[at + v] += p * registerFile[file + r * M + v];
    }
    let sum = 0;
    for (let v = 0; v < M; v++) sum += into[at + v];
    for (let v = 0; v < M; v++) into[at + v] /= sum;
    sums[2 * t + which] = sum;
  }

  // The outputs of all instructions that are likely at all, and their mixture.
  compute(t) {
    const { M, N, C, kinds, tables, firsts, seconds, memories, outputs, values, choices } = this;
    const at = t * M;
    for (let v = 0; v < M; v++) values[at + v] = 0;
    for (let n = 0; n < N; n++) {
      const p = choices[t * C + n];
      if (p < TINY) continue;
      const to = (t * N + n) * M;
      pushForward(kinds[n], tables[n], M, firsts, seconds, at, memories, t * M * M, outputs, to);
      for (let v = 0; v < M; v++) values[at + v] += p * outputs[to + v];
    }
  }

  // Registers, memory, line and stop probability after the step.
  change(t) {
    const { M, R, N, C, set, firsts, seconds, memories, registerFile, values, choices, linesAt, stops } = this;
    const [at, chosen, file, out] = [t * M, t * C, t * R * M, t * C + N + 2 * R];
    for (let r = 0; r < R; r++) {
      const [p, from] = [choices[out + r], file + r * M];
      const to = from + R * M;
      for (let v = 0; v < M; v++) {
        const before = registerFile[from + v];
        registerFile[to + v] = before + p * (values[at + v] - before);
      }
    }
    const [now, next, writes] = [t * M * M, (t + 1) * M * M, choices[chosen + set.WRITE]];
    memories.copyWithin(next, now, next);
    for (let i = 0; i < M; i++) {
      const w = writes * firsts[at + i];
      if (w < TINY) continue;
      const row = next + i * M;
      for (let v = 0; v < M; v++) memories[row + v] = (1 - w) * memories[row + v] + w * seconds[at + v];
    }
    const jumps = choices[chosen + set.JUMP] * firsts[at];
    for (let i = 0; i < M; i++) {
      linesAt[at + M + i] = (1 - jumps) * linesAt[at + (i === 0 ? M - 1 : i - 1)] + jumps * seconds[at + i];
    }
    stops[t + 1] = stops[t] + choices[chosen + set.STOP] * (1 - stops[t]);
  }
}

// A rough estimate of a soft run's seconds: the numbers that its steps compute, at 10^9 per second.
function softSeconds(M, R, N, steps) {
  return 1e-9 * steps * (6 * M * M + M * (2 * N + 8 * R));
}
