/* One soft step of a run, and its adjoint. The parts come in the order of the step; the adjoints in reverse. */

/* The controller: the lines' logits mixed by the line's distribution, then a softmax for each choice. */
DEVICE void choices(Run *x) {
  Small *s = x->s;
  EACH(c, CHOICES) {
    REAL z = 0;
    FOR(j, M) z += s->ir[j] * x->weights[LINES + j * STRIDE + c];
    s->logits[c] = z;
  }
  meet(x->group);
  EACH(c, CHOICES) {
    const REAL *row = s->logits + row_of(c);
    REAL top = row[0];
    LOOP(k, 1, length_of(c)) top = row[k] > top ? row[k] : top;
    s->d_choice[c] = EXP(s->logits[c] - top);
  }
  meet(x->group);
  EACH(c, CHOICES) {
    const REAL *row = s->d_choice + row_of(c);
    REAL sum = 0;
    LOOP(k, 0, length_of(c)) sum += row[k];
    s->choice[c] = s->d_choice[c] / sum;
  }
  meet(x->group);
}

DEVICE void add_row_products(REAL *ALONE gradient, const REAL *ALONE ir, REAL d) {
  FOR(j, M) gradient[j * STRIDE] += ir[j] * d;
}

/* From the adjoints of the choices to those of the mixed logits, of the line and of the lines' logits. */
DEVICE void choices_adjoint(Run *x) {
  Small *s = x->s;
  EACH(c, CHOICES) {
    int first = row_of(c);
    REAL mean = 0;
    LOOP(k, first, first + length_of(c)) mean += s->choice[k] * s->d_choice[k];
    s->logits[c] = s->choice[c] * (s->d_choice[c] - mean);
  }
  meet(x->group);
  EACH(j, M) {
    REAL d = s->d_ir[j];
    FOR(c, CHOICES) d += x->weights[LINES + j * STRIDE + c] * s->logits[c];
    s->d_ir[j] = d;
  }
  EACH(c, CHOICES) add_row_products(x->l->gradient + LINES + c, s->ir, s->logits[c]);
  meet(x->group);
}

/* The operands A1 = a @ r and A2 = b @ r, normalised; the sums count as constants for the gradient. */
DEVICE void operands(Run *x, Slot *slot) {
  Small *s = x->s;
  REAL sum1 = 0, sum2 = 0;
  EACH(v, M) {
    REAL first = 0, second = 0;
    FOR(i, R) {
      first += s->choice[FIRST + i] * s->r[i * M + v];
      second += s->choice[SECOND + i] * s->r[i * M + v];
    }
    s->a1[v] = first;
    s->a2[v] = second;
    sum1 += first;
    sum2 += second;
  }
  REAL scale1 = 1 / group_sum(x, sum1), scale2 = 1 / group_sum(x, sum2);
  EACH(v, M) {
    s->a1[v] *= scale1;
    s->a2[v] *= scale2;
  }
  if (slot && x->lane == 0) slot->scale1 = scale1, slot->scale2 = scale2;
  meet(x->group);
}

DEVICE void end_registers_adjoint(REAL *ALONE d_r, const REAL *ALONE choice, REAL d_a1, REAL d_a2) {
  FOR(i, R) {
    REAL d = d_r[i * M];
    d -= choice[INTO + i] * d;
    d += choice[FIRST + i] * d_a1;
    d_r[i * M] = d + choice[SECOND + i] * d_a2;
  }
}

/* Also ends the registers' adjoint: what the output replaced is taken off. */
DEVICE void operands_adjoint(Run *x, const Slot *slot) {
  Small *s = x->s;
  EACH(v, M) {
    s->d_a1[v] *= slot->scale1;
    s->d_a2[v] *= slot->scale2;
  }
  meet(x->group);
  EACH(k, 3 * R) { /* the adjoints of the choices of registers */
    const REAL *r = s->r + k % R * M, *d = k < R ? s->d_a1 : k < 2 * R ? s->d_a2 : s->d_r + k % R * M;
    REAL sum = 0, sign = k < 2 * R ? 1 : -1, of_out = k < 2 * R ? 0 : 1;
    FOR(v, M) sum += d[v] * (of_out * s->out[v] + sign * r[v]);
    s->d_choice[FIRST + k] = sum;
  }
  meet(x->group);
  EACH(v, M) end_registers_adjoint(s->d_r + v, s->choice, s->d_a1[v], s->d_a2[v]);
  meet(x->group);
}

/* INC, DEC, ADD and SUB are one circular convolution of A1 with this. */
DEVICE void blend(Run *x) {
  Small *s = x->s;
  EACH(d, M) {
    REAL c = chosen(s->choice, ADD) * s->a2[d] + chosen(s->choice, SUB) * s->a2[d ? M - d : 0];
    if (d == 1 % M) c += chosen(s->choice, INC);
    if (d == M - 1) c += chosen(s->choice, DEC);
    s->blend[d] = c;
  }
  meet(x->group);
}

/* What all instructions but READ output: sums by the convolution, MIN and MAX by cumulative sums. */
DEVICE void outputs(Run *x, const int *derived, const int *tables) {
  Small *s = x->s;
  blend(x);
  REAL e_min = chosen(s->choice, MIN), lead = chosen(s->choice, MAX) - e_min;
  EACH(k, M) {
    REAL sum = 0, c1 = 0, c2 = 0;
    FOR(j, M) {
      REAL a1 = s->a1[j], a2 = s->a2[j];
      sum += a1 * s->blend[k >= j ? k - j : k - j + M];
      c1 += j < k ? a1 : 0;
      c2 += j <= k ? a2 : 0;
    }
    sum += s->a1[k] * (lead * c2 + e_min) + s->a2[k] * (lead * c1 + e_min);
    if (k == 0)
      LOOP(op, 0, N) sum += CONSTANTS >> op & 1 ? s->choice[op] : 0;
    s->out[k] = sum;
  }
#if DERIVED > 0
  meet(x->group);
  if (x->lane == 0)
    LOOP(d, 0, DERIVED) {
      REAL e = s->choice[derived[2 * d]];
      int seconds = derived[2 * d + 1];
      LOOP(i, 0, M)
        LOOP(j, 0, seconds)
          s->out[tables[(d * M + i) * M + j]] += e * s->a1[i] * (seconds > 1 ? s->a2[j] : 1);
    }
#endif
  meet(x->group);
}

DEVICE void outputs_adjoint(Run *x, const int *derived, const int *tables) {
  Small *s = x->s;
#if DERIVED > 0
  if (x->lane == 0)
    LOOP(d, 0, DERIVED) {
      int op = derived[2 * d], seconds = derived[2 * d + 1];
      REAL e = s->choice[op], d_e = 0;
      LOOP(i, 0, M) {
        REAL d_first = 0;
        LOOP(j, 0, seconds) {
          REAL d_out = s->d_out[tables[(d * M + i) * M + j]];
          d_first += d_out * (seconds > 1 ? s->a2[j] : 1);
          if (seconds > 1) s->d_a2[j] += e * s->a1[i] * d_out;
        }
        d_e += s->a1[i] * d_first;
        s->d_a1[i] += e * d_first;
      }
      s->d_choice[op] += d_e;
    }
  meet(x->group);
#endif
  blend(x);
  REAL e_min = chosen(s->choice, MIN), lead = chosen(s->choice, MAX) - e_min;
  REAL d_e_max = 0, d_e_either = 0;
  EACH(v, M) {
    REAL c1 = 0, c2 = 0, after1 = 0, after2 = 0, d_sum = 0, d_blend = 0;
    FOR(k, M) {
      REAL a1 = s->a1[k], a2 = s->a2[k], d_out = s->d_out[k];
      REAL shifted = s->d_out[v + k < M ? v + k : v + k - M];
      c1 += k < v ? a1 : 0;
      c2 += k < v ? a2 : 0;
      after1 += k >= v ? d_out * a2 : 0;
      after2 += k >= v ? d_out * a1 : 0;
      d_sum += s->blend[k] * shifted;
      d_blend += a1 * shifted;
    }
    REAL a1 = s->a1[v], a2 = s->a2[v], d_out = s->d_out[v];
    s->d_a1[v] += d_sum + d_out * (lead * c2 + e_min) + lead * after1;
    s->d_a2[v] += d_out * (lead * c1 + e_min) + lead * after2;
    s->d_blend[v] = d_blend;
    d_e_max += d_out * (a1 * (c2 + a2) + a2 * c1);
    d_e_either += d_out * (a1 + a2);
  }
  meet(x->group);
  REAL e_add = chosen(s->choice, ADD), e_sub = chosen(s->choice, SUB), d_e_add = 0, d_e_sub = 0;
  EACH(d, M) {
    REAL same = s->d_blend[d], other = s->d_blend[d ? M - d : 0], a2 = s->a2[d];
    d_e_add += same * a2;
    d_e_sub += other * a2;
    s->d_a2[d] += e_add * same + e_sub * other;
  }
  d_e_max = group_sum(x, d_e_max);
  add_chosen_adjoint(x, MIN, group_sum(x, d_e_either) - d_e_max);
  add_chosen_adjoint(x, MAX, d_e_max);
  add_chosen_adjoint(x, ADD, group_sum(x, d_e_add));
  add_chosen_adjoint(x, SUB, group_sum(x, d_e_sub));
  add_chosen_adjoint(x, INC, s->d_blend[1 % M]);
  add_chosen_adjoint(x, DEC, s->d_blend[M - 1]);
  LOOP(op, 0, N)
    if (CONSTANTS >> op & 1) add_chosen_adjoint(x, op, s->d_out[0]);
  meet(x->group);
}

/* One column of the memory: what is read there, what is written there, and what was there before. */
DEVICE REAL memory_column(REAL *ALONE m, const REAL *ALONE a1, REAL *ALONE kept, REAL a2, REAL e_write) {
  REAL read = 0;
  FOR(i, M) {
    REAL cell = m[i * WIDE], here = a1[i];
    if (kept) kept[i * M] = cell;
    read += here * cell;
    m[i * WIDE] = cell + e_write * here * (a2 - cell);
  }
  return read;
}

/* The memory, in one pass: READ takes A1 @ m, WRITE blends A2 into the cells that A1 names. */
DEVICE void memory(Run *x, Slot *slot) {
  Small *s = x->s;
  REAL e_read = chosen(s->choice, READ), e_write = chosen(s->choice, WRITE);
  EACH(v, M)
    s->out[v] += e_read * memory_column(x->l->m + v, s->a1, slot ? slot->m + v : 0, s->a2[v], e_write);
  meet(x->group);
}

/* Replaces one column of the memory's adjoints; returns what A2 gets of it. */
DEVICE REAL memory_column_adjoint(REAL *ALONE d_m, const REAL *ALONE a1, REAL e_write, REAL read) {
  REAL d_a2 = 0;
  FOR(i, M) {
    REAL d = d_m[i * WIDE], here = a1[i], blended = e_write * here * d;
    d_a2 += blended;
    d_m[i * WIDE] = d - blended + here * read;
  }
  return d_a2;
}

/* Replaces the memory's adjoints; sets those of A1, adds to those of A2. */
DEVICE void memory_adjoint(Run *x) {
  Small *s = x->s;
  REAL *m = x->l->m, *d_m = x->l->d_m;
  REAL e_read = chosen(s->choice, READ), e_write = chosen(s->choice, WRITE);
  REAL d_e_write = 0, d_e_read = 0;
  EACH(i, M) {
    REAL write = 0, read = 0;
    FOR(v, M) {
      REAL cell = m[i * WIDE + v];
      write += d_m[i * WIDE + v] * (s->a2[v] - cell);
      read += s->d_out[v] * cell;
    }
    s->d_a1[i] = e_write * write + e_read * read;
    d_e_write += s->a1[i] * write;
    d_e_read += s->a1[i] * read;
  }
  meet(x->group);
  EACH(v, M) s->d_a2[v] += memory_column_adjoint(d_m + v, s->a1, e_write, e_read * s->d_out[v]);
  add_chosen_adjoint(x, WRITE, group_sum(x, d_e_write));
  add_chosen_adjoint(x, READ, group_sum(x, d_e_read));
  meet(x->group);
}

DEVICE void replace_registers(REAL *ALONE r, const REAL *ALONE into, REAL out) {
  FOR(i, R) r[i * M] += into[i] * (out - r[i * M]);
}

/* The registers take the output where o names them; the line is A2 after a jump, else the next one. */
DEVICE void registers_and_line(Run *x) {
  Small *s = x->s;
  REAL jump = chosen(s->choice, JUMP) * s->a1[0];
  EACH(v, M) {
    replace_registers(s->r + v, s->choice + INTO, s->out[v]);
    REAL before = s->ir[v ? v - 1 : M - 1];
    s->next[v] = before + jump * (s->a2[v] - before);
  }
  meet(x->group);
  EACH(v, M) s->ir[v] = s->next[v];
  meet(x->group);
}

/* Replaces the line's adjoints, sets those of A2 and of the output; returns that of the jump. */
DEVICE REAL registers_and_line_adjoint(Run *x) {
  Small *s = x->s;
  REAL jump = chosen(s->choice, JUMP) * s->a1[0], d_jump = 0;
  EACH(v, M) {
    REAL d_out = 0, d = s->d_ir[v];
    FOR(i, R) d_out += s->choice[INTO + i] * s->d_r[i * M + v];
    s->d_out[v] = d_out;
    d_jump += d * (s->a2[v] - s->ir[v ? v - 1 : M - 1]);
    s->d_a2[v] = jump * d;
    REAL next = s->d_ir[v + 1 < M ? v + 1 : 0];
    s->next[v] = next - jump * next;
  }
  d_jump = group_sum(x, d_jump);
  meet(x->group);
  EACH(v, M) s->d_ir[v] = s->next[v];
  meet(x->group);
  return d_jump;
}

DEVICE void jump_adjoint(Run *x, REAL d_jump) {
  Small *s = x->s;
  add_chosen_adjoint(x, JUMP, d_jump * s->a1[0]);
  if (x->lane == 0) s->d_a1[0] += d_jump * chosen(s->choice, JUMP);
  meet(x->group);
}
