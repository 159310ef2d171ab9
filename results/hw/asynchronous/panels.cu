// How fast tiles come from the L2 to many SMs. By copies in bulk, as in a product of matrices: one thread of each block keeps four boxes of 16 KiB under way, each of 128 rows of 128 bytes, or as many
// consecutive bytes, and takes 128 of them. By loads past L1: 32 warps load as many bytes, 16 each lane, eight loads under way. Blocks have tiles of their own, or share them: 2, 4, 8 or all consecutive
// blocks the same, or, as in a product, those of a row of blocks one factor and those of a column the other. A line has what was done, the bytes from a row of the matrix to the next one, blocks,
// and the bytes that an SM gets in a cycle: of the slowest block, in the quickest of five launches after one that brings all to the L2.
// nvcc -O3 -std=c++17 -arch=sm_90 -o panels panels.cu -lcuda
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

#define OK(x) do { int e = (int)(x); if (e) { printf("error,%s,%d\n", #x, e); exit(1); } } while (0)

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

constexpr int STAGES = 4, BOXES = 128;
constexpr unsigned BYTES = 16384;

// A block takes boxes of two tiles in turn: box i is of tile i % 2, and at the next column of that tile; where blocks do not have two, both are the same tile.
struct Tiles { unsigned first, second; };

// The first tiles of this block. Blocks that share have the same; in a square, those of the second factor are behind those of the first one.
__device__ Tiles tiles(int sharing, unsigned across) {
  if (sharing == 0) return {blockIdx.x / across, across + blockIdx.x % across};
  return {blockIdx.x / sharing, blockIdx.x / sharing};
}

enum How { ROWS, CONSECUTIVE };

template <int how> __global__ void boxes(const __grid_constant__ CUtensorMap map, const char *data, int sharing, unsigned across, unsigned columns, long long *out) {
  extern __shared__ __align__(1024) char to[]; // boxes, then their mbarriers, so that nothing moves the boxes off a multiple of 1,024 bytes
  unsigned long long *bar = (unsigned long long *)(to + STAGES * BYTES);
  if (threadIdx.x) return;
  for (int s = 0; s < STAGES; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(here(&bar[s])) : "memory");
  Tiles t = tiles(sharing, across);
  unsigned mask = columns - 1, next[2] = {0, sharing == 0 ? 0u : columns / 2}; // a power of two: a division would take longer than a box
  auto ask = [&](int s) {
    unsigned b = here(&bar[s]), dst = here(to) + s * BYTES, tile = s & 1 ? t.second : t.first, column = next[s & 1]++ & mask;
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" ::"r"(b), "r"(BYTES) : "memory");
    if (how == CONSECUTIVE)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(dst), "l"(data + ((size_t)tile * columns + column) * BYTES), "r"(BYTES), "r"(b) : "memory");
    else
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(dst), "l"(&map), "r"(column * 32), "r"(tile * 128), "r"(b) : "memory");
  };
  long long begin = clock64();
#pragma unroll
  for (int s = 0; s < STAGES; s++) ask(s);
  for (int round = 0; round < BOXES / STAGES; round++) {
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
      unsigned done;
      do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(here(&bar[s])), "r"(round & 1) : "memory"); while (!done);
      if (round + 1 < BOXES / STAGES) ask(s);
    }
  }
  out[blockIdx.x] = clock64() - begin;
}

// loads: a warp has 512 of every 16 KiB.
__global__ void __launch_bounds__(1024) loads(const char *data, int sharing, unsigned across, unsigned columns, unsigned zero, long long *out, unsigned *sink) {
  Tiles t = tiles(sharing, across);
  unsigned mask = columns - 1, at = sharing == 0 ? 0 : columns / 2, sum = 0;
  const char *first = data + (size_t)t.first * columns * BYTES + threadIdx.x * 16, *second = data + (size_t)t.second * columns * BYTES + threadIdx.x * 16;
  __syncthreads();
  long long begin = clock64();
  for (unsigned i = 0; i < BOXES / 2; i += 4) {
    uint4 got[8];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const char *p = first + (size_t)((i + k) & mask) * BYTES, *q = second + (size_t)((at + i + k) & mask) * BYTES;
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(got[2 * k].x), "=r"(got[2 * k].y), "=r"(got[2 * k].z), "=r"(got[2 * k].w) : "l"(p));
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(got[2 * k + 1].x), "=r"(got[2 * k + 1].y), "=r"(got[2 * k + 1].z), "=r"(got[2 * k + 1].w) : "l"(q));
    }
#pragma unroll
    for (int k = 0; k < 8; k++) sum += got[k].x + got[k].y + got[k].z + got[k].w;
    first += sum & zero; // the next ones wait for these; `zero` is 0, which no compiler knows
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = clock64() - begin;
  sink[blockIdx.x * 1024 + threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  char *data;
  long long *out, *spans;
  unsigned *sink;
  const size_t room = (size_t)160 << 20;
  OK(cudaMalloc(&data, room));
  OK(cudaMemset(data, 0, room));
  OK(cudaMalloc(&out, 132 * 8));
  OK(cudaMalloc(&sink, 132 * 1024 * 4));
  spans = (long long *)malloc(132 * 8);
  OK(cudaFuncSetAttribute(boxes<ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * BYTES + (60 << 10)));
  OK(cudaFuncSetAttribute(boxes<CONSECUTIVE>, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * BYTES + (60 << 10)));
  int launches = argc > 1 ? atoi(argv[1]) : 6, part = argc > 2 ? atoi(argv[2]) : -1;
  for (unsigned pitch : {256u, 512u, 1024u, 2048u, 4096u})
    for (int how : {0, 1, 2})
      for (int sharing : {1, 2, 4, 8, 132, 0})
        for (int blocks : {1, 2, 8, 16, 64, 132}) {
          if (part >= 0 && how != part || sharing > blocks || sharing == 132 && blocks != 132 || sharing == 0 && blocks < 16 || blocks == 8 && sharing != 1) continue;
          unsigned columns = pitch / 128, across = blocks == 132 ? 12 : blocks == 64 ? 8 : 4;
          unsigned rows = 128 * (sharing == 0 ? 2 * across : (blocks + sharing - 1) / sharing);
          CUtensorMap map;
          cuuint64_t size[] = {pitch / 4, rows}, pitches[] = {pitch};
          cuuint32_t dims[] = {32, 128}, step[] = {1, 1};
          OK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, data, size, pitches, dims, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
          long long best = 0;
          for (int i = 0; i < launches; i++) {
            if (how == 0) boxes<ROWS><<<blocks, 32, STAGES * BYTES + (60 << 10)>>>(map, data, sharing, across, columns, out);
            else if (how == 1) boxes<CONSECUTIVE><<<blocks, 32, STAGES * BYTES + (60 << 10)>>>(map, data, sharing, across, columns, out);
            else loads<<<blocks, 1024>>>(data, sharing, across, columns, 0, out, sink);
            OK(cudaMemcpy(spans, out, blocks * 8, cudaMemcpyDeviceToHost));
            long long slowest = *std::max_element(spans, spans + blocks);
            if (i == 1 || i > 1 && slowest < best) best = slowest;
          }
          static const char *names[] = {"boxes", "consecutive bytes", "loads past L1"};
          char share[32];
          snprintf(share, sizeof share, sharing == 0 ? "rows and columns" : sharing == 1 ? "own" : "shared by %d", sharing);
          printf("%s %s,%u,%d,%.1f\n", share, names[how], pitch, blocks, (double)BOXES * BYTES / best);
          fflush(stdout);
        }
}
