/* The words of card.h without a card: the threads of a team take turns on one thread of the operating system. Each goes on until
   it has to wait for others; which one is next is up or down the row, so that what depends on it is seen. */

#include <math.h>
#include <stdint.h>
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
static int has_ended[MOST];
static ucontext_t contexts[MOST], outside;
static Meeting team_meeting, group_meetings[MOST], warp_meetings[MOST];
static double told[MOST];
static _Alignas(128) unsigned char own_memory[ROOM_BYTES];

/* Let the next thread go on that has not ended. */
static void pass_on(void) {
  int from = own_thread, to = from;
  do to = (to + ORDER + all_threads) % all_threads;
  while (has_ended[to] && to != from);
  if (to == from) return;
  own_thread = to;
  swapcontext(contexts + from, contexts + to);
}

static void wait_for(Meeting *meeting, int threads) {
  int times = meeting->times;
  if (++meeting->come == threads) meeting->come = 0, meeting->times++;
  while (meeting->times == times) pass_on();
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
      has_ended[i] = 0;
      getcontext(contexts + i);
      contexts[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
      contexts[i].uc_stack.ss_size = STACK;
      makecontext(contexts + i, work, 0);
    }
    own_thread = ORDER > 0 ? 0 : threads - 1;
    swapcontext(&outside, contexts + own_thread);
  }
  free(stacks);
}
