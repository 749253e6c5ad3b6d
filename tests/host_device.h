/* The words of card.h without a card: the threads of a team take turns on one thread of the operating system. Each goes on until
   it has to wait for others; which one is next is drawn, mostly from the same warp, so that warps run ahead of each other and what
   depends on it is seen. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define DEVICE static inline
#define APART static
#define KERNEL
#define PASSED(kind) const kind *
#define WHERE(given) (given)
#define ROOM(name, bytes) unsigned char *name = own_memory
#define ALIGNED _Alignas(16)
#define ALONE __restrict__
#define UNROLLED(times)
#define THREAD own_thread
#define THREADS all_threads
#define TEAM own_team
#define TEAMS all_teams
typedef uint64_t word64;
typedef unsigned short word16;

#define MOST 1024
#define STACK 65536

/* Threads that wait for each other: how many have come, and how often all have. */
typedef struct {
  int come, times;
} Meeting;

static int own_thread, own_team, all_threads, all_teams, going_on;
static int has_ended[MOST], times_before[MOST];
static ucontext_t contexts[MOST], outside;
static Meeting team_meeting, group_meetings[MOST], warp_meetings[MOST], *awaited[MOST];
static double told[MOST];
static _Alignas(128) unsigned char own_memory[ROOM_BYTES];

/* A number below a limit, from the seed ORDER. */
static int drawn(int limit) {
  static uint64_t state = ORDER;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)limit);
}

/* Whether a thread has not ended, and those have come that it waits for. */
static int can_go_on(int thread) {
  return !has_ended[thread] && !(awaited[thread] && awaited[thread]->times == times_before[thread]);
}

/* One of so many threads that can go on; -1: none can. */
static int one_of(int first, int count) {
  int offset = drawn(count);
  for (int k = 0; k < count; k++) {
    int thread = first + (offset + k) % count;
    if (can_go_on(thread)) return thread;
  }
  return -1;
}

/* Let a thread go on that can. */
static void pass_on(void) {
  int from = own_thread, to = drawn(8) ? one_of(from / WARP * WARP, WARP) : -1;
  if (to < 0) to = one_of(0, all_threads);
  if (to < 0) fputs("all threads wait for each other\n", stderr), abort();
  if (to == from) return;
  own_thread = to;
  swapcontext(contexts + from, contexts + to);
}

static void wait_for(Meeting *meeting, int threads) {
  int times = meeting->times;
  if (++meeting->come == threads) {
    meeting->come = 0, meeting->times++;
    return;
  }
  awaited[own_thread] = meeting, times_before[own_thread] = times;
  pass_on();
}

DEVICE void meet(int group) { wait_for(group_meetings + group, GROUP); }
DEVICE void meet_all(void) { wait_for(&team_meeting, all_threads); }

#define OVER_WARP(name, from, to, kept)                                   \
  DEVICE REAL name(REAL value) {                                          \
    int first = own_thread / WARP * WARP, last = first + WARP;            \
    (void)first, (void)last;                                              \
    told[own_thread] = value;                                             \
    wait_for(warp_meetings + own_thread / WARP, WARP);                    \
    REAL found = 0;                                                       \
    for (int k = from; k < to; k++) kept;                                 \
    wait_for(warp_meetings + own_thread / WARP, WARP);                    \
    return found;                                                         \
  }
OVER_WARP(warp_sum, first, last, found += told[k])
OVER_WARP(warp_largest, first, last, found = k == first || told[k] > found ? told[k] : found)
OVER_WARP(warp_before, first, own_thread, found += told[k])
OVER_WARP(warp_after, own_thread + 1, last, found += told[k])

static void (*own_kernel)(const void *);
static const void *own_record;

static void work(void) {
  own_kernel(own_record);
  has_ended[own_thread] = 1;
  if (--going_on == 0) setcontext(&outside);
  pass_on();
}

/* Run a kernel on teams of so many threads, one team after the other. */
void launch(void (*kernel)(const void *), const void *record, int threads, int teams) {
  char *stacks = malloc((size_t)threads * STACK);
  own_kernel = kernel, own_record = record, all_threads = threads, all_teams = teams;
  for (volatile int team = 0; team < teams; team++) {
    own_team = team, going_on = threads;
    for (int i = 0; i < threads; i++) {
      has_ended[i] = 0, awaited[i] = 0;
      getcontext(contexts + i);
      contexts[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
      contexts[i].uc_stack.ss_size = STACK;
      makecontext(contexts + i, work, 0);
    }
    own_thread = drawn(threads);
    swapcontext(&outside, contexts + own_thread);
  }
  free(stacks);
}
