/* Loops, alone and shared by threads. */

#define GROUPS (THREADS / GROUP)
/* The loops that a step spends its time in are unrolled, so that what they load comes together; all others are not: it takes long
   to compile. */
#define FOR(i, count) UNROLLED(UNROLL) for (int i = 0; i < (count); i++)
#define LOOP(i, first, count) UNROLLED(1) for (int i = first; i < (count); i++)
#define EACH(i, count) UNROLLED(1) for (int i = x->lane; i < (count); i += GROUP)
#define ALL(i, count) UNROLLED(1) for (int i = THREAD; i < (count); i += THREADS)
