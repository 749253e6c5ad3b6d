/* The two kernels: train members for many iterations; run members on many cases. */

typedef struct {
  ALIGNED REAL weights[PACK];
  REAL initial[(1 + R) * M], room[32], rate, scale;
  long long applied, skipped;
} Member;

/* Records of groups that share a warp are apart by half of all banks, so that the halves of the warp do not meet there. */
#define BESIDE(kind) (GROUP < 32 ? (sizeof(kind) + 63) / 128 * 128 + 64 : sizeof(kind))

/* A team's own memory: its member, then the small records of its groups, then the large ones if they fit. */
#define INSIDE(groups) (BESIDE(Member) + (groups) * (BESIDE(Small) + LARGE_INSIDE * BESIDE(Large)))

/* Everything about a training; arrays lie in the card's memory. */
typedef struct {
  REAL *weights, *moment1, *moment2; /* (S, PARAMETERS), and so are the next two */
  const REAL *reference;
  REAL *gradient; /* written when there is no update */
  long long *applied, *skipped; /* (S) */
  const double *settings; /* (6, S) */
  const word64 *keys; /* (S) */
  const int *indices; /* (K, S, batch) */
  const double *schedule; /* (5, K) */
  const unsigned char *trainable; /* (PARAMETERS) */
  const int *places; /* (PARAMETERS): where in a pack each parameter lies */
  const int *rows; /* (ROWS, 4): of each softmax row its first parameter, length, place in a pack, and how far apart it lies there */
  const word16 *inputs, *outputs, *masks; /* (C, M) */
  double *sums; /* (S, 6): the loss terms, their weighted sum, and the steps */
  Tables tables;
  int S, K, batch, first_iteration, max_steps, mode, full;
  double threshold, b1, b2, eps;
  Large *large; /* one for each group of each team, if it does not fit inside */
  Slot *slots; /* max_steps + 1 for each group of each team */
} Training;

#define GRADIENT_ONLY 0
#define SGD 1

/* 1 - b to the power of count */
APART double less_power(double b, double count) { return 1 - pow(b, count); }

/* The records of a group of this team. */
DEVICE Small *small_of(unsigned char *inside, int group) {
  return (Small *)(inside + BESIDE(Member) + group * BESIDE(Small));
}

DEVICE Large *large_of(unsigned char *inside, Large *outside, int group) {
#if LARGE_INSIDE
  return (Large *)(inside + BESIDE(Member) + GROUPS * BESIDE(Small) + group * BESIDE(Large));
#else
  return outside + (TEAM * GROUPS + group);
#endif
}

DEVICE Run new_run(unsigned char *inside, Large *large, Slot *slots, int max_steps) {
  Run x;
  Member *member = (Member *)inside;
  x.group = THREAD / GROUP;
  x.lane = THREAD % GROUP;
  x.weights = member->weights;
  x.initial = member->initial;
  x.s = small_of(inside, x.group);
  x.l = large_of(inside, large, x.group);
  x.slots = slots + (word64)(TEAM * GROUPS + x.group) * (max_steps + 1);
  fill_rows(&x);
  return x;
}

/* Add a sample's loss to the sums. */
DEVICE void count_sample(Run *x) {
  double *sums = x->s->sums;
  Terms a = x->factors, b = x->terms;
  sums[0] += b.correctness;
  sums[1] += b.halting;
  sums[2] += b.confidence;
  sums[3] += b.efficiency;
  sums[4] += (double)a.correctness * b.correctness + (double)a.halting * b.halting
             + (double)a.confidence * b.confidence + (double)a.efficiency * b.efficiency;
  sums[5] += x->steps;
}

/* The gradients of a member's samples in one iteration, added up in each of its groups. */
DEVICE void samples(Run *x, const Training *t, int member, int k) {
  const double *settings = t->settings + member;
  x->factors.correctness = settings[0];
  x->factors.halting = settings[t->S];
  x->factors.confidence = settings[2 * t->S];
  x->factors.efficiency = settings[3 * t->S] * t->schedule[4 * t->K + k];
  REAL threshold = t->threshold;
  EACH(i, PACK) x->l->gradient[i] = 0;
  UNROLLED(1) for (int sample = x->group; sample < t->batch; sample += GROUPS) {
    int at = t->indices[((word64)k * t->S + member) * t->batch + sample] * M;
    begin(x, t->inputs + at, t->outputs + at, t->masks + at);
    REAL p = run_and_remember(x, &t->tables, t->max_steps, threshold);
    charge_end(x, p, threshold);
    UNROLLED(1) for (int step = x->steps - 1; step >= 0; step--) backward(x, &t->tables, x->slots + step, t->full);
    initial_adjoint(x);
    if (x->lane == 0) count_sample(x);
  }
  meet_all();
}

/* The gradient of a member: that of its groups, one after the other, then pulls and noise. */
DEVICE void whole_gradient(const Training *t, unsigned char *inside, int member, int k) {
  Member *m = (Member *)inside;
  REAL *gradient = large_of(inside, t->large, 0)->gradient;
  const REAL *reference = t->reference + (word64)member * PARAMETERS; /* only looked at if something pulls */
  double deviation = t->schedule[t->K + k];
  REAL on_weights = t->schedule[2 * t->K + k], on_probabilities = t->schedule[3 * t->K + k];
  ALL(i, PACK) {
    REAL sum = gradient[i];
    LOOP(group, 1, GROUPS) sum += large_of(inside, t->large, group)->gradient[i];
    gradient[i] = sum;
  }
  meet_all();
  if (on_probabilities != 0) pull_probabilities(t->rows, m->weights, reference, gradient, on_probabilities);
  ALL(i, PARAMETERS) {
    int at = t->places[i];
    REAL *g = gradient + at;
    if (on_weights != 0) *g += 2 * on_weights * (m->weights[at] - reference[i]);
    if (deviation != 0) *g += deviation * noise_of(t->keys[member], t->first_iteration + k, i);
    if (!t->trainable[i]) *g = 0;
  }
  meet_all();
}

/* Check, clip and apply a member's gradient, and count what was done. */
DEVICE void update(const Training *t, Member *m, const REAL *gradient, int member, int k) {
  REAL factor;
  int applies = check_and_clip(gradient, t->settings[5 * t->S + member], &factor, m->room);
  if (THREAD == 0) {
    m->applied += applies;
    m->skipped += !applies;
    double count = m->applied > 1 ? m->applied : 1, rate = t->settings[4 * t->S + member] * t->schedule[k];
    m->rate = t->mode == SGD ? rate : rate / less_power(t->b1, count);
    m->scale = t->mode == SGD ? 1 : 1 / sqrt(less_power(t->b2, count));
  }
  meet_all();
  if (!applies) return;
  ALL(i, PARAMETERS) {
    int at = t->places[i];
    REAL g = gradient[at] * factor;
    if (t->mode == SGD) {
      m->weights[at] -= m->rate * g;
      continue;
    }
    word64 here = (word64)member * PARAMETERS + i;
    REAL b1 = t->b1, b2 = t->b2;
    REAL first = b1 * t->moment1[here] + (1 - b1) * g, second = b2 * t->moment2[here] + (1 - b2) * g * g;
    m->weights[at] -= m->rate * first / (SQRT(second) * m->scale + (REAL)t->eps);
    t->moment1[here] = first;
    t->moment2[here] = second;
  }
  meet_all();
}

/* Put a member's parameters into a pack; what lies between its rows is zero. */
DEVICE void fill_pack(REAL *pack, const REAL *parameters, const int *places) {
  ALL(i, PACK) pack[i] = 0;
  meet_all();
  ALL(i, PARAMETERS) pack[places[i]] = parameters[i];
  meet_all();
}

KERNEL void train_members(PASSED(Training) given) {
  ROOM(inside, INSIDE(GROUPS));
  const Training *t = WHERE(given);
  Run x = new_run(inside, t->large, t->slots, t->max_steps);
  Member *m = (Member *)inside;
  REAL *gradient = large_of(inside, t->large, 0)->gradient;
  UNROLLED(1) for (int member = TEAM; member < t->S; member += TEAMS) {
    word64 first = (word64)member * PARAMETERS;
    fill_pack(m->weights, t->weights + first, t->places);
    ALL(i, 6 * GROUPS) small_of(inside, i / 6)->sums[i % 6] = 0;
    if (THREAD == 0) m->applied = t->applied[member], m->skipped = 0;
    LOOP(k, 0, t->K) {
      initial_state(m->weights, m->initial);
      samples(&x, t, member, k);
      whole_gradient(t, inside, member, k);
      if (t->mode != GRADIENT_ONLY) update(t, m, gradient, member, k);
    }
    ALL(i, PARAMETERS) {
      if (t->mode == GRADIENT_ONLY) t->gradient[first + i] = gradient[t->places[i]];
      else t->weights[first + i] = m->weights[t->places[i]];
    }
    if (THREAD == 0) t->applied[member] = m->applied, t->skipped[member] += m->skipped;
    ALL(i, 6) LOOP(group, 0, GROUPS) t->sums[member * 6 + i] += small_of(inside, group)->sums[i];
    meet_all();
  }
}

/* Members that run on cases, forwards only. */
typedef struct {
  const REAL *weights; /* (S, PARAMETERS) */
  const int *places;
  const word16 *inputs, *outputs, *masks; /* (C, M) */
  int *steps; /* (S, C), and so are the others */
  REAL *stop, *certainty;
  unsigned char *right;
  Tables tables;
  int S, C, pieces, max_steps; /* a team takes one of so many pieces of a member's cases */
  double threshold;
  Large *large;
} Evaluation;

DEVICE void put_across(REAL *ALONE across, const REAL *ALONE m) {
  FOR(i, M) across[i * WIDE] = m[i * DOWN];
}

/* Over the cells that count: the target's least probability, and whether it is always the likeliest. */
DEVICE void judge(Run *x, REAL *least, int *right) {
  REAL doubt = -1, wrong = 0;
  OWN(v) put_across(x->l->across + v, CELLS(x));
  meet(x->group);
  OWN(i) {
    const REAL *row = x->l->across + i * WIDE;
    int target = x->s->target[i], likeliest = 0;
    if (target < 0) continue;
    LOOP(v, 1, M) likeliest = row[v] > row[likeliest] ? v : likeliest;
    doubt = -row[target];
    wrong = likeliest != target;
  }
  *least = -group_largest(x, doubt);
  *right = group_sum(x, wrong) == 0;
}

KERNEL void evaluate_members(PASSED(Evaluation) given) {
  ROOM(inside, INSIDE(GROUPS));
  const Evaluation *e = WHERE(given);
  Run x = new_run(inside, e->large, 0, 0);
  Member *m = (Member *)inside;
  REAL threshold = e->threshold;
  UNROLLED(1) for (int job = TEAM; job < e->S * e->pieces; job += TEAMS) {
    int member = job / e->pieces, piece = job % e->pieces;
    meet_all();
    fill_pack(m->weights, e->weights + (word64)member * PARAMETERS, e->places);
    initial_state(m->weights, m->initial);
    UNROLLED(1) for (int c = piece * GROUPS + x.group; c < e->C; c += e->pieces * GROUPS) {
      REAL p = 0, least;
      int right;
      begin(&x, e->inputs + c * M, e->outputs + c * M, e->masks + c * M);
      while (!(p > threshold) && x.steps < e->max_steps) {
        forward(&x, &e->tables, 0);
        p += chosen(x.s->choice, STOP) * (1 - p);
        x.steps++;
      }
      judge(&x, &least, &right);
      if (x.lane == 0) {
        word64 at = (word64)member * e->C + c;
        e->steps[at] = x.steps;
        e->stop[at] = p;
        e->certainty[at] = least;
        e->right[at] = right;
      }
      meet(x.group);
    }
  }
}

/* How many bytes the caller must set aside: for a team, for each group in it, for a large record outside, for a slot; then the records. */
KERNEL void sizes(long long *bytes) {
  bytes[0] = INSIDE(0);
  bytes[1] = INSIDE(1) - INSIDE(0);
  bytes[2] = LARGE_INSIDE ? 0 : sizeof(Large);
  bytes[3] = sizeof(Slot);
  bytes[4] = sizeof(Training);
  bytes[5] = sizeof(Evaluation);
}
