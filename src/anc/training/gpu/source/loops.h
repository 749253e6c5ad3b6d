/* Loops, alone and shared by threads. */

#define GROUPS (THREADS / GROUP)
/* The loops that a step spends its time in are unrolled, so that what they load comes together; those over a few things wholly, all
   others are not: it takes long to compile. */
#define FOR(i, count) UNROLLED(UNROLL) for (int i = 0; i < (count); i++)
#define FEW(i, count) UNROLLED(64) for (int i = 0; i < (count); i++)
#define LOOP(i, first, count) UNROLLED(1) for (int i = first; i < (count); i++)
#define EACH(i, count) UNROLLED(1) for (int i = x->lane; i < (count); i += GROUP)
#define ALL(i, count) UNROLLED(1) for (int i = THREAD; i < (count); i += THREADS)
/* The same where a lane has one of them or a few. */
#define EVERY(i, count)                             \
  FEW(i##_turn, ((count) + GROUP - 1) / GROUP)      \
  for (int i = x->lane + i##_turn * GROUP, i##_once = 1; i##_once && i < (count); i##_once = 0)
/* What lane v of a group does for its own column: there are at least as many lanes as cells. */
#define OWN(v) for (int v = x->lane, v##_once = 1; v##_once && v < M; v##_once = 0)
