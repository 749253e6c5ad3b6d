/* What the other files say, in the words of a card. A *group* of GROUP threads computes one run, a block of groups one member.

   With other words in place of these the same source runs without a card, as the tests show. */

#define DEVICE __device__ __forceinline__
#define APART __device__ __noinline__ /* what is rare or long is compiled once */
#define KERNEL extern "C" __global__
#define PASSED(kind) const __grid_constant__ kind
#define WHERE(given) (&(given))
#define ROOM(name) extern __shared__ __align__(16) unsigned char name[]
#define ALONE __restrict__ /* nothing else that is used meanwhile lies there */
#define PRAGMA(words) _Pragma(#words)
#define UNROLLED(times) PRAGMA(unroll times)
#define THREAD ((int)threadIdx.x)
#define THREADS ((int)blockDim.x)
#define BLOCK ((int)blockIdx.x)
#define BLOCKS ((int)gridDim.x)
#define WARP 32
typedef unsigned long long word64;
typedef unsigned short word16;

/* Wait for all threads of the group; what they wrote can then be read. */
DEVICE void meet(int group) {
#if GROUP == WARP
  __syncwarp();
#else
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"(GROUP) : "memory");
#endif
}

/* Wait for all threads of the block. */
DEVICE void meet_all(void) { __syncthreads(); }

/* The sum over the threads of a warp, known to all of them. */
DEVICE REAL warp_sum(REAL value) {
  for (int other = WARP / 2; other > 0; other >>= 1) value += __shfl_xor_sync(0xffffffffu, value, other);
  return value;
}

DEVICE REAL warp_largest(REAL value) {
  for (int other = WARP / 2; other > 0; other >>= 1) {
    REAL found = __shfl_xor_sync(0xffffffffu, value, other);
    value = value > found ? value : found;
  }
  return value;
}
