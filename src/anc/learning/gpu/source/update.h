/* What happens to a member between its gradients: softmax of its initial state, pulls, noise, clipping, the optimiser. */

/* Softmax of one row of a pack. */
DEVICE void softmax_row(const REAL *z, REAL *y, int count) {
  REAL top = z[0], sum = 0;
  for (int k = 1; k < count; k++) top = z[k] > top ? z[k] : top;
  for (int k = 0; k < count; k++) sum += y[k] = EXP(z[k] - top);
  for (int k = 0; k < count; k++) y[k] /= sum;
}

/* The softmax of the start line and of the initial registers. */
DEVICE void initial_state(const REAL *weights, REAL *initial) {
  ALL(row, 1 + R) softmax_row(weights + row * M, initial + row * M, M);
  meet_all();
}

/* Noise is a pure function of key, iteration and parameter, the same as on a CPU. */
DEVICE word64 scramble(word64 x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

DEVICE double noise_of(word64 key, word64 iteration, int parameter) {
  const word64 golden = 0x9E3779B97F4A7C15ull;
  word64 stream = scramble(scramble(key + golden) + iteration * golden);
  word64 bits = scramble(stream + ((word64)(parameter / 2) + 1) * golden);
  double u = ((double)(bits >> 32) + 0.5) * 2.3283064365386963e-10, v = ((double)(bits & 0xFFFFFFFFu) + 0.5) * 2.3283064365386963e-10;
  double radius = sqrt(-2.0 * log(u)), angle = 6.283185307179586 * v;
  return parameter % 2 ? radius * sin(angle) : radius * cos(angle);
}

/* The gradient of c Σ (y - y_ref)² for the softmax rows of a member, one thread for each row. */
DEVICE void pull_probabilities(const int *rows, const REAL *weights, const REAL *reference, REAL *gradient, REAL c) {
  ALL(row, ROWS) {
    int length = rows[2 * row], at = rows[2 * row + 1];
    REAL y[LONGEST], target[LONGEST], mean = 0;
    softmax_row(weights + at, y, length);
    softmax_row(reference + at, target, length);
    for (int k = 0; k < length; k++) mean += y[k] * (y[k] - target[k]);
    for (int k = 0; k < length; k++) gradient[at + k] += 2 * c * y[k] * (y[k] - target[k] - mean);
  }
  meet_all();
}

DEVICE REAL block_sum(REAL value, REAL *room) {
  value = warp_sum(value);
  if (THREAD % 32 == 0) room[THREAD / 32] = value;
  meet_all();
  value = 0;
  for (int warp = 0; warp < (THREADS + 31) / 32; warp++) value += room[warp];
  meet_all();
  return value;
}

DEVICE REAL block_largest(REAL value, REAL *room) {
  value = warp_largest(value);
  if (THREAD % 32 == 0) room[THREAD / 32] = value;
  meet_all();
  value = 0;
  for (int warp = 0; warp < (THREADS + 31) / 32; warp++) value = room[warp] > value ? room[warp] : value;
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
