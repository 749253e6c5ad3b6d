/* A whole run: begin, step until it halts, charge it, and go back. */

DEVICE void place_values(REAL *ALONE m, const word16 *ALONE input, int value) {
  FOR(i, M) m[i * DOWN] = input[i] == value ? 1 : 0;
}

/* Fill rows up, once for all runs. */
DEVICE void fill_rows(Run *x) {
  EACH(k, 4 * SIDE) x->s->logits[k] = LEAST, x->s->parts[k] = 0;
  EACH(k, 4 * FOURS(M)) x->s->ir[k] = 0;
  meet(x->group);
}

/* The state before the first step; which cells count, and their targets. */
DEVICE void begin(Run *x, const word16 *input, const word16 *output, const word16 *mask) {
  Small *s = x->s;
  x->a1 = x->a2 = x->out = 0; /* of a lane without a column, for ever */
  OWN(v) {
    REAL *r = REGISTERS(x);
    s->ir[v] = x->initial[v];
    FEW(i, R) r[i * DOWN] = x->initial[(1 + i) * M + v];
    place_values(CELLS(x), input, v);
    s->target[v] = mask[v] ? output[v] : -1;
  }
  EACH(four, FOURS(M)) {
    int any = 0;
    LOOP(i, 4 * four, 4 * four + 4 < M ? 4 * four + 4 : M) any |= mask[i];
    s->counts[four] = any;
  }
  x->steps = 0;
  meet(x->group);
}

/* Cells among those that may count; often they are few. */
#define COUNTED(i)                         \
  FOR(four, FOURS(M))                      \
    if (s->counts[four])                   \
      FEW(of, 4)                           \
        for (int i = 4 * four + of, i##_once = 1; i##_once && i < M; i##_once = 0)

DEVICE REAL column_error(const Small *s, const REAL *ALONE m, int value) {
  REAL error = 0;
  COUNTED(i) {
    REAL d = m[i * DOWN] - (value == s->target[i] ? 1 : 0);
    error += s->target[i] < 0 ? 0 : d * d;
  }
  return error;
}

/* Σ (m_iv - T_iv)² over the cells that count. */
DEVICE REAL squared_error(Run *x) {
  REAL error = 0;
  OWN(v) error = column_error(x->s, CELLS(x), v);
  return group_sum(x, error);
}

DEVICE void add_column_error(const Small *s, REAL *ALONE d_m, const REAL *ALONE m, REAL factor, int value) {
  COUNTED(i) {
    REAL d = factor * (m[i * DOWN] - (value == s->target[i] ? 1 : 0));
    d_m[i * DOWN] += s->target[i] < 0 ? 0 : d;
  }
}

/* Add factor · (m_iv - T_iv) to the memory's adjoints. */
DEVICE void add_error_adjoint(Run *x, REAL factor) {
  OWN(v) add_column_error(x->s, D_CELLS(x), CELLS(x), factor, v);
}

/* Remember a step in a slot; each lane its own column, and the choices that it has computed. */
DEVICE void remember(Run *x, Slot *slot) {
  Small *s = x->s;
  OWN(v) {
    const REAL *r = REGISTERS(x);
    slot->ir[v] = s->ir[v];
    slot->a1[v] = x->a1;
    slot->a2[v] = x->a2;
    slot->out[v] = x->out;
    FEW(i, R) slot->r[i * M + v] = r[i * DOWN];
  }
  EVERY(c, CHOICES) slot->choice[c] = s->choice[c];
}

/* Execute one step, remembered in a slot if there is one. */
DEVICE void forward(Run *x, const Tables *tables, Slot *slot) {
  choices(x);
  operands(x, slot);
  outputs(x, tables);
  memory(x, slot);
  if (slot) remember(x, slot);
  registers_and_line(x);
}

/* Step until the stop probability passes the threshold, with all slots kept; returns that probability. */
DEVICE REAL run_and_remember(Run *x, const Tables *tables, int max_steps, REAL threshold) {
  REAL p = 0, gap = 0;
  while (!(p > threshold) && x->steps < max_steps) {
    Slot *slot = x->slots + x->steps++;
    forward(x, tables, slot);
    if (x->lane == 0) slot->p = p, slot->gap = gap;
    p += chosen(x->s->choice, STOP) * (1 - p);
    gap = squared_error(x);
  }
  Slot *last = x->slots + x->steps;
  if (x->lane == 0) last->p = p, last->gap = gap;
  meet(x->group);
  return p;
}

/* The loss of the final state, and the adjoints to start from. */
DEVICE void charge_end(Run *x, REAL p, REAL threshold) {
  OWN(v) {
    REAL *d_r = D_REGISTERS(x), *d_m = D_CELLS(x);
    x->s->d_ir[v] = 0;
    FEW(i, R) d_r[i * DOWN] = 0;
    FOR(i, M) d_m[i * DOWN] = 0;
  }
  add_error_adjoint(x, 2 * x->factors.correctness);
  int halted = p > threshold;
  x->d_p = (halted ? 0 : -x->factors.halting) - x->factors.efficiency;
  x->terms.correctness = x->slots[x->steps].gap;
  x->terms.halting = halted ? 0 : 1 - p;
  x->terms.confidence = 0;
  x->terms.efficiency = 1 - p;
  meet(x->group);
}

DEVICE void copy_column(REAL *ALONE m, const REAL *ALONE kept) {
  FOR(i, M) m[i * DOWN] = kept[i * M];
}

/* Put back what was computed in a step, and the memory before it. */
DEVICE void recall(Run *x, const Slot *slot) {
  Small *s = x->s;
  OWN(v) {
    REAL *r = REGISTERS(x);
    copy_column(CELLS(x), slot->m + v);
    FEW(i, R) r[i * DOWN] = slot->r[i * M + v];
    s->ir[v] = slot->ir[v];
    s->a1[v] = x->a1 = slot->a1[v];
    s->a2[v] = x->a2 = slot->a2[v];
    x->out = slot->out[v];
  }
  EVERY(c, CHOICES) s->choice[c] = slot->choice[c];
  x->d_op = 0;
  meet(x->group);
}

/* Turn the adjoints of the state after a step into those of the state before it. */
DEVICE void backward(Run *x, const Tables *tables, const Slot *slot, int full) {
  REAL p = slot->p, gap = slot[1].gap, gain = slot[1].p - p;
  add_error_adjoint(x, 2 * x->factors.confidence * gain); /* the memory is still the one after the step */
  x->terms.confidence += gain * gap;
  x->terms.efficiency += 1 - p;
  recall(x, slot);
  REAL e_stop = chosen(x->s->choice, STOP), charge = x->factors.confidence * gap;
  x->d_p += charge;
  add_chosen_adjoint(x, STOP, x->d_p * (1 - p));
  if (full) x->d_p -= x->d_p * e_stop;
  x->d_p -= charge + x->factors.efficiency;
  REAL d_jump = registers_and_line_adjoint(x);
  memory_adjoint(x);
  jump_adjoint(x, d_jump);
  outputs_adjoint(x, tables);
  operands_adjoint(x, slot);
  choices_adjoint(x);
}

/* From the adjoints of the initial state to the gradient of its logits. */
DEVICE void initial_adjoint(Run *x) {
  const REAL *d_r = D_REGISTERS(x);
  FEW(row, 1 + R) {
    REAL y = 0, d = 0;
    OWN(v) {
      y = x->initial[row * M + v];
      d = row ? d_r[(row - 1) * DOWN] : x->s->d_ir[v];
    }
    REAL mean = group_sum(x, y * d);
    OWN(v) x->l->gradient[row * M + v] += y * (d - mean);
  }
  meet(x->group);
}
