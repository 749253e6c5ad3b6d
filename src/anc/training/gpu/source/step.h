/* One soft step of a run, and its adjoint. The parts come in the order of the step; the adjoints in reverse. */

DEVICE REAL row_total(const Small *s, int choice) {
  const REAL *row = s->parts + row_of(choice);
  REAL sum = 0;
  FEW(k, SIDE) sum += row[k];
  return sum;
}

/* The controller: the lines' logits mixed by the line's distribution, then a softmax for each choice. */
DEVICE void choices(Run *x) {
  Small *s = x->s;
  EVERY(c, CHOICES) {
    const REAL *lines = x->weights + LINES + c * WIDE;
    REAL z = 0;
    FOR(j, M) z += s->ir[j] * lines[j];
    s->logits[filled(c)] = z;
  }
  meet(x->group);
  EVERY(c, CHOICES) {
    const REAL *row = s->logits + row_of(c);
    REAL top = row[0];
    FEW(k, SIDE) top = LARGER(row[k], top);
    s->parts[filled(c)] = EXP(s->logits[filled(c)] - top);
  }
  meet(x->group);
  EVERY(c, CHOICES) s->choice[c] = s->parts[filled(c)] / row_total(s, c);
  meet(x->group);
}

DEVICE void add_row_products(Four *ALONE gradient, const Four *ALONE ir, REAL d) {
  FOR(four, FOURS(M)) {
    Four sum = gradient[four], line = ir[four];
    FEW(k, 4) sum.at[k] += line.at[k] * d;
    gradient[four] = sum;
  }
}

/* From the adjoints of the choices to those of the mixed logits, of the line and of the lines' logits. */
DEVICE void choices_adjoint(Run *x) {
  Small *s = x->s;
  EVERY(c, CHOICES) s->parts[filled(c)] = s->choice[c] * s->d_choice[c];
  meet(x->group);
  EVERY(c, CHOICES) s->d_logits[c] = s->choice[c] * (s->d_choice[c] - row_total(s, c));
  meet(x->group);
  OWN(j) {
    REAL d = s->d_ir[j];
    FOR(c, CHOICES) d += x->weights[LINES + c * WIDE + j] * s->d_logits[c];
    s->d_ir[j] = d;
  }
  EVERY(c, CHOICES)
    add_row_products((Four *)(x->l->gradient + LINES + c * WIDE), (const Four *)s->ir, s->d_logits[c]);
  meet(x->group);
}

/* The operands A1 = a @ r and A2 = b @ r, normalised; the sums count as constants for the gradient. */
DEVICE void operands(Run *x, Slot *slot) {
  Small *s = x->s;
  REAL first = 0, second = 0;
  OWN(v) {
    const REAL *r = REGISTERS(x);
    FEW(i, R) {
      first += s->choice[FIRST + i] * r[i * DOWN];
      second += s->choice[SECOND + i] * r[i * DOWN];
    }
  }
  REAL scale1 = 1 / group_sum(x, first), scale2 = 1 / group_sum(x, second);
  x->a1 = first * scale1;
  x->a2 = second * scale2;
  OWN(v) s->a1[v] = x->a1, s->a2[v] = x->a2;
  if (slot && x->lane == 0) slot->scale1 = scale1, slot->scale2 = scale2;
  meet(x->group);
}

DEVICE void end_registers_adjoint(REAL *ALONE d_r, const REAL *ALONE choice, REAL d_a1, REAL d_a2) {
  FEW(i, R) {
    REAL d = d_r[i * DOWN];
    d -= choice[INTO + i] * d;
    d += choice[FIRST + i] * d_a1;
    d_r[i * DOWN] = d + choice[SECOND + i] * d_a2;
  }
}

DEVICE void put_products_across(REAL *ALONE across, const REAL *ALONE r, const REAL *ALONE d_r, REAL d_a1, REAL d_a2, REAL out) {
  FEW(i, R) {
    across[i * WIDE] = d_a1 * r[i * DOWN];
    across[(R + i) * WIDE] = d_a2 * r[i * DOWN];
    across[(2 * R + i) * WIDE] = d_r[i * DOWN] * (out - r[i * DOWN]);
  }
}

/* Also ends the registers' adjoint: what the output replaced is taken off; and tells all lanes the adjoints of the choices. */
DEVICE void operands_adjoint(Run *x, const Slot *slot) {
  Small *s = x->s;
  REAL d_a1 = x->d_a1 * slot->scale1, d_a2 = x->d_a2 * slot->scale2;
  OWN(v) {
    put_products_across(x->l->across + v, REGISTERS(x), D_REGISTERS(x), d_a1, d_a2, x->out);
    end_registers_adjoint(D_REGISTERS(x), s->choice, d_a1, d_a2);
  }
  if (x->lane < N) s->d_choice[x->lane] = x->d_op;
  sum_rows(x, 3 * R, s->d_choice + FIRST);
}

/* INC, DEC, ADD and SUB are one circular convolution of A1 with this. */
DEVICE void blend(Run *x) {
  Small *s = x->s;
  OWN(d) {
    REAL c = chosen(s->choice, ADD) * x->a2 + chosen(s->choice, SUB) * s->a2[d ? M - d : 0];
    if (d == 1 % M) c += chosen(s->choice, INC);
    if (d == M - 1) c += chosen(s->choice, DEC);
    s->blend[d] = s->blend[M + d] = c;
  }
  meet(x->group);
}

/* What instructions without a fast path add to the output. */
DEVICE void derived_outputs(Run *x, const int *derived, const int *tables) {
#if DERIVED > 0
  Small *s = x->s;
  OWN(v) s->other[v] = 0;
  meet(x->group);
  if (x->lane == 0)
    LOOP(d, 0, DERIVED) {
      REAL e = s->choice[derived[2 * d]];
      int seconds = derived[2 * d + 1];
      LOOP(i, 0, M)
        LOOP(j, 0, seconds)
          s->other[tables[(d * M + i) * M + j]] += e * s->a1[i] * (seconds > 1 ? s->a2[j] : 1);
    }
  meet(x->group);
  OWN(v) x->out += s->other[v];
#endif
}

DEVICE void derived_outputs_adjoint(Run *x, const int *derived, const int *tables) {
#if DERIVED > 0
  Small *s = x->s;
  LOOP(d, 0, DERIVED) {
    int op = derived[2 * d], seconds = derived[2 * d + 1];
    REAL e = s->choice[op], d_e = 0;
    OWN(i) {
      REAL d_first = 0;
      LOOP(j, 0, seconds) d_first += s->d_out[tables[(d * M + i) * M + j]] * (seconds > 1 ? s->a2[j] : 1);
      d_e = x->a1 * d_first;
      x->d_a1 += e * d_first;
    }
    OWN(j)
      if (seconds > 1)
        LOOP(i, 0, M) x->d_a2 += e * s->a1[i] * s->d_out[tables[(d * M + i) * M + j]];
    add_chosen_adjoint(x, op, group_sum(x, d_e));
  }
#endif
}

/* What all instructions but READ output: sums by the convolution, MIN and MAX by cumulative sums. */
DEVICE void outputs(Run *x, const Tables *tables) {
  Small *s = x->s;
  blend(x);
  REAL before1 = group_before(x, x->a1), up_to2 = group_before(x, x->a2) + x->a2;
  REAL e_min = chosen(s->choice, MIN), lead = chosen(s->choice, MAX) - e_min;
  OWN(k) {
    const REAL *turned = s->blend + M + k;
    REAL sum = 0;
    FOR(j, M) sum += s->a1[j] * turned[-j];
    sum += x->a1 * (lead * up_to2 + e_min) + x->a2 * (lead * before1 + e_min);
    if (k == 0)
      FEW(op, N) sum += CONSTANTS >> op & 1 ? s->choice[op] : 0;
    x->out = sum;
  }
  derived_outputs(x, tables->derived, tables->outputs);
}

DEVICE void outputs_adjoint(Run *x, const Tables *tables) {
  Small *s = x->s;
  derived_outputs_adjoint(x, tables->derived, tables->outputs);
  blend(x);
  REAL a1 = x->a1, a2 = x->a2, d_out = x->d_out, d_blend = 0;
  REAL before1 = group_before(x, a1), before2 = group_before(x, a2);
  REAL after1 = d_out * a2 + group_after(x, d_out * a2), after2 = d_out * a1 + group_after(x, d_out * a1);
  REAL e_min = chosen(s->choice, MIN), lead = chosen(s->choice, MAX) - e_min;
  OWN(v) {
    const REAL *turned = s->d_out + v;
    REAL d_sum = 0;
    FOR(k, M) {
      d_sum += s->blend[k] * turned[k];
      d_blend += s->a1[k] * turned[k];
    }
    x->d_a1 += d_sum + d_out * (lead * before2 + e_min) + lead * after1;
    x->d_a2 += d_out * (lead * before1 + e_min) + lead * after2;
    s->d_blend[v] = d_blend;
  }
  meet(x->group);
  REAL d_mirrored = 0;
  OWN(d) d_mirrored = s->d_blend[d ? M - d : 0];
  x->d_a2 += chosen(s->choice, ADD) * d_blend + chosen(s->choice, SUB) * d_mirrored;
  REAL d_e_max = group_sum(x, d_out * (a1 * (before2 + a2) + a2 * before1));
  add_chosen_adjoint(x, MIN, group_sum(x, d_out * (a1 + a2)) - d_e_max);
  add_chosen_adjoint(x, MAX, d_e_max);
  add_chosen_adjoint(x, ADD, group_sum(x, d_blend * a2));
  add_chosen_adjoint(x, SUB, group_sum(x, d_mirrored * a2));
  add_chosen_adjoint(x, INC, s->d_blend[1 % M]);
  add_chosen_adjoint(x, DEC, s->d_blend[M - 1]);
  FEW(op, N) if (CONSTANTS >> op & 1) add_chosen_adjoint(x, op, s->d_out[0]);
}

/* One column of the memory: what is read there, what is written there, and what was there before. */
DEVICE REAL memory_column(REAL *ALONE m, const REAL *ALONE a1, REAL *ALONE kept, REAL a2, REAL e_write) {
  REAL read = 0;
  FOR(i, M) {
    REAL cell = m[i * DOWN], here = a1[i];
    if (kept) kept[i * M] = cell;
    read += here * cell;
    m[i * DOWN] = cell + e_write * here * (a2 - cell);
  }
  return read;
}

/* The memory, in one pass: READ takes A1 @ m, WRITE blends A2 into the cells that A1 names. */
DEVICE void memory(Run *x, Slot *slot) {
  Small *s = x->s;
  REAL e_read = chosen(s->choice, READ), e_write = chosen(s->choice, WRITE);
  OWN(v) x->out += e_read * memory_column(CELLS(x), s->a1, slot ? slot->m + v : 0, x->a2, e_write);
}

/* What a column gives to the adjoints of all. */
typedef struct {
  REAL write, read, d_a2;
} ColumnAdjoint;

/* Replaces one column of the memory's adjoints, and puts what A1 gets of it across. */
DEVICE ColumnAdjoint memory_column_adjoint(
  const REAL *ALONE m, REAL *ALONE d_m, REAL *ALONE across, const REAL *ALONE a1, REAL a2, REAL e_write, REAL read
) {
  ColumnAdjoint found = {0, 0, 0};
  FOR(i, M) {
    REAL cell = m[i * DOWN], d = d_m[i * DOWN], here = a1[i], lack = a2 - cell, moved = here * d;
    across[i * WIDE] = e_write * (d * lack) + read * cell;
    found.write += moved * lack;
    found.read += here * cell;
    found.d_a2 += moved;
    d_m[i * DOWN] = d - e_write * moved + here * read;
  }
  return found;
}

/* Replaces the memory's adjoints; sets those of A1, adds to those of A2. */
DEVICE void memory_adjoint(Run *x) {
  Small *s = x->s;
  REAL e_read = chosen(s->choice, READ), e_write = chosen(s->choice, WRITE);
  ColumnAdjoint found = {0, 0, 0};
  OWN(v) {
    found = memory_column_adjoint(CELLS(x), D_CELLS(x), x->l->across + v, s->a1, x->a2, e_write, e_read * x->d_out);
    x->d_a2 += e_write * found.d_a2;
  }
  add_chosen_adjoint(x, WRITE, group_sum(x, found.write));
  add_chosen_adjoint(x, READ, group_sum(x, found.read * x->d_out));
  sum_rows(x, M, s->d_a1);
  x->d_a1 = 0;
  OWN(i) x->d_a1 = s->d_a1[i];
}

DEVICE void replace_registers(REAL *ALONE r, const REAL *ALONE into, REAL out) {
  FEW(i, R) r[i * DOWN] += into[i] * (out - r[i * DOWN]);
}

/* The registers take the output where o names them; the line is A2 after a jump, else the next one. */
DEVICE void registers_and_line(Run *x) {
  Small *s = x->s;
  REAL jump = chosen(s->choice, JUMP) * s->a1[0], next = 0;
  OWN(v) {
    replace_registers(REGISTERS(x), s->choice + INTO, x->out);
    REAL before = s->ir[v ? v - 1 : M - 1];
    next = before + jump * (x->a2 - before);
  }
  meet(x->group);
  OWN(v) s->ir[v] = next;
  meet(x->group);
}

/* Replaces the line's adjoints, sets those of A2 and of the output; returns that of the jump. */
DEVICE REAL registers_and_line_adjoint(Run *x) {
  Small *s = x->s;
  REAL jump = chosen(s->choice, JUMP) * s->a1[0], d_jump = 0, before = 0;
  x->d_out = x->d_a2 = 0;
  OWN(v) {
    const REAL *d_r = D_REGISTERS(x);
    REAL d_out = 0, d = s->d_ir[v], next = s->d_ir[v + 1 < M ? v + 1 : 0];
    FEW(i, R) d_out += s->choice[INTO + i] * d_r[i * DOWN];
    s->d_out[v] = s->d_out[M + v] = x->d_out = d_out;
    d_jump = d * (x->a2 - s->ir[v ? v - 1 : M - 1]);
    x->d_a2 = jump * d;
    before = next - jump * next;
  }
  d_jump = group_sum(x, d_jump);
  meet(x->group);
  OWN(v) s->d_ir[v] = before;
  return d_jump;
}

DEVICE void jump_adjoint(Run *x, REAL d_jump) {
  add_chosen_adjoint(x, JUMP, d_jump * x->s->a1[0]);
  if (x->lane == 0) x->d_a1 += d_jump * chosen(x->s->choice, JUMP);
}
