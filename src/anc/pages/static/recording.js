// A packed run, unpacked: a pool of distributions and, for each step, which row holds which of them.
// Whole states are kept every few steps (keyframes); any step is a keyframe and the changes after it.

const KEYFRAME = 64;

class Recording extends Run {
  static async open(data) {
    return new Recording(data, await unpack(data.packed));
  }

  constructor(data, arrays) {
    super(data);
    this.stopAt = Float64Array.from(arrays.stop, (n) => n / 1e9);
    this.states = new Map(); // the last few that were asked for
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
}
