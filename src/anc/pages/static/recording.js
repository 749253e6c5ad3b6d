// A packed run, unpacked: a pool of distributions and, for each step, which row holds which of them.
// Whole states are kept every few steps (keyframes); any step is a keyframe and the changes after it.

const ROW = { line: 0, op: 1, first: 2, second: 3, out: 4, registers: 5 };
const KEYFRAME = 64;

class Recording {
  static async open(data) {
    return new Recording(data, await unpack(data.packed));
  }

  constructor(data, arrays) {
    Object.assign(this, data);
    this.isSoft = data.machine === "soft";
    this.last = data.steps;
    this.R = data.registers.length;
    this.cells = ROW.registers + this.R;
    this.rowCount = this.cells + data.M;
    this.stopAt = Float64Array.from(arrays.stop, (n) => n / 1e9);
    this.states = new Map(); // the last few that were asked for
    this.scratch = new Float32Array(Math.max(data.M, this.R, data.ops.length));
    this._readPool(arrays);
    this._readChanges(arrays);
  }

  _readPool({ counts, values, units }) {
    this.begin = new Uint32Array(counts.length + 1);
    this.bestValue = new Int32Array(counts.length).fill(-1);
    this.bestP = new Float32Array(counts.length);
    this.values = values;
    this.p = new Float32Array(units.length);
    for (let i = 0; i < units.length; i++) this.p[i] = units[i] / UNITS;
    for (let id = 0, place = 0; id < counts.length; id++) {
      this.begin[id] = place;
      let best = -1;
      for (const end = place + counts[id]; place < end; place++) {
        if (best < 0 || units[place] > units[best]) best = place;
      }
      if (best >= 0) {
        this.bestP[id] = this.p[best];
        this.bestValue[id] = values[best];
      }
      this.begin[id + 1] = place;
    }
  }

  _readChanges({ changes, rows, ids }) {
    this.changedRows = rows;
    this.changedIds = ids;
    this.changeBegin = new Uint32Array(changes.length + 1);
    for (let t = 0; t < changes.length; t++) this.changeBegin[t + 1] = this.changeBegin[t] + changes[t];
    this.keyframes = [];
    const state = new Uint32Array(this.rowCount);
    this.lineIds = new Uint32Array(this.last + 1);
    for (let t = 0; t <= this.last; t++) {
      this._apply(state, t);
      this.lineIds[t] = state[ROW.line];
      if (t % KEYFRAME === 0) this.keyframes.push(state.slice());
    }
  }

  _apply(state, t) {
    for (let i = this.changeBegin[t]; i < this.changeBegin[t + 1]; i++) {
      state[this.changedRows[i]] = this.changedIds[i];
    }
  }

  // The number in the pool of every row, after step t.
  state(t) {
    const known = this.states.get(t);
    if (known) return known;
    const frame = Math.floor(t / KEYFRAME);
    const state = this.keyframes[frame].slice();
    for (let i = frame * KEYFRAME + 1; i <= t; i++) this._apply(state, i);
    if (this.states.size > 3) this.states.delete(this.states.keys().next().value);
    this.states.set(t, state);
    return state;
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
