// One member in training, as in `anc train`: iterations, validations, the best checkpoint, and restarts from other random rows
// after too many iterations without success. Settings that the page does not support are refused.

const [POOL, VALIDATION, CONFIRMATION, TEST] = [4096, 100, 400, 1000];
const MOST_GENERIC_STEPS = 10000; // of the program that training starts from, on one case
const FROZEN_SHARPNESS = 30;
const LEFT_OUT = {
  start: "soft",
  rate_schedule: "constant",
  noise: 0,
  sharpness_spread: 0,
  pull_weights: 0,
  pull_probabilities: 0,
  efficiency_ramp: 0,
};

// The constants that frozen lines read: they keep their values.
function frozenRegisters({ lines, frozen }) {
  const written = new Set(lines.map((line) => line.out));
  return new Set(frozen.flatMap((line) => operandsOf(lines[line])).filter((register) => !written.has(register)));
}

// Which parameters may change, 1 or 0: not those of frozen lines, nor whether other lines write the constants that these read.
function trainable(program) {
  const { memory: M, set } = program;
  const R = program.registers.length;
  const free = weightsOf(new Uint8Array(parameterCount(M, R, set.N)).fill(1), M, R, set);
  for (const line of program.frozen) {
    free.op.fill(0, line * set.N, (line + 1) * set.N);
    for (const name of ["first", "second", "out"]) free[name].fill(0, line * R, (line + 1) * R);
  }
  for (const register of frozenRegisters(program)) {
    free.registers.fill(0, register * M, (register + 1) * M);
    for (let line = 0; line < M; line++) free.out[line * R + register] = 0;
  }
  return free.flat;
}

// The weights with the frozen lines as good as exact, and no other line writing their constants.
function withFrozenLines(weights, program, free) {
  const exact = soften(program, { sharpness: FROZEN_SHARPNESS, rest: weights.flat });
  weights.flat.forEach((_, i) => {
    if (!free[i]) weights.flat[i] = exact.flat[i];
  });
  for (const register of frozenRegisters(program)) {
    for (let line = 0; line < weights.M; line++) {
      if (!program.frozen.includes(line)) weights.out[line * weights.R + register] = -FROZEN_SHARPNESS;
    }
  }
  return weights;
}

// Weights in training, with their soft machine, adjoint and optimiser, all allocated once. Where `free` is 0, they stay.
class Learner {
  constructor(weights, settings, free = null) {
    Object.assign(this, { weights, settings, free });
    this.machine = new SoftMachine(weights.set, weights.M, weights.R, settings.max_steps);
    this.adjoint = new Adjoint(this.machine);
    this.optimiser = new Optimiser(weights.flat.length);
    this.gradient = new Float32Array(weights.flat.length);
  }

  // One iteration on some cases. The loss terms are left in adjoint.terms, as sums.
  iterate(cases) {
    this.machine.load(this.weights);
    this.adjoint.clear();
    for (const one of cases) this.adjoint.add(one, this.settings);
    const gradient = this.adjoint.gradient(this.gradient);
    if (this.free) for (let i = 0; i < gradient.length; i++) gradient[i] *= this.free[i];
    this.optimiser.update(this.weights.flat, gradient, this.settings);
  }

  // The share of cases that weights get right and stop on, and their mean steps.
  judge(weights, cases) {
    const { machine, settings } = this;
    let [right, steps] = [0, 0];
    machine.load(weights);
    for (const one of cases) {
      machine.go(one.input, settings.max_steps, settings.threshold);
      steps += machine.steps;
      if (machine.stop === "stopped" && isRight(machine.tape, one)) right++;
    }
    return { right: right / cases.length, steps: steps / cases.length };
  }
}

function isRight(tape, { output, mask }) {
  return output.every((value, i) => !mask[i] || tape[i] === value);
}

// The share of cases that an exact program gets right, its mean steps on them, and the lines that it visits.
function judgeExactly(program, cases, maxSteps) {
  const visited = new Set();
  let [right, steps] = [0, 0];
  for (const one of cases) {
    const run = runExact(program, one.input, { maxSteps, keep: 0, visited });
    if (run.stop === "stopped" && isRight(run.tape, one)) right++;
    steps += run.steps;
  }
  return { right: right / cases.length, steps: steps / cases.length, visited: [...visited].sort((a, b) => a - b) };
}

// A program with unused registers added, up to this number.
function withSpare(program, registers) {
  const spare = Math.max(0, registers - program.registers.length);
  const more = Array.from({ length: spare }, (_, i) => `spare${i + 1}`);
  return { ...program, registers: [...program.registers, ...more.map(() => null)], names: [...program.names, ...more] };
}

class Training {
  constructor({ task, program, settings, seed = 0, biased = true }) {
    const left = Object.keys(LEFT_OUT).find((name) => name in settings && settings[name] !== LEFT_OUT[name]);
    if (left) throw new Error(`training in a page knows ${left} = ${LEFT_OUT[left]} only, found ${settings[left]}`);
    if (program.frozen.length === program.lines.length) throw new Error("all lines are frozen: nothing is left to learn");
    Object.assign(this, { task, settings, seed });
    const draw = (count, which) => drawCases(task, biased, count, which);
    [this.pool, this.validation, this.confirmation] = [draw(POOL, 0), draw(VALIDATION, 1), draw(CONFIRMATION, 2)];
    this.test = draw(TEST, 3);
    this.heldOut = [...this.validation, ...this.confirmation];
    const M = this.test[0].input.length;
    if (program.memory !== null && program.memory !== M) {
      throw new Error(`the task ${task} has ${M} cells, and the program a memory of ${program.memory}`);
    }
    this.program = { ...withSpare(program, settings.registers), memory: M };
    const generic = judgeExactly(this.program, this.heldOut, MOST_GENERIC_STEPS);
    if (generic.right < 1) throw new Error("the program that training starts from is wrong on some of the task's inputs");
    this.genericSteps = generic.steps;
    [this.iteration, this.attempt, this.begun] = [0, 0, 0];
    this.free = program.frozen.length ? trainable(this.program) : null;
    const weights = this.startingWeights();
    weights.lines = weights.M; // a learnt program may use all rows
    this.learner = new Learner(weights, settings, this.free);
    this.best = { flat: weights.flat.slice(), right: -1, steps: Infinity, iteration: 0 };
    this.exact = null; // the fastest right program that the weights hardened to; faster than the generic one
    this.latest = { right: 0, steps: 0 };
    this.sums = { terms: new Float64Array(6), cases: 0 };
    this.batch = new Array(settings.batch);
    this.draw = this.drawing();
  }

  get weights() {
    return this.learner.weights;
  }

  get succeeded() {
    return this.best.right >= 1 && this.best.steps < this.genericSteps;
  }

  get isDone() {
    return this.iteration >= this.settings.iterations;
  }

  startingWeights() {
    const seed = mixedSeed(this.seed, this.attempt, 1);
    const weights = soften(this.program, { sharpness: this.settings.sharpness, seed });
    return this.free ? withFrozenLines(weights, this.program, this.free) : weights;
  }

  drawing() {
    return new Draw(mixedSeed(this.seed, this.attempt, 2));
  }

  advance() {
    const { batch, pool, draw, sums, settings } = this;
    for (let i = 0; i < batch.length; i++) batch[i] = pool[draw.whole(0, pool.length - 1)];
    this.learner.iterate(batch);
    for (let i = 0; i < 6; i++) sums.terms[i] += this.learner.adjoint.terms[i];
    sums.cases += batch.length;
    this.iteration++;
    if (this.iteration % settings.validate_every === 0 || this.isDone) this.validate();
  }

  // Keeps the best checkpoint: most cases right, then fewest steps. One that gets all right is judged on more cases.
  validate() {
    const { learner, weights, best, settings } = this;
    this.latest = learner.judge(weights, this.validation);
    const isBetter = (found) => found.right > best.right || (found.right === best.right && found.steps < best.steps);
    let found = this.latest;
    if (isBetter(found) && found.right >= 1) {
      const more = learner.judge(weights, this.confirmation);
      const mean = (name) => (VALIDATION * found[name] + CONFIRMATION * more[name]) / (VALIDATION + CONFIRMATION);
      found = { right: mean("right"), steps: mean("steps") };
    }
    if (isBetter(found)) {
      best.flat.set(weights.flat);
      Object.assign(best, found, { iteration: this.iteration });
    }
    this.keepExact();
    const waited = this.iteration - this.begun;
    if (!this.succeeded && !this.isDone && settings.restart_after > 0 && waited >= settings.restart_after) this.restart();
  }

  // The best soft checkpoint may use soft jumps, which its hardened program lacks: the fastest right program is kept apart.
  keepExact() {
    const least = this.exact ? this.exact.steps : this.genericSteps;
    const program = this.hardenedProgram(this.weights.flat);
    const first = judgeExactly(program, this.validation, this.settings.max_steps);
    if (first.right < 1 || first.steps >= least) return;
    const { right, steps, visited } = judgeExactly(program, this.heldOut, this.settings.max_steps);
    if (right === 1 && steps < least) this.exact = { listing: listing(program), steps, visited, iteration: this.iteration };
  }

  restart() {
    this.attempt++;
    this.begun = this.iteration;
    this.weights.flat.set(this.startingWeights().flat);
    this.learner.optimiser.reset();
    this.draw = this.drawing();
  }

  // The means of the loss terms since the last call.
  report() {
    const [correctness, halting, confidence, efficiency, total, steps] = this.sums.terms.map((sum) => sum / this.sums.cases);
    this.sums.terms.fill(0);
    this.sums.cases = 0;
    return { correctness, halting, confidence, efficiency, total, steps };
  }

  hardenedProgram(flat) {
    const { M, R, set, names } = this.weights;
    return harden(weightsOf(flat, M, R, set, M, names)).program;
  }

  // Weights as an exact program, judged on some cases.
  hardened(flat, cases) {
    const program = this.hardenedProgram(flat);
    const found = judgeExactly(program, cases, this.settings.max_steps);
    return { listing: listing(program), hardRight: found.right, hardSteps: found.steps, visited: found.visited };
  }
}
