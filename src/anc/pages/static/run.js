// A run as the views see it: step t has the row state(t), which holds the number of a distribution for each of the line, the command's
// four choices, the registers and the cells. Distribution `id` is values[i] with probability p[i], from begin[id] to begin[id + 1].

const ROW = { line: 0, op: 1, first: 2, second: 3, out: 4, registers: 5 };

class Run {
  constructor(data) {
    Object.assign(this, data);
    this.isSoft = data.machine === "soft";
    this.last = data.steps;
    this.R = data.registers.length;
    this.cells = ROW.registers + this.R;
    this.rowCount = this.cells + data.M;
    this.scratch = new Float32Array(Math.max(data.M, this.R, data.ops.length));
  }

  // [value, probability] pairs; none at all means that nothing is chosen there.
  entries(id) {
    const found = [];
    for (let i = this.begin[id]; i < this.begin[id + 1]; i++) found.push([this.values[i], this.p[i]]);
    return found;
  }

  isEmpty(id) {
    return this.begin[id] === this.begin[id + 1];
  }

  probability(id, value) {
    for (let i = this.begin[id]; i < this.begin[id + 1]; i++) {
      if (this.values[i] === value) return this.p[i];
    }
    return 0;
  }

  // Half the sum of differences: how much probability moved from one distribution to the other.
  moved(before, after) {
    if (before === after) return 0;
    const difference = this.scratch.fill(0);
    for (let i = this.begin[before]; i < this.begin[before + 1]; i++) difference[this.values[i]] -= this.p[i];
    for (let i = this.begin[after]; i < this.begin[after + 1]; i++) difference[this.values[i]] += this.p[i];
    let sum = 0;
    for (const d of difference) sum += Math.abs(d);
    return sum / 2;
  }

  // What an operand is worth: the chosen registers' values before step t, mixed.
  operand(choiceId, before) {
    const mixed = new Map();
    for (const [register, weight] of this.entries(choiceId)) {
      for (const [value, p] of this.entries(before[ROW.registers + register])) {
        mixed.set(value, (mixed.get(value) || 0) + weight * p);
      }
    }
    let [value, best] = [0, 0];
    for (const [v, p] of mixed) if (p > best) [value, best] = [v, p];
    return { value, p: Math.min(1, best), entries: [...mixed].filter(([, p]) => p >= 1 / UNITS) };
  }
}
