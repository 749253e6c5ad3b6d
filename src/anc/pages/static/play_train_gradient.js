// The loss of a run, and its gradient by adjoints, from the last step back to the first.
//
// Terms and weights are those of the paper's appendix B: correctness, halting, confidence, efficiency. As in the published
// experiments, the remaining probability 1 - p is a constant for the gradient ("cut"), unless `stop_gradient` is "full".

class Adjoint {
  constructor(machine) {
    const { M, R, C } = machine;
    const numbers = (size) => new Float32Array(size);
    this.machine = machine;
    [this.dMemory, this.dRegisters, this.dLine, this.dBefore] = [numbers(M * M), numbers(R * M), numbers(M), numbers(M)];
    [this.dFirst, this.dSecond, this.dValue] = [numbers(M), numbers(M), numbers(M)];
    [this.dChoices, this.dLogits] = [numbers(C), numbers(C)];
    this.dRows = numbers(M * C); // these three are sums over the cases
    this.dStart = numbers(M);
    this.dInitial = numbers(R * M);
    this.terms = new Float64Array(6); // correctness, halting, confidence, efficiency, total, steps
  }

  // Before the cases of an iteration.
  clear() {
    for (const sums of [this.dRows, this.dStart, this.dInitial, this.terms]) sums.fill(0);
  }

  // L_c, the distance of the memory at t from the expected one.
  error(t, { output, mask }) {
    const { M, memories } = this.machine;
    let sum = 0;
    for (let i = 0; i < M; i++) {
      if (!mask[i]) continue;
      const row = (t * M + i) * M;
      for (let v = 0; v < M; v++) sum += memories[row + v] ** 2;
      sum += 1 - 2 * memories[row + output[i]];
    }
    return sum;
  }

  // Add weight times the gradient of the error at t to that of the memory.
  errorBack(t, weight, { output, mask }) {
    const { M, memories } = this.machine;
    for (let i = 0; i < M; i++) {
      if (!mask[i]) continue;
      const row = (t * M + i) * M;
      for (let v = 0; v < M; v++) this.dMemory[i * M + v] += 2 * weight * memories[row + v];
      this.dMemory[i * M + output[i]] -= 2 * weight;
    }
  }

  // Run the loaded weights on a case; add its loss terms and its gradient to the sums.
  add(one, settings) {
    const { machine, terms } = this;
    const { correctness, halting, confidence, efficiency, threshold } = settings;
    machine.go(one.input, settings.max_steps, threshold);
    const { steps: T, stops } = machine;
    const isCut = settings.stop_gradient === "cut";
    const late = stops[T] <= threshold;
    const wrong = this.error(T, one);
    this.dRegisters.fill(0);
    this.dLine.fill(0);
    this.dMemory.fill(0);
    this.errorBack(T, correctness, one);
    let [dStop, doubt, spent] = [late ? -halting : 0, 0, 1];
    for (let t = T - 1; t >= 0; t--) {
      const moved = stops[t + 1] - stops[t];
      const error = t + 1 === T ? wrong : this.error(t + 1, one);
      spent += 1 - stops[t + 1];
      doubt += moved * error;
      if (confidence !== 0) this.errorBack(t + 1, confidence * moved, one);
      dStop = this.stepBack(t, dStop - efficiency + confidence * error, isCut) - confidence * error;
    }
    for (let i = 0; i < this.dLine.length; i++) this.dStart[i] += this.dLine[i];
    for (let i = 0; i < this.dRegisters.length; i++) this.dInitial[i] += this.dRegisters[i];
    const four = [wrong, late ? 1 - stops[T] : 0, doubt, spent];
    const total = correctness * four[0] + halting * four[1] + confidence * four[2] + efficiency * four[3];
    [...four, total, T].forEach((value, i) => (terms[i] += value));
  }

  // From the gradients of the state t + 1 to those of the state t. Returns the gradient of the stop probability.
  stepBack(t, dStop, isCut) {
    const { R, N, C, set, choices, stops } = this.machine;
    const { dChoices, dFirst, dSecond, dValue } = this;
    for (const each of [dChoices, dFirst, dSecond, dValue]) each.fill(0);
    dChoices[set.STOP] += dStop * (1 - stops[t]);
    this.lineBack(t);
    this.memoryBack(t);
    this.registersBack(t, N + 2 * R);
    this.outputsBack(t);
    this.operandBack(t, 0, dFirst);
    this.operandBack(t, 1, dSecond);
    this.controllerBack(t);
    return isCut ? dStop : dStop * (1 - choices[t * C + set.STOP]);
  }

  lineBack(t) {
    const { M, C, set, choices, firsts, seconds, linesAt } = this.machine;
    const { dLine, dBefore, dChoices, dFirst, dSecond } = this;
    const at = t * M;
    const jumps = choices[t * C + set.JUMP] * firsts[at];
    let dJumps = 0;
    for (let i = 0; i < M; i++) {
      const before = i === 0 ? M - 1 : i - 1;
      dJumps += dLine[i] * (seconds[at + i] - linesAt[at + before]);
      dSecond[i] += jumps * dLine[i];
      dBefore[before] = (1 - jumps) * dLine[i];
    }
    dLine.set(dBefore); // the controller adds to it
    dChoices[set.JUMP] += dJumps * firsts[at];
    dFirst[0] += dJumps * choices[t * C + set.JUMP];
  }

  memoryBack(t) {
    const { M, C, set, choices, firsts, seconds, memories } = this.machine;
    const { dMemory, dChoices, dFirst, dSecond } = this;
    const [at, now, writes] = [t * M, t * M * M, choices[t * C + set.WRITE]];
    if (writes < TINY) return;
    for (let i = 0; i < M; i++) {
      const [w, row] = [writes * firsts[at + i], i * M];
      let dWritten = 0;
      for (let v = 0; v < M; v++) {
        const d = dMemory[row + v];
        dWritten += d * (seconds[at + v] - memories[now + row + v]);
        dSecond[v] += w * d;
        dMemory[row + v] = (1 - w) * d;
      }
      dChoices[set.WRITE] += dWritten * firsts[at + i];
      dFirst[i] += dWritten * writes;
    }
  }

  registersBack(t, out) {
    const { M, R, C, choices, registerFile, values } = this.machine;
    const { dRegisters, dChoices, dValue } = this;
    const [at, file] = [t * M, t * R * M];
    for (let r = 0; r < R; r++) {
      const [p, row] = [choices[t * C + out + r], r * M];
      let sum = 0;
      for (let v = 0; v < M; v++) {
        const d = dRegisters[row + v];
        sum += d * (values[at + v] - registerFile[file + row + v]);
        dValue[v] += p * d;
        dRegisters[row + v] = (1 - p) * d;
      }
      dChoices[out + r] += sum;
    }
  }

  outputsBack(t) {
    const { M, N, C, kinds, tables, choices, firsts, seconds, memories, outputs } = this.machine;
    const { dChoices, dValue, dFirst, dSecond, dMemory } = this;
    for (let n = 0; n < N; n++) {
      const p = choices[t * C + n];
      if (p < TINY) continue;
      const from = (t * N + n) * M;
      let sum = 0;
      for (let v = 0; v < M; v++) sum += dValue[v] * outputs[from + v];
      dChoices[n] += sum;
      pullBack(
        kinds[n], tables[n], M, p, dValue, firsts, seconds, t * M, dFirst, dSecond, memories, t * M * M, dMemory,
      );
    }
  }

  // The sum that an operand is divided by differs from 1 by rounding only, so it is a constant.
  operandBack(t, which, dOperand) {
    const { M, R, N, C, choices, registerFile, sums } = this.machine;
    const { dRegisters, dChoices } = this;
    const [place, file, scale] = [N + which * R, t * R * M, 1 / sums[2 * t + which]];
    for (let r = 0; r < R; r++) {
      const [p, row] = [scale * choices[t * C + place + r], r * M];
      let sum = 0;
      for (let v = 0; v < M; v++) {
        sum += dOperand[v] * registerFile[file + row + v];
        dRegisters[row + v] += p * dOperand[v];
      }
      dChoices[place + r] += scale * sum;
    }
  }

  controllerBack(t) {
    const { M, R, N, C, choices, rows, linesAt } = this.machine;
    const { dChoices, dLogits, dRows, dLine } = this;
    softmaxBack(choices, t * C, dChoices, 0, N, dLogits, 0);
    for (let which = 0; which < 3; which++) {
      const place = N + which * R;
      softmaxBack(choices, t * C + place, dChoices, place, R, dLogits, place);
    }
    for (let line = 0; line < M; line++) {
      const [p, row] = [linesAt[t * M + line], line * C];
      let sum = 0;
      for (let c = 0; c < C; c++) {
        sum += dLogits[c] * rows[row + c];
        dRows[row + c] += p * dLogits[c];
      }
      dLine[line] += sum;
    }
  }

  // The gradient of the sum of the cases, in the order of flat weights.
  gradient(into) {
    const { M, R, N, C, linesAt, registerFile } = this.machine;
    softmaxBack(linesAt, 0, this.dStart, 0, M, into, 0);
    for (let r = 0; r < R; r++) softmaxBack(registerFile, r * M, this.dInitial, r * M, M, into, (1 + r) * M);
    let at = (1 + R) * M;
    for (const [begin, size] of [[0, N], [N, R], [N + R, R], [N + 2 * R, R]]) {
      for (let line = 0; line < M; line++) {
        for (let c = 0; c < size; c++) into[at++] = this.dRows[line * C + begin + c];
      }
    }
    return into;
  }
}

// The gradient of logits from that of their softmax: p (d - sum of p d).
function softmaxBack(p, from, d, at, size, into, to) {
  let mean = 0;
  for (let i = 0; i < size; i++) mean += p[from + i] * d[at + i];
  for (let i = 0; i < size; i++) into[to + i] = p[from + i] * (d[at + i] - mean);
}

// Adam or SGD, as in `anc train`: long gradients are clipped, and gradients that are not finite are skipped.
class Optimiser {
  constructor(size) {
    [this.moment1, this.moment2] = [new Float32Array(size), new Float32Array(size)];
    [this.applied, this.skipped] = [0, 0];
  }

  reset() {
    this.moment1.fill(0);
    this.moment2.fill(0);
    this.applied = 0;
  }

  update(flat, gradient, { optimiser, rate, clip }) {
    let squares = 0;
    for (let i = 0; i < gradient.length; i++) squares += gradient[i] * gradient[i];
    if (!Number.isFinite(squares)) {
      this.skipped++;
      return;
    }
    const norm = Math.sqrt(squares);
    const scale = clip > 0 && norm > clip ? clip / norm : 1;
    this.applied++;
    if (optimiser === "sgd") {
      for (let i = 0; i < flat.length; i++) flat[i] -= rate * scale * gradient[i];
      return;
    }
    const [{ moment1, moment2 }, b1, b2, eps] = [this, 0.9, 0.999, 1e-8];
    const [c1, c2] = [1 - b1 ** this.applied, 1 - b2 ** this.applied];
    for (let i = 0; i < flat.length; i++) {
      const g = scale * gradient[i];
      moment1[i] = b1 * moment1[i] + (1 - b1) * g;
      moment2[i] = b2 * moment2[i] + (1 - b2) * g * g;
      flat[i] -= (rate * (moment1[i] / c1)) / (Math.sqrt(moment2[i] / c2) + eps);
    }
  }
}

// The mean loss terms of some cases, and the sum of their gradients.
function lossAndGradient(weights, cases, settings) {
  const machine = new SoftMachine(weights.set, weights.M, weights.R, settings.max_steps);
  const adjoint = new Adjoint(machine);
  machine.load(weights);
  adjoint.clear();
  for (const one of cases) adjoint.add(one, settings);
  const [correctness, halting, confidence, efficiency, total, steps] = adjoint.terms.map((sum) => sum / cases.length);
  const gradient = adjoint.gradient(new Float32Array(weights.flat.length));
  return { terms: { correctness, halting, confidence, efficiency, total, steps }, gradient };
}
