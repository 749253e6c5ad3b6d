/* The threads that work together: a *group* of GROUP threads computes one run, a block of GROUPS groups one member.

   With ONE_THREAD the same source is plain C for one thread, which needs no graphics card. */

#ifdef ONE_THREAD
#include <math.h>
#include <stdint.h>
#define DEVICE static inline
#define KERNEL
#define ROOM(kind, name) static kind name##_room, *name = &name##_room
#define THREAD 0
#define THREADS 1
#define BLOCK 0
#define BLOCKS 1
typedef uint64_t word64;
typedef uint32_t word32;
#else
#define DEVICE __device__ __forceinline__
#define KERNEL extern "C" __global__
#define ROOM(kind, name)                                \
  extern __shared__ __align__(16) unsigned char room_[]; \
  kind *name = (kind *)room_
#define THREAD ((int)threadIdx.x)
#define THREADS ((int)blockDim.x)
#define BLOCK ((int)blockIdx.x)
#define BLOCKS ((int)gridDim.x)
typedef unsigned long long word64;
typedef unsigned int word32;
#endif
typedef unsigned short word16;

