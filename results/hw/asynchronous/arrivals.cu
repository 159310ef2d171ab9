// What the parts of a round of sends.cu cost alone: arrivals at mbarriers of a cluster, with a release and without; waits that find their phase complete, with acquires of both scopes; the fences
// that ptxas makes of them; rounds of a copy from global memory and an arrival; and sends one right behind the other. A line has what was done, blocks of a cluster, how often in a round, and cycles a round.
// nvcc -O3 -std=c++17 -arch=sm_90 -o arrivals arrivals.cu
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
template <bool cluster> __device__ void wait(unsigned b, unsigned parity) {
  unsigned done;
  do
    if (cluster)
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(parity) : "memory");
    else
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(parity) : "memory");
  while (!done);
}
template <bool release> __device__ void arrive(unsigned b) {
  if (release)
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(b) : "memory");
  else
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(b) : "memory");
}
__device__ void copy(unsigned to, const void *from, unsigned bytes, unsigned b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(b) : "memory");
}
__device__ void send(unsigned to, unsigned from, unsigned bytes, unsigned b) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(b) : "memory");
}

// arrivals: the first block arrives n times in a round at a barrier of block to, which nobody waits for.
template <bool release, int n> __global__ void arrivals(unsigned to, int rounds, long long *out) {
  __shared__ unsigned long long bar;
  if (threadIdx.x == 0) init(here(&bar), 1);
  meet();
  if (threadIdx.x == 0 && rankOf() == 0) {
    unsigned b = there(here(&bar), to);
    long long t = clock64();
    for (int i = 0; i < rounds; i++)
#pragma unroll
      for (int k = 0; k < n; k++) arrive<release>(b);
    out[0] = clock64() - t;
  }
  meet();
}

// turns: two blocks arrive at each other's barriers in turn, or one at its own.
template <bool release, bool cluster> __global__ void turns(int blocks, int rounds, long long *out) {
  __shared__ unsigned long long bar;
  unsigned b = here(&bar), rank = rankOf(), other = blocks == 1 ? 0 : rank ^ 1;
  if (threadIdx.x == 0) init(b, 1);
  meet();
  if (threadIdx.x == 0) {
    unsigned at = there(b, other);
    long long t = clock64();
    for (int i = 0; i < rounds; i++) {
      if (rank == 0) arrive<release>(at);
      wait<cluster>(b, i & 1);
      if (rank == 1) arrive<release>(at);
    }
    if (rank == 0) out[0] = clock64() - t;
  }
  meet();
}

// looks: a wait for a phase that is complete.
template <bool cluster> __global__ void looks(int rounds, long long *out) {
  __shared__ unsigned long long bar;
  unsigned b = here(&bar);
  if (threadIdx.x == 0) init(b, 1);
  meet();
  if (threadIdx.x == 0) {
    long long t = clock64();
    for (int i = 0; i < rounds; i++) wait<cluster>(b, 1);
    out[0] = clock64() - t;
  }
  meet();
}

// fails: one try_wait of a phase that does not end.
__global__ void fails(int rounds, long long *out) {
  __shared__ unsigned long long bar;
  unsigned b = here(&bar), all = 0, done;
  if (threadIdx.x == 0) {
    init(b, 1);
    long long t = clock64();
    for (int i = 0; i < rounds; i++) {
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b) : "memory");
      all += done;
    }
    out[0] = clock64() - t, out[1] = all;
  }
}

// fences: of the cluster, of the device, or of the block; and a load of shared memory in the loop.
template <int kind, int with> __global__ void fences(const char *from, int rounds, long long *out) {
  __shared__ __align__(128) char data[128];
  __shared__ unsigned long long bar;
  unsigned b = here(&bar);
  if (threadIdx.x == 0) init(b, 1);
  meet();
  if (threadIdx.x == 0) {
    long long t = clock64();
    for (int i = 0; i < rounds; i++) {
      if (with == 1) expect(b, 16), copy(here(data), from, 16, b), wait<false>(b, i & 1);
      if (with == 2) ((volatile int *)out)[1] = i;
      if (with == 3) ((volatile char *)data)[0] = i;
      if (with == 4) wait<true>(b, 1);
      if (kind == 1) asm volatile("fence.acq_rel.cta;" ::: "memory");
      if (kind == 2) asm volatile("fence.acq_rel.cluster;" ::: "memory");
      if (kind == 3) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    out[0] = clock64() - t;
  }
  meet();
}

// copies: a copy of 16 bytes from global memory, its wait, and an arrival at the own barrier of a block and its wait: each or not.
template <bool copied, bool release, bool cluster, bool told> __global__ void copies(const char *from, int rounds, long long *out) {
  __shared__ __align__(128) char data[128];
  __shared__ unsigned long long bars[2];
  unsigned full = here(&bars[0]), done = here(&bars[1]);
  if (threadIdx.x == 0) init(full, 1), init(done, 1);
  meet();
  if (threadIdx.x == 0) {
    unsigned at = there(done, 0);
    long long t = clock64();
    for (int i = 0; i < rounds; i++) {
      if (copied) expect(full, 16), copy(here(data), from, 16, full), wait<cluster>(full, i & 1);
      if (told) arrive<release>(at), wait<cluster>(done, i & 1);
    }
    out[0] = clock64() - t;
  }
  meet();
}

// sends: block 0 sends 16 bytes n times, and waits until block 1 has all and says so without a release. With apart, each is at a barrier of its own.
template <int n, bool release> __global__ void sends(unsigned bytes, int rounds, long long *out) {
  extern __shared__ __align__(128) char data[];
  __shared__ unsigned long long bars[2];
  unsigned full = here(&bars[0]), done = here(&bars[1]), rank = rankOf();
  if (threadIdx.x == 0) {
    init(full, 1), init(done, 1);
    for (unsigned i = 0; i < bytes; i++) data[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  meet();
  if (threadIdx.x == 0) {
    unsigned to = there(here(data), 1), far = there(full, 1), back = there(done, 0);
    long long t = clock64(), issued = 0;
    for (int i = 0; i < rounds; i++) {
      if (rank == 0) {
        long long begin = clock64();
#pragma unroll
        for (int k = 0; k < n; k++) send(to + bytes * (k + 1), here(data), bytes, far);
        issued += clock64() - begin;
        wait<true>(done, i & 1);
      } else {
        expect(full, bytes * n);
        wait<true>(full, i & 1);
        arrive<release>(back);
      }
    }
    if (rank == 0) out[0] = clock64() - t, out[1] = issued;
  }
  meet();
}

// deep: n copies of 16 bytes from global memory right behind each other, and a wait for all.
template <int n> __global__ void deep(const char *from, int rounds, long long *out) {
  __shared__ __align__(128) char data[128 * 16];
  __shared__ unsigned long long bar;
  unsigned b = here(&bar);
  if (threadIdx.x == 0) init(b, 1);
  meet();
  if (threadIdx.x == 0) {
    long long t = clock64(), issued = 0;
    for (int i = 0; i < rounds; i++) {
      expect(b, 16 * n);
      long long begin = clock64();
#pragma unroll
      for (int k = 0; k < n; k++) copy(here(data) + 128 * k, from + 128 * k, 16, b);
      issued += clock64() - begin;
      wait<true>(b, i & 1);
    }
    out[0] = clock64() - t, out[1] = issued;
  }
  meet();
}

// loads: a chain of loads past L1 of one address, which tells in which half of the L2 it is.
__global__ void loads(const char *from, int rounds, long long *out) {
  if (threadIdx.x == 0) {
    unsigned v = 0;
    long long t = clock64();
    for (int i = 0; i < rounds; i++) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(from + (v & 4)) : "memory");
    out[0] = clock64() - t, out[1] = v;
  }
}

template <class... P, class... A> void run(void (*kernel)(P...), int blocks, unsigned shared, A... args) {
  cudaLaunchConfig_t c = {};
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension, a.val.clusterDim.x = blocks, a.val.clusterDim.y = a.val.clusterDim.z = 1;
  c.gridDim = dim3(blocks), c.blockDim = dim3(32), c.dynamicSmemBytes = shared, c.attrs = &a, c.numAttrs = 1;
  OK(cudaLaunchKernelEx(&c, kernel, args...));
  OK(cudaDeviceSynchronize());
}

const int rounds = 200, pages = 16, page = 64 << 10;
long long *out;
char *from;

void line(const char *what, int blocks, int n, int second = 0) {
  long long cycles[2];
  OK(cudaMemcpy(cycles, out, 16, cudaMemcpyDeviceToHost));
  printf("%s,%d,%d,%.1f\n", what, blocks, n, (double)cycles[second] / rounds);
}

template <bool release> void ofArrivals(const char *own, const char *other) {
  for (unsigned to = 0; to < 2; to++) {
    run(arrivals<release, 1>, 2, 0, to, rounds, out), line(to ? other : own, 2, 1);
    run(arrivals<release, 2>, 2, 0, to, rounds, out), line(to ? other : own, 2, 2);
    run(arrivals<release, 4>, 2, 0, to, rounds, out), line(to ? other : own, 2, 4);
    run(arrivals<release, 8>, 2, 0, to, rounds, out), line(to ? other : own, 2, 8);
  }
}

template <int n> void ofSends() {
  for (unsigned bytes : {16u, 512u, 2048u}) {
    char what[64];
    run(sends<n, false>, 2, bytes * (n + 1), bytes, rounds, out);
    snprintf(what, sizeof what, "send %u", bytes), line(what, 2, n);
    snprintf(what, sizeof what, "send %u issued", bytes), line(what, 2, n, 1);
    run(sends<n, true>, 2, bytes * (n + 1), bytes, rounds, out);
    snprintf(what, sizeof what, "send %u release", bytes), line(what, 2, n);
  }
  run(deep<n>, 1, 0, from, rounds, out), line("copy 16", 1, n), line("copy 16 issued", 1, n, 1);
}

int main() {
  OK(cudaMalloc(&out, 16));
  OK(cudaMalloc(&from, pages * page));
  OK(cudaMemset(from, 0, pages * page));
  for (int i = 0; i < pages; i++) {
    const char *at = from + i * page;
    run(loads, 1, 0, at, rounds, out), line("load of a page", 1, i);
    run(copies<true, true, false, false>, 1, 0, at, rounds, out), line("copy of a page", 1, i);
    run(fences<3, 1>, 1, 0, at, rounds, out), line("copy of a page, fence of the device", 1, i);
    run(copies<true, true, false, true>, 1, 0, at, rounds, out), line("copy of a page and release", 1, i);
  }
  ofArrivals<true>("arrive release own", "arrive release other");
  ofArrivals<false>("arrive relaxed own", "arrive relaxed other");
  for (int blocks : {1, 2}) {
    run(turns<true, true>, blocks, 0, blocks, rounds, out), line("turns release acquire.cluster", blocks, 1);
    run(turns<true, false>, blocks, 0, blocks, rounds, out), line("turns release acquire.cta", blocks, 1);
    run(turns<false, true>, blocks, 0, blocks, rounds, out), line("turns relaxed acquire.cluster", blocks, 1);
    run(turns<false, false>, blocks, 0, blocks, rounds, out), line("turns relaxed acquire.cta", blocks, 1);
  }
  run(looks<true>, 1, 0, rounds, out), line("look acquire.cluster", 1, 1);
  run(looks<false>, 1, 0, rounds, out), line("look acquire.cta", 1, 1);
  run(fails, 1, 0, rounds, out), line("try_wait that fails", 1, 1);
#define FENCES(with, name)                                                                   \
  if (with) run(fences<0, with>, 1, 0, from, rounds, out), line(name ", no fence", 1, 1);    \
  run(fences<1, with>, 1, 0, from, rounds, out), line(name ", fence of the block", 1, 1);    \
  run(fences<2, with>, 1, 0, from, rounds, out), line(name ", fence of the cluster", 1, 1);  \
  run(fences<3, with>, 1, 0, from, rounds, out), line(name ", fence of the device", 1, 1);
  FENCES(0, "nothing")
  FENCES(1, "copy")
  FENCES(2, "store")
  FENCES(3, "shared store")
  FENCES(4, "look acquire.cluster")
  run(copies<true, true, true, false>, 1, 0, from, rounds, out), line("copy acquire.cluster", 1, 1);
  run(copies<true, true, false, false>, 1, 0, from, rounds, out), line("copy acquire.cta", 1, 1);
  run(copies<true, true, true, true>, 1, 0, from, rounds, out), line("copy and release acquire.cluster", 1, 1);
  run(copies<true, true, false, true>, 1, 0, from, rounds, out), line("copy and release acquire.cta", 1, 1);
  run(copies<true, false, true, true>, 1, 0, from, rounds, out), line("copy and relaxed acquire.cluster", 1, 1);
  run(copies<true, false, false, true>, 1, 0, from, rounds, out), line("copy and relaxed acquire.cta", 1, 1);
  ofSends<1>(), ofSends<2>(), ofSends<3>(), ofSends<4>(), ofSends<8>();
}
