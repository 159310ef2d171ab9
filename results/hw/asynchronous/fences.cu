// What fences of the asynchronous proxy cost, and tiles that are stored to shared memory, fenced and copied in bulk to global memory; see README.md.
// One line for each: what, warps, and cycles of a round.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define OK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("error,%s,%s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

enum What { NOTHING, STORED, LOADED, FENCE, FENCE_SHARED, STORE, STORE_FENCE, STORE_SHARED, LOAD_FENCE, GLOBAL_FENCE, BARRIERS, TILE, TILE_UNFENCED, TILE_ONE, ALL };
static const char *names[] = {"nothing", "store to shared memory", "load from global memory", "fence.proxy.async", "fence.proxy.async.shared::cta", "store to shared memory and load of it", "store to shared memory, fence.proxy.async", "store to shared memory, fence.proxy.async.shared::cta",
  "load from global memory, fence.proxy.async", "store to global memory, fence.proxy.async", "store to shared memory, two barriers", "tile: store, fence by all, barrier, copy, wait for the read, barrier", "the same without a fence", "the same with a fence by the thread that copies"};

template <int what> __global__ void rounds(int n, unsigned *memory, long long *out) {
  __shared__ __align__(16) unsigned s[1024];
  unsigned at = here(s) + 4 * threadIdx.x, bytes = 4 * blockDim.x, x = threadIdx.x;
  unsigned *g = memory + blockIdx.x * 4096;
  s[threadIdx.x] = 0;
  __syncthreads();
  long long t = clock64();
  for (int i = 0; i < n; i++) {
    if (what == LOADED || what == LOAD_FENCE) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "+r"(x) : "l"(g + 2048 + (x & 1023)) : "memory");
    if (what == GLOBAL_FENCE) asm volatile("st.global.u32 [%0], %1;" ::"l"(g + 2048 + threadIdx.x), "r"(i) : "memory");
    if (what >= STORE && what != LOAD_FENCE && what != GLOBAL_FENCE || what == STORED) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(i) : "memory");
    if (what == STORE) { unsigned y; asm volatile("ld.shared.u32 %0, [%1];" : "=r"(y) : "r"(at) : "memory"); x += y; }
    if (what == FENCE || what == STORE_FENCE || what == LOAD_FENCE || what == GLOBAL_FENCE || what == TILE) asm volatile("fence.proxy.async;" ::: "memory");
    if (what == FENCE_SHARED || what == STORE_SHARED) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (what >= BARRIERS) __syncthreads();
    if (what >= TILE && threadIdx.x == 0) {
      if (what == TILE_ONE) asm volatile("fence.proxy.async;" ::: "memory");
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(g), "r"(here(s)), "r"(bytes) : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    if (what >= BARRIERS) __syncthreads();
  }
  t = clock64() - t;
  if (what >= TILE) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  if (threadIdx.x == 0) out[blockIdx.x] = t;
  if (x == 12345678) memory[0] = x;
}

template <int what> void run(unsigned *memory, long long *out) {
  const int n = 200;
  for (int blocks : {1, 132})
    for (int warps : {1, 3, 8, 32}) {
      std::vector<double> all;
      for (int i = 0; i < 5; i++) {
        rounds<what><<<blocks, 32 * warps>>>(n, memory, out);
        OK(cudaDeviceSynchronize());
        std::vector<long long> t(blocks);
        OK(cudaMemcpy(t.data(), out, 8 * blocks, cudaMemcpyDeviceToHost));
        std::sort(t.begin(), t.end());
        all.push_back(double(t[blocks / 2]) / n);
      }
      std::sort(all.begin(), all.end());
      printf("%s,%d,%d,%.1f\n", names[what], blocks, warps, all[2]);
    }
}

int main() {
  unsigned *memory;
  long long *out;
  OK(cudaMalloc(&memory, 132 * 4096 * 4));
  OK(cudaMemset(memory, 0, 132 * 4096 * 4));
  OK(cudaMalloc(&out, 132 * 8));
  printf("what,blocks,warps,cycles\n");
  run<NOTHING>(memory, out); run<STORED>(memory, out); run<LOADED>(memory, out); run<FENCE>(memory, out); run<FENCE_SHARED>(memory, out); run<STORE>(memory, out);
  run<STORE_FENCE>(memory, out); run<STORE_SHARED>(memory, out); run<LOAD_FENCE>(memory, out); run<GLOBAL_FENCE>(memory, out); run<BARRIERS>(memory, out); run<TILE>(memory, out); run<TILE_UNFENCED>(memory, out); run<TILE_ONE>(memory, out);
}
