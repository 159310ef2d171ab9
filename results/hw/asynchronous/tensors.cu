// What copies of boxes by tensor maps cost: one thread of each block asks for some boxes at once, and waits for their mbarrier; or stores a box, and waits for its
// group. A line has what was done, the elements of a row of the box and its rows, boxes at once, blocks, and cycles a round (the median of the blocks).
// nvcc -O3 -std=c++17 -arch=sm_90 -o tensors tensors.cu -lcuda
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#define OK(x) do { int e = (int)(x); if (e) { printf("error,%s,%d\n", #x, e); exit(1); } } while (0)

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// load asks for deep boxes of bytes each, one below the other.
__global__ void load(const __grid_constant__ CUtensorMap map, unsigned bytes, unsigned high, int deep, int rounds, long long *out) {
  extern __shared__ __align__(1024) char to[];
  __shared__ unsigned long long bar;
  unsigned b = here(&bar), done, parity = 0;
  if (threadIdx.x) return;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
  long long t = 0;
  for (int i = 0; i < rounds + 2; i++) {
    if (i == 2) t = clock64();
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" ::"r"(b), "r"(bytes * deep) : "memory");
    for (int k = 0; k < deep; k++)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(here(to) + k * bytes), "l"(&map), "r"(0),
                   "r"((blockIdx.x * deep + k) * high), "r"(b) : "memory");
    do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(parity) : "memory"); while (!done);
    parity ^= 1;
  }
  out[blockIdx.x] = clock64() - t;
}

__global__ void store(const __grid_constant__ CUtensorMap map, unsigned high, int read, int rounds, long long *out) {
  extern __shared__ __align__(1024) char from[];
  if (threadIdx.x) return;
  long long t = 0;
  for (int i = 0; i < rounds + 2; i++) {
    if (i == 2) t = clock64();
    asm volatile("fence.proxy.async.shared::cta;\ncp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\ncp.async.bulk.commit_group;" ::"l"(&map), "r"(0),
                 "r"(blockIdx.x * high), "r"(here(from)) : "memory");
    if (read) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    else asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  out[blockIdx.x] = clock64() - t;
}

int main() {
  const int rounds = 200;
  const cuuint64_t wide = 1024, rows = 132 * 1024;
  unsigned *data;
  long long *out;
  OK(cudaMalloc(&data, wide * rows * 4));
  OK(cudaMemset(data, 1, wide * rows * 4));
  OK(cudaMalloc(&out, 132 * 8));
  OK(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 17));
  OK(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 17));
  auto median = [&](int blocks) {
    std::vector<long long> t(blocks);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(t.data(), out, blocks * 8, cudaMemcpyDeviceToHost));
    std::nth_element(t.begin(), t.begin() + blocks / 2, t.end());
    return (double)t[blocks / 2] / rounds;
  };
  struct { unsigned w, h; CUtensorMapSwizzle swizzle; } boxes[] = {
      {4, 1, CU_TENSOR_MAP_SWIZZLE_NONE}, {4, 8, CU_TENSOR_MAP_SWIZZLE_NONE}, {4, 64, CU_TENSOR_MAP_SWIZZLE_NONE}, {8, 32, CU_TENSOR_MAP_SWIZZLE_NONE}, {32, 1, CU_TENSOR_MAP_SWIZZLE_NONE},
      {32, 8, CU_TENSOR_MAP_SWIZZLE_NONE}, {32, 32, CU_TENSOR_MAP_SWIZZLE_NONE}, {32, 128, CU_TENSOR_MAP_SWIZZLE_NONE}, {32, 32, CU_TENSOR_MAP_SWIZZLE_128B}, {32, 128, CU_TENSOR_MAP_SWIZZLE_128B},
      {64, 64, CU_TENSOR_MAP_SWIZZLE_NONE}, {256, 1, CU_TENSOR_MAP_SWIZZLE_NONE}, {256, 16, CU_TENSOR_MAP_SWIZZLE_NONE}};
  printf("what,wide,high,swizzle,deep,blocks,cycles\n");
  for (auto &box : boxes) {
    CUtensorMap map;
    cuuint64_t size[] = {wide, rows}, pitch[] = {wide * 4};
    cuuint32_t dims[] = {box.w, box.h}, step[] = {1, 1};
    OK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, data, size, pitch, dims, step, CU_TENSOR_MAP_INTERLEAVE_NONE, box.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    unsigned bytes = 4 * box.w * box.h;
    int swizzle = box.swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? 128 : 0;
    for (int blocks : {1, 132}) {
      for (int deep : {1, 4}) {
        if (bytes * deep > 1 << 17 || bytes % 128 && deep > 1) continue;
        load<<<blocks, 32, 1 << 17>>>(map, bytes, box.h, deep, rounds, out);
        printf("copy,%u,%u,%d,%d,%d,%.1f\n", box.w, box.h, swizzle, deep, blocks, median(blocks));
      }
      for (int read : {0, 1}) {
        store<<<blocks, 32, 1 << 17>>>(map, box.h, read, rounds, out);
        printf("%s,%u,%u,%d,1,%d,%.1f\n", read ? "store until read" : "store", box.w, box.h, swizzle, blocks, median(blocks));
      }
    }
  }
}
