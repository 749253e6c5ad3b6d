// The output of each instruction on distributions, out[f(i, j)] += first[i] second[j], and its gradient.
//
// A row is of one of these kinds: a constant, a table of one operand or of two, READ, or one of four fast paths. A fast path
// belongs to a Python function, never to a name; a test compares it with the table.

const TINY = 1e-9; // smaller probabilities change neither what a page shows nor a gradient

// The kinds of a set's rows for memories of M cells.
function kindsOf(set, M) {
  if (!set.tables.has(M)) set.tables.set(M, set.rows.map((row) => kindOf(row, M)));
  return set.tables.get(M);
}

function kindOf(row, M) {
  if (row.effect === "READ") return { kind: "read" };
  if (row.fast) return { kind: row.fast };
  if (row.effect || row.operands === 0) return { kind: "constant", table: [row.output(0, 0, M)] };
  const table = new Uint16Array(row.operands === 1 ? M : M * M);
  for (let i = 0; i < table.length; i++) {
    table[i] = row.operands === 1 ? row.output(i, 0, M) : row.output(Math.floor(i / M), i % M, M);
  }
  return { kind: row.operands === 1 ? "unary" : "binary", table };
}

// Writes the output of a kind to out[at...]. `memory` begins at `from` in its array.
function pushForward(kind, table, M, first, second, f, memory, from, out, at) {
  for (let i = 0; i < M; i++) out[at + i] = 0;
  if (kind === "constant") out[at + table[0]] = 1;
  else if (kind === "unary") for (let i = 0; i < M; i++) out[at + table[i]] += first[f + i];
  else if (kind === "read") readForward(M, first, f, memory, from, out, at);
  else if (kind === "binary") tableForward(table, M, first, second, f, out, at);
  else if (kind === "add") addForward(M, first, second, f, out, at);
  else if (kind === "subtract") subtractForward(M, first, second, f, out, at);
  else if (kind === "smaller") smallerForward(M, first, second, f, out, at);
  else largerForward(M, first, second, f, out, at);
}

function readForward(M, first, f, memory, from, out, at) {
  for (let i = 0; i < M; i++) {
    const p = first[f + i];
    if (p < TINY) continue;
    const row = from + i * M;
    for (let v = 0; v < M; v++) out[at + v] += p * memory[row + v];
  }
}

function tableForward(table, M, first, second, f, out, at) {
  for (let i = 0; i < M; i++) {
    const p = first[f + i];
    if (p < TINY) continue;
    const row = i * M;
    for (let j = 0; j < M; j++) out[at + table[row + j]] += p * second[f + j];
  }
}

function addForward(M, first, second, f, out, at) {
  for (let i = 0; i < M; i++) {
    const p = first[f + i];
    if (p < TINY) continue;
    for (let j = 0; j < M - i; j++) out[at + i + j] += p * second[f + j];
    for (let j = M - i; j < M; j++) out[at + i + j - M] += p * second[f + j];
  }
}

function subtractForward(M, first, second, f, out, at) {
  for (let j = 0; j < M; j++) {
    const p = second[f + j];
    if (p < TINY) continue;
    for (let i = 0; i < j; i++) out[at + i - j + M] += p * first[f + i];
    for (let i = j; i < M; i++) out[at + i - j] += p * first[f + i];
  }
}

// P[min = c] = first[c] P[second >= c] + second[c] P[first > c]
function smallerForward(M, first, second, f, out, at) {
  let [above1, above2] = [0, 0];
  for (let c = M - 1; c >= 0; c--) {
    above2 += second[f + c];
    out[at + c] = first[f + c] * above2 + second[f + c] * above1;
    above1 += first[f + c];
  }
}

// P[max = c] = first[c] P[second <= c] + second[c] P[first < c]
function largerForward(M, first, second, f, out, at) {
  let [below1, below2] = [0, 0];
  for (let c = 0; c < M; c++) {
    below2 += second[f + c];
    out[at + c] = first[f + c] * below2 + second[f + c] * below1;
    below1 += first[f + c];
  }
}

// Adds to the gradients of the operands (and, for READ, of the memory), given the gradient `d` of the mixed value and the
// instruction's probability p.
function pullBack(kind, table, M, p, d, first, second, f, dFirst, dSecond, memory, from, dMemory) {
  if (kind === "constant") return;
  if (kind === "unary") for (let i = 0; i < M; i++) dFirst[i] += p * d[table[i]];
  else if (kind === "read") readBack(M, p, d, first, f, dFirst, memory, from, dMemory);
  else if (kind === "binary") tableBack(table, M, p, d, first, second, f, dFirst, dSecond);
  else if (kind === "add") addBack(M, p, d, first, second, f, dFirst, dSecond);
  else if (kind === "subtract") subtractBack(M, p, d, first, second, f, dFirst, dSecond);
  else if (kind === "smaller") smallerBack(M, p, d, first, second, f, dFirst, dSecond);
  else largerBack(M, p, d, first, second, f, dFirst, dSecond);
}

function readBack(M, p, d, first, f, dFirst, memory, from, dMemory) {
  for (let i = 0; i < M; i++) {
    const [row, q] = [i * M, p * first[f + i]];
    let sum = 0;
    for (let v = 0; v < M; v++) {
      sum += d[v] * memory[from + row + v];
      dMemory[row + v] += q * d[v];
    }
    dFirst[i] += p * sum;
  }
}

function tableBack(table, M, p, d, first, second, f, dFirst, dSecond) {
  for (let i = 0; i < M; i++) {
    const [row, q] = [i * M, p * first[f + i]];
    let sum = 0;
    for (let j = 0; j < M; j++) {
      const given = d[table[row + j]];
      sum += second[f + j] * given;
      dSecond[j] += q * given;
    }
    dFirst[i] += p * sum;
  }
}

function addBack(M, p, d, first, second, f, dFirst, dSecond) {
  for (let i = 0; i < M; i++) {
    const q = p * first[f + i];
    let sum = 0;
    for (let j = 0; j < M - i; j++) {
      sum += second[f + j] * d[i + j];
      dSecond[j] += q * d[i + j];
    }
    for (let j = M - i; j < M; j++) {
      sum += second[f + j] * d[i + j - M];
      dSecond[j] += q * d[i + j - M];
    }
    dFirst[i] += p * sum;
  }
}

function subtractBack(M, p, d, first, second, f, dFirst, dSecond) {
  for (let j = 0; j < M; j++) {
    const q = p * second[f + j];
    let sum = 0;
    for (let i = 0; i < j; i++) {
      sum += first[f + i] * d[i - j + M];
      dFirst[i] += q * d[i - j + M];
    }
    for (let i = j; i < M; i++) {
      sum += first[f + i] * d[i - j];
      dFirst[i] += q * d[i - j];
    }
    dSecond[j] += p * sum;
  }
}

function smallerBack(M, p, d, first, second, f, dFirst, dSecond) {
  let [above1, above2] = [0, 0];
  for (let c = M - 1; c >= 0; c--) {
    above2 += second[f + c];
    dFirst[c] += p * d[c] * above2;
    dSecond[c] += p * d[c] * above1;
    above1 += first[f + c];
  }
  let [below1, below2] = [0, 0];
  for (let c = 0; c < M; c++) {
    dFirst[c] += p * below2;
    below2 += second[f + c] * d[c];
    below1 += first[f + c] * d[c];
    dSecond[c] += p * below1;
  }
}

function largerBack(M, p, d, first, second, f, dFirst, dSecond) {
  let [below1, below2] = [0, 0];
  for (let c = 0; c < M; c++) {
    below2 += second[f + c];
    dFirst[c] += p * d[c] * below2;
    dSecond[c] += p * d[c] * below1;
    below1 += first[f + c];
  }
  let [above1, above2] = [0, 0];
  for (let c = M - 1; c >= 0; c--) {
    dFirst[c] += p * above2;
    above2 += second[f + c] * d[c];
    above1 += first[f + c] * d[c];
    dSecond[c] += p * above1;
  }
}
