/* What one run holds: its state, the adjoints of its state, and the slots of all its steps. */

#define CHOICES (N + 3 * R) /* instruction, first and second operand, register to write */
#define FIRST (N)
#define SECOND (N + R)
#define INTO (N + 2 * R)
#define WIDE (M | 1) /* rows of the memory are apart by an odd number: columns meet different banks */
#define LINES ((1 + R) * M) /* where the lines' logits begin in a pack */

/* One step of a run: the state before it, and what was computed in it. */
typedef struct {
  REAL ir[M], r[R * M], choice[CHOICES], a1[M], a2[M], out[M], m[M * M];
  REAL p, gap, scale1, scale2;
} Slot;

/* The small arrays of a run. */
typedef struct {
  double sums[6]; /* the loss terms of all samples, their weighted sum, and the steps */
  REAL ir[M], r[R * M], choice[CHOICES], a1[M], a2[M], out[M], blend[M];
  REAL d_ir[M], d_r[R * M], d_choice[CHOICES], d_a1[M], d_a2[M], d_out[M], d_blend[M];
  REAL logits[CHOICES], next[M], partial[32];
  int target[M]; /* of the cells that count; -1: it does not */
} Small;

/* The large ones, which may lie in the card's own memory. */
typedef struct {
  REAL m[M * WIDE], d_m[M * WIDE], gradient[PACK];
} Large;

/* A number for each term of the loss. */
typedef struct {
  REAL correctness, halting, confidence, efficiency;
} Terms;

/* Without arrays, so that all of it stays in registers and a compiler knows where the pointers lead. */
typedef struct {
  int lane, group;
  const REAL *weights; /* a pack: start, registers, then N + 3 R logits for each line */
  const REAL *initial; /* softmax of start and registers */
  Small *s;
  Large *l;
  Slot *slots;
  Terms factors, terms;
  REAL d_p;
  int steps;
} Run;

/* What instructions without a fast path output: (DERIVED, 2) which and how many second operands, (DERIVED, M, M). */
typedef struct {
  const int *derived, *outputs;
} Tables;

DEVICE REAL group_sum(Run *x, REAL value) {
  value = warp_sum(value);
#if GROUP > WARP
  if (x->lane % WARP == 0) x->s->partial[x->lane / WARP] = value;
  meet(x->group);
  value = 0;
  for (int warp = 0; warp < GROUP / WARP; warp++) value += x->s->partial[warp];
  meet(x->group);
#endif
  return value;
}

DEVICE REAL group_largest(Run *x, REAL value) {
  value = warp_largest(value);
#if GROUP > WARP
  if (x->lane % WARP == 0) x->s->partial[x->lane / WARP] = value;
  meet(x->group);
  for (int warp = 0; warp < GROUP / WARP; warp++) value = x->s->partial[warp] > value ? x->s->partial[warp] : value;
  meet(x->group);
#endif
  return value;
}

/* How much an instruction is chosen; a table may lack it (-1). */
DEVICE REAL chosen(const REAL *choice, int op) { return op < 0 ? 0 : choice[op]; }

DEVICE void add_chosen_adjoint(Run *x, int op, REAL d) {
  if (op >= 0 && x->lane == 0) x->s->d_choice[op] += d;
}

/* Where the row of softmax that a choice belongs to begins, and its length. */
DEVICE int row_of(int choice) { return choice < N ? 0 : N + (choice - N) / R * R; }
DEVICE int length_of(int choice) { return choice < N ? N : R; }
