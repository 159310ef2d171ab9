// What copies in bulk to other blocks of a cluster cost: two blocks send bytes to each other in turn, or one sends many times; the first block of a cluster copies to all of its
// blocks at once, and all tell each other that the bytes are there, or each copies for itself. A line has what was done, the bytes, blocks of a cluster, copies at once, and cycles a round, or for
// "turn" a way.
// nvcc -O3 -std=c++17 -arch=sm_90 -o sends sends.cu
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define OK(x) do { int e = (int)(x); if (e) { printf("error,%s,%d\n", #x, e); exit(1); } } while (0)

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned there(unsigned at, unsigned rank) {
  unsigned to;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at), "r"(rank));
  return to;
}
__device__ unsigned rankOf() {
  unsigned r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ void init(unsigned b, unsigned n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(b), "r"(n) : "memory"); }
__device__ void expect(unsigned b, unsigned bytes) { asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" ::"r"(b), "r"(bytes) : "memory"); }
__device__ void wait(unsigned b, unsigned parity) {
  unsigned done;
  do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(parity) : "memory"); while (!done);
}
__device__ void send(unsigned to, unsigned from, unsigned bytes, unsigned b) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(b) : "memory");
}

// turn: each block sends what it has got back to the other one.
__global__ void turn(unsigned bytes, int rounds, long long *out) {
  extern __shared__ __align__(128) char data[];
  __shared__ unsigned long long bar;
  unsigned b = here(&bar), rank = rankOf(), other = rank ^ 1;
  if (threadIdx.x == 0) {
    init(b, 1);
    for (unsigned i = 0; i < bytes; i++) data[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  meet();
  long long t = clock64();
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; i++) {
      expect(b, bytes);
      if (rank == 0) send(there(here(data), other), here(data), bytes, there(b, other));
      wait(b, i & 1);
      if (rank == 1) send(there(here(data), other), here(data), bytes, there(b, other));
    }
    if (rank == 0) out[0] = clock64() - t;
  }
  meet();
}

// flood: block 0 sends deep times, and waits until block 1 has all.
__global__ void flood(unsigned bytes, int deep, int rounds, long long *out) {
  extern __shared__ __align__(128) char data[];
  __shared__ unsigned long long bars[2];
  unsigned full = here(&bars[0]), done = here(&bars[1]), rank = rankOf();
  if (threadIdx.x == 0) {
    init(full, 1), init(done, 1);
    for (unsigned i = 0; i < bytes; i++) data[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  meet();
  long long t = clock64();
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; i++) {
      if (rank == 0) {
        for (int k = 0; k < deep; k++) send(there(here(data) + bytes * (k + 1), 1), here(data), bytes, there(full, 1));
        wait(done, i & 1);
      } else {
        expect(full, bytes * deep);
        wait(full, i & 1);
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(done, 0)) : "memory");
      }
    }
    if (rank == 0) out[0] = clock64() - t;
  }
  meet();
}

// Copies are from PAGES pages in turn: parts of the L2 are at different distances, and so are their fences.
constexpr int PAGES = 16, PAGE = 64 << 10;

// cast: block 0 copies to all blocks of a mask, or each block to itself if the mask is 0; all tell all.
__global__ void cast(const char *from, unsigned bytes, unsigned mask, int rounds, long long *out) {
  extern __shared__ __align__(128) char data[];
  __shared__ unsigned long long bars[2];
  unsigned full = here(&bars[0]), done = here(&bars[1]), rank = rankOf(), blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (threadIdx.x == 0) init(full, 1), init(done, blocks);
  meet();
  long long t = clock64();
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; i++) {
      const char *at = from + i % PAGES * PAGE;
      expect(full, bytes);
      if (!mask)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(here(data)), "l"(at), "r"(bytes), "r"(full) : "memory");
      else if (rank == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(here(data)), "l"(at), "r"(bytes), "r"(full), "h"((unsigned short)mask)
                     : "memory");
      wait(full, i & 1);
      for (unsigned k = 0; k < blocks; k++) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(done, k)) : "memory");
      wait(done, i & 1);
    }
    if (rank == 0) out[0] = clock64() - t;
  }
  meet();
}

template <class... P, class... A> void run(void (*kernel)(P...), int blocks, unsigned shared, A... args) {
  cudaLaunchConfig_t c = {};
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension, a.val.clusterDim.x = blocks, a.val.clusterDim.y = a.val.clusterDim.z = 1;
  c.gridDim = dim3(blocks), c.blockDim = dim3(32), c.dynamicSmemBytes = shared, c.attrs = &a, c.numAttrs = 1;
  OK(cudaLaunchKernelEx(&c, kernel, args...));
  OK(cudaDeviceSynchronize());
}

int main() {
  const int rounds = 100, most = 32768;
  long long *out, cycles;
  char *from;
  OK(cudaMalloc(&out, 8));
  OK(cudaMalloc(&from, PAGES * PAGE));
  OK(cudaMemset(from, 1, PAGES * PAGE));
  auto line = [&](const char *what, unsigned bytes, int blocks, int deep, double each) {
    OK(cudaMemcpy(&cycles, out, 8, cudaMemcpyDeviceToHost));
    printf("%s,%u,%d,%d,%.1f\n", what, bytes, blocks, deep, cycles / (rounds * each));
  };
  OK(cudaFuncSetAttribute(flood, cudaFuncAttributeMaxDynamicSharedMemorySize, 5 * most));
  for (unsigned bytes : {16u, 128u, 512u, 2048u, 8192u, 32768u}) {
    run(turn, 2, bytes, bytes, rounds, out);
    line("turn", bytes, 2, 1, 2);
    for (int deep : {1, 4}) {
      run(flood, 2, bytes * (deep + 1), bytes, deep, rounds, out);
      line("flood", bytes, 2, deep, 1);
    }
    for (int blocks : {1, 2, 4, 8}) {
      run(cast, blocks, bytes, (const char *)from, bytes, (1u << blocks) - 1, rounds, out);
      line("cast", bytes, blocks, 1, 1);
      run(cast, blocks, bytes, (const char *)from, bytes, 0u, rounds, out);
      line("each", bytes, blocks, 1, 1);
    }
  }
}
