// How fast tiles of matrices come from the L2 to many SMs: one thread of each block keeps four boxes of 16 KiB under way, each of 128 rows of 128 bytes, or as many consecutive bytes, as a product of
// matrices does, and takes 64 of them. Blocks have tiles of their own, or share them: 2, 4 or 8 consecutive blocks the same, or, as in a product, those of a row of blocks one factor and those of a
// column the other. A line has what was done, the bytes from a row of the matrix to the next one, blocks, and cycles for the 64 boxes: of the slowest block, the least of five launches after one
// that brings all to the L2.
// nvcc -O3 -std=c++17 -arch=sm_90 -o panels panels.cu -lcuda
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#define OK(x) do { int e = (int)(x); if (e) { printf("error,%s,%d\n", #x, e); exit(1); } } while (0)

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

constexpr int STAGES = 4, BOXES = 64;
constexpr unsigned BYTES = 16384;

// Who takes what: each block its own rows of the matrix; or blocks in groups of so many; or by rows and columns of a square of blocks.
enum { OWN = 1, PAIRS = 2, FOURS = 4, EIGHTS = 8, SQUARE = 0 };

// boxes: box i of a block is at column i, modulo those there are, of its rows. bytes says that the rows are consecutive.
__global__ void boxes(const __grid_constant__ CUtensorMap map, const char *data, int consecutive, int sharing, unsigned across, unsigned columns, long long *out) {
  extern __shared__ __align__(1024) char to[]; // boxes, then their mbarriers, so that nothing moves the boxes off a multiple of 1,024 bytes
  unsigned long long *bar = (unsigned long long *)(to + STAGES * BYTES);
  if (threadIdx.x) return;
  for (int s = 0; s < STAGES; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(here(&bar[s])) : "memory");
  auto ask = [&](int i) {
    int s = i % STAGES;
    unsigned b = here(&bar[s]), dst = here(to) + s * BYTES;
    unsigned tile, column;
    if (sharing == SQUARE) { // A and B in turn: the tiles of B are behind those of A
      tile = i & 1 ? across + blockIdx.x % across : blockIdx.x / across;
      column = (i >> 1) % columns;
    } else {
      tile = blockIdx.x / sharing;
      column = i % columns;
    }
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" ::"r"(b), "r"(BYTES) : "memory");
    if (consecutive)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(dst), "l"(data + ((size_t)tile * columns + column) * BYTES), "r"(BYTES), "r"(b) : "memory");
    else
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(dst), "l"(&map), "r"(column * 32), "r"(tile * 128), "r"(b) : "memory");
  };
  long long t = clock64();
  for (int i = 0; i < STAGES; i++) ask(i);
  for (int i = 0; i < BOXES; i++) {
    unsigned done;
    do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(here(&bar[i % STAGES])), "r"(i / STAGES & 1) : "memory"); while (!done);
    if (i + STAGES < BOXES) ask(i + STAGES);
  }
  out[blockIdx.x] = clock64() - t;
}

int main(int argc, char **argv) {
  char *data;
  long long *out;
  const size_t room = (size_t)160 << 20;
  OK(cudaMalloc(&data, room));
  OK(cudaMemset(data, 1, room));
  OK(cudaMallocManaged(&out, 132 * 8));
  OK(cudaFuncSetAttribute(boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * BYTES + (60 << 10)));
  int launches = argc > 1 ? atoi(argv[1]) : 6;
  printf("what,pitch,blocks,cycles\n");
  for (unsigned pitch : {512u, 1024u, 2048u, 4096u})
    for (int consecutive : {0, 1})
      for (int sharing : {OWN, PAIRS, FOURS, EIGHTS, SQUARE})
        for (int blocks : {1, 16, 64, 132}) {
          if (sharing > blocks) continue;
          unsigned columns = pitch / 128, across = blocks == 132 ? 12 : blocks == 64 ? 8 : blocks == 16 ? 4 : 1;
          unsigned rows = 128 * (sharing == SQUARE ? 2 * across : (blocks + sharing - 1) / sharing);
          CUtensorMap map;
          cuuint64_t size[] = {pitch / 4, rows}, pitches[] = {pitch};
          cuuint32_t dims[] = {32, 128}, step[] = {1, 1};
          OK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, data, size, pitches, dims, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
          long long best = 0;
          for (int i = 0; i < launches; i++) {
            boxes<<<blocks, 32, STAGES * BYTES + (60 << 10)>>>(map, data, consecutive, sharing, across, columns, out);
            OK(cudaDeviceSynchronize());
            long long slowest = *std::max_element(out, out + blocks);
            if (i == 1 || i > 1 && slowest < best) best = slowest;
          }
          static const char *names[] = {"rows and columns", "own", "pairs", "", "fours", "", "", "", "eights"};
          printf("%s %s,%u,%d,%lld\n", names[sharing], consecutive ? "consecutive bytes" : "boxes", pitch, blocks, best);
        }
}
