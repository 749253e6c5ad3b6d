/* What happens to a member between its gradients: softmax of its initial state, pulls, noise, clipping, the optimiser. */

/* Softmax of numbers that are `step` apart: its largest logit, and what turns exponentials of differences from that into probabilities. */
typedef struct {
  REAL top, scale;
} Softmax;

DEVICE Softmax softmax_of(const REAL *z, int count, int step) {
  REAL top = z[0], sum = 0;
  LOOP(k, 1, count) top = LARGER(z[k * step], top);
  LOOP(k, 0, count) sum += EXP(z[k * step] - top);
  Softmax found = {top, 1 / sum};
  return found;
}

DEVICE REAL probability(Softmax row, REAL z) { return EXP(z - row.top) * row.scale; }

/* The softmax of the start line and of the initial registers. */
DEVICE void initial_state(const REAL *weights, REAL *initial) {
  ALL(row, 1 + R) {
    Softmax softmax = softmax_of(weights + row * M, M, 1);
    LOOP(v, row * M, (row + 1) * M) initial[v] = probability(softmax, weights[v]);
  }
  meet_all();
}

/* Noise is a pure function of key, iteration and parameter, the same as on a CPU. */
DEVICE word64 scramble(word64 x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

APART double noise_of(word64 key, word64 iteration, int parameter) {
  const word64 golden = 0x9E3779B97F4A7C15ull;
  word64 stream = scramble(scramble(key + golden) + iteration * golden);
  word64 bits = scramble(stream + ((word64)(parameter / 2) + 1) * golden);
  double u = ((double)(bits >> 32) + 0.5) * 2.3283064365386963e-10, v = ((double)(bits & 0xFFFFFFFFu) + 0.5) * 2.3283064365386963e-10;
  double radius = sqrt(-2.0 * log(u)), angle = 6.283185307179586 * v;
  return parameter % 2 ? radius * sin(angle) : radius * cos(angle);
}

/* The gradient of c Σ (y - y_ref)² for the softmax rows of a member, one thread for each row. */
APART void pull_probabilities(const int *rows, const REAL *weights, const REAL *reference, REAL *gradient, REAL c) {
  ALL(row, ROWS) {
    int first = rows[4 * row], length = rows[4 * row + 1], at = rows[4 * row + 2], step = rows[4 * row + 3];
    Softmax here = softmax_of(weights + at, length, step), there = softmax_of(reference + first, length, 1);
    REAL mean = 0;
    LOOP(k, 0, length) {
      REAL y = probability(here, weights[at + k * step]);
      mean += y * (y - probability(there, reference[first + k]));
    }
    LOOP(k, 0, length) {
      REAL y = probability(here, weights[at + k * step]);
      gradient[at + k * step] += 2 * c * y * (y - probability(there, reference[first + k]) - mean);
    }
  }
  meet_all();
}

DEVICE REAL block_sum(REAL value, REAL *room) {
  value = warp_sum(value);
  if (THREAD % WARP == 0) room[THREAD / WARP] = value;
  meet_all();
  value = 0;
  LOOP(warp, 0, (THREADS + WARP - 1) / WARP) value += room[warp];
  meet_all();
  return value;
}

DEVICE REAL block_largest(REAL value, REAL *room) {
  value = warp_largest(value);
  if (THREAD % WARP == 0) room[THREAD / WARP] = value;
  meet_all();
  value = 0;
  LOOP(warp, 0, (THREADS + WARP - 1) / WARP) value = room[warp] > value ? room[warp] : value;
  meet_all();
  return value;
}

/* Whether a gradient is finite, and the factor that clips its norm, which is measured in units of its largest entry. */
DEVICE int check_and_clip(const REAL *gradient, REAL clip, REAL *factor, REAL *room) {
  REAL probe = 0, top = 0, square = 0;
  ALL(k, PACK) probe += gradient[k] * 0; /* 0 · inf and 0 · NaN are NaN */
  probe = block_sum(probe, room);
  *factor = 1;
  if (!(probe == 0)) return 0;
  if (clip > 0) {
    ALL(k, PACK) top = ABS(gradient[k]) > top ? ABS(gradient[k]) : top;
    top = block_largest(top, room);
    REAL unit = top > 0 ? 1 / top : 0;
    ALL(k, PACK) square += gradient[k] * unit * (gradient[k] * unit);
    REAL norm = top * SQRT(block_sum(square, room));
    if (norm > clip) *factor = clip / norm;
  }
  return 1;
}
