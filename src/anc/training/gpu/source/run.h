/* What one run holds: its state, the adjoints of its state, and the slots of all its steps.

   Lane v of a group owns column v: what cells, registers, line, operands and output have for the value v. */

#define CHOICES (N + 3 * R) /* instruction, first and second operand, register to write */
#define FIRST (N)
#define SECOND (N + R)
#define INTO (N + 2 * R)
#define FOURS(count) (((count) + 3) / 4) /* what is loaded together */
#define WIDE (4 * (FOURS(M) | 1)) /* rows are apart by an odd number of fours: lanes that read a row each meet different banks */
#define LINES (4 * FOURS((1 + R) * M)) /* where the lines' logits begin in a pack, a row of them for each choice */
#define SIDE (4 * FOURS(N > R ? N : R)) /* of a softmax row with what fills it up */
#define ACROSS (M > 3 * R ? M : 3 * R)

/* Numbers that are loaded and stored together. */
typedef struct {
  ALIGNED REAL at[4];
} Four;

/* One step of a run: the state before it, and what was computed in it. */
typedef struct {
  REAL ir[M], r[R * M], choice[CHOICES], a1[M], a2[M], out[M], m[M * M];
  REAL p, gap, scale1, scale2;
} Slot;

/* The small arrays of a run: what lanes tell each other. */
typedef struct {
  double sums[6]; /* the loss terms of all samples, their weighted sum, and the steps */
  ALIGNED REAL ir[4 * FOURS(M)]; /* filled up with zeros */
  ALIGNED REAL a1[M];
  ALIGNED REAL a2[M];
  ALIGNED REAL blend[2 * M]; /* twice, one after the other, so that nothing goes round; so is the next */
  ALIGNED REAL d_out[2 * M];
  ALIGNED REAL logits[4 * SIDE]; /* filled up with what is never the largest */
  ALIGNED REAL parts[4 * SIDE]; /* filled up with zeros */
  ALIGNED REAL d_logits[CHOICES];
  ALIGNED REAL choice[CHOICES];
  REAL d_choice[CHOICES], d_ir[M], d_a1[M], d_blend[M], other[M], partial[32];
  ALIGNED int target[M]; /* of the cells that count; -1: it does not */
  ALIGNED int counts[FOURS(M)]; /* whether any of four cells does */
#if !COLUMNS_INSIDE
  REAL r[R * WIDE], d_r[R * WIDE];
#endif
} Small;

/* The large ones, which may lie in the card's own memory. */
typedef struct {
#if !COLUMNS_INSIDE
  REAL m[M * WIDE], d_m[M * WIDE];
#endif
  ALIGNED REAL across[ACROSS * WIDE]; /* columns put down here are read as rows */
  ALIGNED REAL gradient[PACK];
} Large;

/* A number for each term of the loss. */
typedef struct {
  REAL correctness, halting, confidence, efficiency;
} Terms;

/* What a lane knows by itself. */
typedef struct {
  int lane, group, steps;
  const REAL *weights; /* a pack: start, registers, then the logits of all lines for each choice */
  const REAL *initial; /* softmax of start and registers */
  Small *s;
  Large *l;
  Slot *slots;
  Terms factors, terms;
  REAL d_p;
  REAL a1, a2, out, d_a1, d_a2, d_out; /* its own column's */
  REAL d_op; /* the adjoint of the instruction whose number is the lane's */
#if COLUMNS_INSIDE
  REAL m[M], d_m[M], r[R], d_r[R]; /* registers, as all loops over them are unrolled */
#endif
} Run;

/* A lane's own column of the memory, of the registers, and of their adjoints: x[i * DOWN]. */
#if COLUMNS_INSIDE
#define DOWN 1
#define CELLS(x) ((x)->m)
#define D_CELLS(x) ((x)->d_m)
#define REGISTERS(x) ((x)->r)
#define D_REGISTERS(x) ((x)->d_r)
#else
#define DOWN WIDE
#define CELLS(x) ((x)->l->m + (x)->lane)
#define D_CELLS(x) ((x)->l->d_m + (x)->lane)
#define REGISTERS(x) ((x)->s->r + (x)->lane)
#define D_REGISTERS(x) ((x)->s->d_r + (x)->lane)
#endif

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
  LOOP(warp, 0, GROUP / WARP) value += x->s->partial[warp];
  meet(x->group);
#endif
  return value;
}

DEVICE REAL group_largest(Run *x, REAL value) {
  value = warp_largest(value);
#if GROUP > WARP
  if (x->lane % WARP == 0) x->s->partial[x->lane / WARP] = value;
  meet(x->group);
  LOOP(warp, 0, GROUP / WARP) value = x->s->partial[warp] > value ? x->s->partial[warp] : value;
  meet(x->group);
#endif
  return value;
}

/* The sum over the lanes before this one. */
DEVICE REAL group_before(Run *x, REAL value) {
  REAL sum = warp_before(value);
#if GROUP > WARP
  if (x->lane % WARP == WARP - 1) x->s->partial[x->lane / WARP] = sum + value;
  meet(x->group);
  LOOP(warp, 0, x->lane / WARP) sum += x->s->partial[warp];
  meet(x->group);
#endif
  return sum;
}

/* The sum over the lanes after this one. */
DEVICE REAL group_after(Run *x, REAL value) {
  REAL sum = warp_after(value);
#if GROUP > WARP
  if (x->lane % WARP == 0) x->s->partial[x->lane / WARP] = sum + value;
  meet(x->group);
  LOOP(warp, x->lane / WARP + 1, GROUP / WARP) sum += x->s->partial[warp];
  meet(x->group);
#endif
  return sum;
}

/* The sums of the first rows of what columns have put across. Begins and ends with a meeting. */
DEVICE void sum_rows(Run *x, int rows, REAL *sums) {
  meet(x->group);
#if GROUP > WARP
  LOOP(turn, 0, (rows + GROUP / WARP - 1) / (GROUP / WARP)) {
    int row = turn * (GROUP / WARP) + x->lane / WARP;
    REAL sum = 0;
    if (row < rows)
      for (int v = x->lane % WARP; v < M; v += WARP) sum += x->l->across[row * WIDE + v];
    sum = warp_sum(sum);
    if (row < rows && x->lane % WARP == 0) sums[row] = sum;
  }
#else
  EVERY(row, rows) {
    REAL sum = 0;
    FOR(v, M) sum += x->l->across[row * WIDE + v];
    sums[row] = sum;
  }
#endif
  meet(x->group);
}

/* How much an instruction is chosen; a table may lack it (-1). */
DEVICE REAL chosen(const REAL *choice, int op) { return op < 0 ? 0 : choice[op]; }

DEVICE void add_chosen_adjoint(Run *x, int op, REAL d) { x->d_op += x->lane == op ? d : 0; }

/* Softmax rows are filled up to one length: where the row of a choice begins, and where in it the choice lies. */
DEVICE int row_of(int choice) { return choice < N ? 0 : SIDE + (choice - N) / R * SIDE; }
DEVICE int filled(int choice) { return choice < N ? choice : row_of(choice) + (choice - N) % R; }
