/* A whole run: begin, step until it halts, charge it, and go back. */

DEVICE void place_values(REAL *ALONE m, const word16 *ALONE input, int value) {
  FOR(i, M) m[i * WIDE] = input[i] == value ? 1 : 0;
}

/* The state before the first step; which cells count, and their targets. */
DEVICE void begin(Run *x, const word16 *input, const word16 *output, const word16 *mask) {
  Small *s = x->s;
  EACH(v, M) {
    s->ir[v] = x->initial[v];
    LOOP(i, 0, R) s->r[i * M + v] = x->initial[(1 + i) * M + v];
    place_values(x->l->m + v, input, v);
    s->target[v] = mask[v] ? output[v] : -1;
  }
  x->steps = 0;
  meet(x->group);
}

/* Σ (m_iv - T_iv)² over the cells that count. */
DEVICE REAL squared_error(Run *x) {
  REAL error = 0;
  EACH(v, M) FOR(i, M) {
    int target = x->s->target[i];
    REAL d = x->l->m[i * WIDE + v] - (v == target ? 1 : 0);
    error += target < 0 ? 0 : d * d;
  }
  return group_sum(x, error);
}

DEVICE void add_column_error(REAL *ALONE d_m, const REAL *ALONE m, const int *ALONE targets, REAL factor, int value) {
  FOR(i, M) {
    REAL d = factor * (m[i * WIDE] - (value == targets[i] ? 1 : 0));
    d_m[i * WIDE] += targets[i] < 0 ? 0 : d;
  }
}

/* Add factor · (m_iv - T_iv) to the memory's adjoints. */
DEVICE void add_error_adjoint(Run *x, REAL factor) {
  EACH(v, M) add_column_error(x->l->d_m + v, x->l->m + v, x->s->target, factor, v);
}

/* Execute one step, remembered in a slot if there is one. */
DEVICE void forward(Run *x, const Tables *tables, Slot *slot) {
  Small *s = x->s;
  choices(x);
  operands(x, slot);
  outputs(x, tables->derived, tables->outputs);
  memory(x, slot);
  if (slot) {
    EACH(v, M) {
      slot->ir[v] = s->ir[v];
      slot->a1[v] = s->a1[v];
      slot->a2[v] = s->a2[v];
      slot->out[v] = s->out[v];
    }
    EACH(k, R * M) slot->r[k] = s->r[k];
    EACH(c, CHOICES) slot->choice[c] = s->choice[c];
    meet(x->group);
  }
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
  Small *s = x->s;
  EACH(v, M) {
    s->d_ir[v] = 0;
    LOOP(i, 0, R) s->d_r[i * M + v] = 0;
    FOR(i, M) x->l->d_m[i * WIDE + v] = 0;
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
  FOR(i, M) m[i * WIDE] = kept[i * M];
}

/* Put back what was computed in a step, and the memory before it. */
DEVICE void recall(Run *x, const Slot *slot) {
  Small *s = x->s;
  EACH(v, M) {
    s->ir[v] = slot->ir[v];
    s->a1[v] = slot->a1[v];
    s->a2[v] = slot->a2[v];
    s->out[v] = slot->out[v];
    copy_column(x->l->m + v, slot->m + v);
  }
  EACH(k, R * M) s->r[k] = slot->r[k];
  EACH(c, CHOICES) {
    s->choice[c] = slot->choice[c];
    s->d_choice[c] = 0;
  }
  meet(x->group);
}

/* Turn the adjoints of the state after a step into those of the state before it. */
DEVICE void backward(Run *x, const Tables *tables, const Slot *slot, int full) {
  REAL p = slot->p, gap = slot[1].gap, gain = slot[1].p - p;
  add_error_adjoint(x, 2 * x->factors.confidence * gain); /* the memory is still the one after the step */
  x->terms.confidence += gain * gap;
  x->terms.efficiency += 1 - p;
  meet(x->group);
  recall(x, slot);
  REAL e_stop = chosen(x->s->choice, STOP), charge = x->factors.confidence * gap;
  x->d_p += charge;
  add_chosen_adjoint(x, STOP, x->d_p * (1 - p));
  if (full) x->d_p -= x->d_p * e_stop;
  x->d_p -= charge + x->factors.efficiency;
  REAL d_jump = registers_and_line_adjoint(x);
  memory_adjoint(x);
  jump_adjoint(x, d_jump);
  outputs_adjoint(x, tables->derived, tables->outputs);
  operands_adjoint(x, slot);
  choices_adjoint(x);
}

/* From the adjoints of the initial state to the gradient of its logits. */
DEVICE void initial_adjoint(Run *x) {
  LOOP(row, 0, 1 + R) {
    const REAL *y = x->initial + row * M;
    const REAL *d = row ? x->s->d_r + (row - 1) * M : x->s->d_ir;
    REAL mean = 0;
    EACH(v, M) mean += y[v] * d[v];
    mean = group_sum(x, mean);
    EACH(v, M) x->l->gradient[row * M + v] += y[v] * (d[v] - mean);
  }
  meet(x->group);
}
