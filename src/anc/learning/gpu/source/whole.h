/* A whole run: begin, step until it halts, charge it, and go back. */

/* The state before the first step; which cells count, and their targets. */
DEVICE void begin(Run *x, const word16 *input, const word16 *output, const word16 *mask) {
  Small *s = x->s;
  EACH(v, M) {
    s->ir[v] = x->initial[v];
    FOR(i, R) s->r[i * M + v] = x->initial[(1 + i) * M + v];
    FOR(i, M) x->l->m[i * WIDE + v] = input[i] == v ? 1 : 0;
    s->target[v] = mask[v] ? output[v] : -1;
  }
  x->steps = 0;
  meet(x->group);
}

/* Σ (m_iv - T_iv)² over the cells that count. */
DEVICE REAL squared_error(Run *x) {
  REAL error = 0;
  FOR(i, M) {
    int target = x->s->target[i];
    if (target < 0) continue;
    EACH(v, M) {
      REAL d = x->l->m[i * WIDE + v] - (v == target ? 1 : 0);
      error += d * d;
    }
  }
  return group_sum(x, error);
}

/* Add factor · (m_iv - T_iv) to the memory's adjoints. */
DEVICE void add_error_adjoint(Run *x, REAL factor) {
  FOR(i, M) {
    int target = x->s->target[i];
    if (target < 0) continue;
    EACH(v, M) x->l->d_m[i * WIDE + v] += factor * (x->l->m[i * WIDE + v] - (v == target ? 1 : 0));
  }
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
    FOR(i, R) s->d_r[i * M + v] = 0;
    FOR(i, M) x->l->d_m[i * WIDE + v] = 0;
  }
  add_error_adjoint(x, 2 * x->correctness);
  int halted = p > threshold;
  x->d_p = (halted ? 0 : -x->halting) - x->efficiency;
  x->terms[0] = x->slots[x->steps].gap;
  x->terms[1] = halted ? 0 : 1 - p;
  x->terms[2] = 0;
  x->terms[3] = 1 - p;
  meet(x->group);
}

/* Put back what was computed in a step, and the memory before it. */
DEVICE void recall(Run *x, const Slot *slot) {
  Small *s = x->s;
  EACH(v, M) {
    s->ir[v] = slot->ir[v];
    s->a1[v] = slot->a1[v];
    s->a2[v] = slot->a2[v];
    s->out[v] = slot->out[v];
    FOR(i, M) x->l->m[i * WIDE + v] = slot->m[i * M + v];
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
  add_error_adjoint(x, 2 * x->confidence * gain); /* the memory is still the one after the step */
  x->terms[2] += gain * gap;
  x->terms[3] += 1 - p;
  meet(x->group);
  recall(x, slot);
  REAL e_stop = chosen(x->s->choice, STOP), charge = x->confidence * gap;
  x->d_p += charge;
  add_chosen_adjoint(x, STOP, x->d_p * (1 - p));
  if (full) x->d_p -= x->d_p * e_stop;
  x->d_p -= charge + x->efficiency;
  REAL d_jump = registers_and_line_adjoint(x);
  memory_adjoint(x);
  jump_adjoint(x, d_jump);
  outputs_adjoint(x, tables->derived, tables->outputs);
  operands_adjoint(x, slot);
  choices_adjoint(x);
}

/* From the adjoints of the initial state to the gradient of its logits. */
DEVICE void initial_adjoint(Run *x) {
  for (int row = 0; row < 1 + R; row++) {
    const REAL *y = x->initial + row * M;
    const REAL *d = row ? x->s->d_r + (row - 1) * M : x->s->d_ir;
    REAL mean = 0;
    EACH(v, M) mean += y[v] * d[v];
    mean = group_sum(x, mean);
    EACH(v, M) x->l->gradient[row * M + v] += y[v] * (d[v] - mean);
  }
  meet(x->group);
}
