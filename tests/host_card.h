/* The words of card.h for the threads of an operating system; with one thread they are plain C. */

#include <math.h>
#include <pthread.h>
#include <stdint.h>

#define DEVICE static inline
#define APART static
#define KERNEL
#define PASSED(kind) const kind *
#define WHERE(given) (given)
#define ROOM(name) unsigned char *name = own_memory
#define ALONE __restrict__
#define UNROLLED(times)
#define THREAD own_thread
#define THREADS all_threads
#define BLOCK own_block
#define BLOCKS all_blocks
typedef uint64_t word64;
typedef unsigned short word16;

static __thread int own_thread;
static int own_block, all_threads, all_blocks;
static _Alignas(16) unsigned char own_memory[ROOM_BYTES];
static double told[1024];
static pthread_barrier_t together, groups_together[64], warps_together[512];

static void wait_for(pthread_barrier_t *barrier, int threads) {
  if (threads > 1) pthread_barrier_wait(barrier);
}

DEVICE void meet(int group) { wait_for(groups_together + group, GROUP); }
DEVICE void meet_all(void) { wait_for(&together, all_threads); }

#define OVER_WARP(name, kept)                              \
  DEVICE REAL name(REAL value) {                           \
    int first = own_thread / WARP * WARP;                  \
    if (WARP == 1) return value;                           \
    told[own_thread] = value;                              \
    wait_for(warps_together + own_thread / WARP, WARP);    \
    REAL found = told[first];                              \
    for (int k = first + 1; k < first + WARP; k++) kept;   \
    wait_for(warps_together + own_thread / WARP, WARP);    \
    return found;                                          \
  }
OVER_WARP(warp_sum, found += told[k])
OVER_WARP(warp_largest, found = told[k] > found ? told[k] : found)

/* Run a kernel on so many threads, one block after the other. */
typedef struct {
  int thread;
  void (*kernel)(const void *);
  const void *record;
} Job;

static void *work(void *given) {
  const Job *job = given;
  own_thread = job->thread;
  job->kernel(job->record);
  return 0;
}

void launch(void (*kernel)(const void *), const void *record, int threads, int blocks) {
  pthread_t running[1024];
  Job jobs[1024];
  all_threads = threads, all_blocks = blocks;
  pthread_barrier_init(&together, 0, threads);
  for (int g = 0; g < threads / GROUP; g++) pthread_barrier_init(groups_together + g, 0, GROUP);
  for (int w = 0; w < threads / WARP; w++) pthread_barrier_init(warps_together + w, 0, WARP);
  for (own_block = 0; own_block < blocks; own_block++) {
    for (int i = 0; i < threads; i++) {
      Job job = {i, kernel, record};
      jobs[i] = job;
      pthread_create(running + i, 0, work, jobs + i);
    }
    for (int i = 0; i < threads; i++) pthread_join(running[i], 0);
  }
}
