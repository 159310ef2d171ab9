// Values that lanes send to shared memory of a block of the cluster, by st.async and red.async: in turn between two blocks, or of a block with itself, and many at a time. A line has what
// was done, bytes of a lane, lanes of a warp, warps, and cycles: of a turn, or of an instruction of a warp where many are under way.
// nvcc -O3 -std=c++17 -arch=sm_90a -o values values.cu
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
  do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(parity) : "memory");
  while (!done);
}

// What is sent: 4, 8 and 16 bytes by st.async, 4 bytes by red.async.add, 8 bytes by the same.
template <int what> __device__ void send(unsigned to, unsigned x, unsigned b) {
  if (what == 0) asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(x), "r"(b) : "memory");
  if (what == 1) asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %1}, [%2];" ::"r"(to), "r"(x), "r"(b) : "memory");
  if (what == 2) asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(to), "r"(x), "r"(b) : "memory");
  if (what == 3) asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(to), "r"(x), "r"(b) : "memory");
  if (what == 4) asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(to), "l"((unsigned long long)x), "r"(b) : "memory");
}
constexpr unsigned sizes[] = {4, 8, 16, 4, 8};
static const char *names[] = {"store", "store", "store", "reduction", "reduction"};

// turns: a lane of two blocks in turn, or of one that sends to itself.
template <int what> __global__ void turns(int own, int rounds, long long *out) {
  __shared__ __align__(16) unsigned long long bar, word[2];
  constexpr unsigned bytes[] = {4, 8, 16, 4, 8};
  unsigned b = here(&bar), rank = rankOf(), other = own ? rank : rank ^ 1;
  if (threadIdx.x == 0) init(b, 1), word[0] = word[1] = 0;
  meet();
  if (threadIdx.x == 0 && (!own || rank == 0)) {
    unsigned to = there(here(word), other), at = there(b, other);
    long long t = clock64();
    for (int i = 0; i < rounds; i++) {
      expect(b, bytes[what]);
      if (own || rank == 0) send<what>(to, i, at);
      wait(b, i & 1);
      if (!own && rank == 1) send<what>(to, i, at);
    }
    if (rank == 0) out[0] = clock64() - t;
  }
  meet();
}

// floods: warps of block 0 send 16 times in a round, to the other block or to itself, and wait for all of it: one lane, or each lane to its own place, or all to one.
template <int what> __global__ void floods(int own, int lanes, int one, int rounds, long long *out) {
  __shared__ __align__(16) unsigned long long bar, words[1024 * 2];
  constexpr unsigned bytes[] = {4, 8, 16, 4, 8};
  unsigned b = here(&bar), rank = rankOf(), warps = blockDim.x / 32;
  if (threadIdx.x == 0) init(b, 1);
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = 0;
  meet();
  unsigned to = there(here(words) + (one ? 0 : threadIdx.x * bytes[what]), own ? 0 : 1), at = there(b, own ? 0 : 1);
  unsigned target = own ? 0 : 1;
  __shared__ unsigned long long back;
  unsigned r = here(&back);
  if (threadIdx.x == 0) init(r, 1);
  meet();
  long long t = clock64();
  for (int i = 0; i < rounds; i++) {
    if (rank == target && threadIdx.x == 0) expect(b, 16 * lanes * warps * bytes[what]);
    if (rank == 0 && threadIdx.x % 32 < lanes)
#pragma unroll
      for (int k = 0; k < 16; k++) send<what>(to, i, at);
    if (rank == target) {
      wait(b, i & 1);
      if (threadIdx.x == 0) asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(r, 0)) : "memory");
    }
    if (rank == 0) wait(r, i & 1);
    __syncthreads();
  }
  if (threadIdx.x == 0 && rank == 0) out[0] = clock64() - t;
  meet();
}

static long long *out;
template <class K, class... A> static double run(K kernel, int blocks, int threads, A... args) {
  long long best = 0;
  for (int i = 0; i < 3; i++) {
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a;
    a.id = cudaLaunchAttributeClusterDimension, a.val.clusterDim = {(unsigned)blocks, 1, 1};
    c.gridDim = blocks, c.blockDim = threads, c.attrs = &a, c.numAttrs = 1;
    OK(cudaLaunchKernelEx(&c, kernel, args..., out));
    OK(cudaDeviceSynchronize());
    if (i == 0 || out[0] < best) best = out[0];
  }
  return (double)best;
}

template <int what> static void each(int rounds) {
  for (int own : {0, 1})
    printf("%s in turn%s,%u,1,1,%.1f\n", names[what], own ? " with itself" : "", sizes[what], run(turns<what>, own ? 1 : 2, 32, own, rounds) / rounds / (own ? 1 : 2));
  for (int own : {0, 1})
    for (int one : {0, 1})
      for (int lanes : {1, 32})
        for (int warps : {1, 8, 32}) {
          if (one && what < 3) continue; // stores to one place are undefined
          printf("%ss%s%s,%u,%d,%d,%.2f\n", names[what], one ? " of one word" : "", own ? " to itself" : "", sizes[what], lanes, warps,
                 run(floods<what>, own ? 1 : 2, 32 * warps, own, lanes, one, rounds) / rounds / (16 * warps));
        }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 200;
  OK(cudaMallocManaged(&out, 8));
  printf("what,bytes,lanes,warps,cycles\n");
  each<0>(rounds), each<1>(rounds), each<2>(rounds), each<3>(rounds), each<4>(rounds);
}
