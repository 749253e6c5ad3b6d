/* Loops shared by threads, and how threads meet. */

#ifdef ONE_THREAD
#define UNROLLED
#else
#define UNROLLED _Pragma("unroll 4") /* more takes long to compile and is not faster */
#endif
#define FOR(i, count) UNROLLED for (int i = 0; i < (count); i++)
#define EACH(i, count) for (int i = x->lane; i < (count); i += GROUP)
#define ALL(i, count) for (int i = THREAD; i < (count); i += THREADS)

/* Wait for all threads of the group; what they wrote can then be read. */
DEVICE void meet(int group) {
#ifndef ONE_THREAD
#if GROUP == 32
  __syncwarp();
#else
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"(GROUP) : "memory");
#endif
#endif
}

/* Wait for all threads of the block. */
DEVICE void meet_all(void) {
#ifndef ONE_THREAD
  __syncthreads();
#endif
}

/* The sum over the threads of a warp, known to all of them. */
DEVICE REAL warp_sum(REAL value) {
#ifndef ONE_THREAD
  for (int other = 16; other > 0; other >>= 1) value += __shfl_xor_sync(0xffffffffu, value, other);
#endif
  return value;
}

DEVICE REAL warp_largest(REAL value) {
#ifndef ONE_THREAD
  for (int other = 16; other > 0; other >>= 1) {
    REAL found = __shfl_xor_sync(0xffffffffu, value, other);
    value = value > found ? value : found;
  }
#endif
  return value;
}
