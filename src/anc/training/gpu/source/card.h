/* What the other files say, in the words of a card. A *group* of GROUP threads computes one run, a *team* of groups trains one member.
   A block is a team; where a team is half a warp, it may be two.

   With other words in place of these the same source runs without a card, as the tests show. */

#define DEVICE __device__ __forceinline__
#define APART __device__ __noinline__ /* what is rare or long is compiled once */
#define KERNEL extern "C" __global__
#define PASSED(kind) const __grid_constant__ kind
#define WHERE(given) (&(given))
#define ROOM(name, bytes)                                   \
  extern __shared__ __align__(16) unsigned char all_room[]; \
  unsigned char *name = all_room + threadIdx.y * (bytes)
#define ALIGNED __align__(16) /* so that what lies together is loaded together */
#define ALONE __restrict__ /* nothing else that is used meanwhile lies there */
#define PRAGMA(words) _Pragma(#words)
#define UNROLLED(times) PRAGMA(unroll times)
#define THREAD ((int)threadIdx.x)
#define THREADS ((int)blockDim.x)
#define TEAM ((int)(blockIdx.x * blockDim.y + threadIdx.y))
#define TEAMS ((int)(gridDim.x * blockDim.y))
#define WARP (GROUP < 32 ? GROUP : 32) /* threads of a group that go in step */
typedef unsigned long long word64;
typedef unsigned short word16;

/* Which threads of its warp go in step with this one. */
DEVICE unsigned in_step(void) {
#if GROUP < 32
  return ((1u << GROUP) - 1) << ((threadIdx.y * blockDim.x + threadIdx.x) % 32 / GROUP * GROUP);
#else
  return 0xffffffffu;
#endif
}

/* Wait for all threads of the group; what they wrote can then be read. */
DEVICE void meet(int group) {
#if GROUP <= 32
  __syncwarp(in_step());
#else
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"(GROUP) : "memory");
#endif
}

/* Wait for all threads of the team. */
DEVICE void meet_all(void) {
#if GROUP < 32
  if (blockDim.y > 1) {
    __syncwarp(in_step());
    return;
  }
#endif
  __syncthreads();
}

/* The sum over the threads of a warp, known to all of them. */
DEVICE REAL warp_sum(REAL value) {
  for (int other = WARP / 2; other > 0; other >>= 1) value += __shfl_xor_sync(in_step(), value, other);
  return value;
}

DEVICE REAL warp_largest(REAL value) {
  for (int other = WARP / 2; other > 0; other >>= 1) {
    REAL found = __shfl_xor_sync(in_step(), value, other);
    value = value > found ? value : found;
  }
  return value;
}

/* The sum over the threads of a warp that come before this one. */
DEVICE REAL warp_before(REAL value) {
  int lane = THREAD % WARP;
  REAL sum = __shfl_up_sync(in_step(), value, 1, WARP);
  sum = lane ? sum : 0;
  for (int other = 1; other < WARP; other <<= 1) {
    REAL found = __shfl_up_sync(in_step(), sum, other, WARP);
    sum += lane >= other ? found : 0;
  }
  return sum;
}

/* The sum over the threads of a warp that come after this one. */
DEVICE REAL warp_after(REAL value) {
  int lane = THREAD % WARP;
  REAL sum = __shfl_down_sync(in_step(), value, 1, WARP);
  sum = lane < WARP - 1 ? sum : 0;
  for (int other = 1; other < WARP; other <<= 1) {
    REAL found = __shfl_down_sync(in_step(), sum, other, WARP);
    sum += lane + other < WARP ? found : 0;
  }
  return sum;
}
