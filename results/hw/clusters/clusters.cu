// What the shared memory of other blocks of a cluster costs: latency and throughput of loads, stores and atomics by cluster size and distance, the
// barrier of a cluster, which SMs the blocks of a cluster get, and an empty launch; see README.md. One line for each: what, cluster size, distance or
// threads, and the number. With an argument, fewer of each.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
#include <algorithm>

#define OK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("error,%s,%s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)

enum { WORDS = 4096 };

__device__ unsigned rank_of() { unsigned r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ unsigned size_of() { unsigned r; asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned map(unsigned p, unsigned rank) { unsigned r; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(p), "r"(rank)); return r; }
__device__ void meet() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }

// One thread of block 0 follows a chain through the shared memory of the block at a distance.
__global__ void chase(int distance, int steps, long long *out, unsigned *sink) {
  __shared__ unsigned next[WORDS];
  for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) next[i] = map(here(&next[(i + 33) % WORDS]), rank_of());
  meet();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    unsigned at = map(here(next), distance);
    for (int i = 0; i < 64; i++) asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at));
    long long t = clock64();
    for (int i = 0; i < steps; i++) asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at));
    *out = clock64() - t;
    *sink = at;
  }
  meet();
}

// The same through addresses of the block's own shared memory.
__global__ void chase_own(int steps, long long *out, unsigned *sink) {
  __shared__ unsigned next[WORDS];
  for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) next[i] = here(&next[(i + 33) % WORDS]);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned at = here(next);
    for (int i = 0; i < 64; i++) asm volatile("ld.shared::cta.u32 %0, [%0];" : "+r"(at));
    long long t = clock64();
    for (int i = 0; i < steps; i++) asm volatile("ld.shared::cta.u32 %0, [%0];" : "+r"(at));
    *out = clock64() - t;
    *sink = at;
  }
}

// One lane adds to a word at a distance, each time after the answer of the time before.
__global__ void adds(int distance, int steps, long long *out, unsigned *sink) {
  __shared__ unsigned word[32];
  if (threadIdx.x < 32) word[threadIdx.x] = 0;
  meet();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    unsigned at = map(here(word), distance), v = 0;
    long long t = clock64();
    for (int i = 0; i < steps; i++) asm volatile("atom.shared::cluster.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(at) : "memory");
    *out = clock64() - t;
    *sink = v;
  }
  meet();
}

enum Kind { LOAD4, LOAD16, STORE4, STORE16, ATOM, RED, KINDS };
static const char *kinds[] = {"load 4", "load 16", "store 4", "store 16", "atom", "red"};

// All threads of all blocks access the shared memory of the block at a distance, without conflicts of banks.
template <int KIND> __global__ void flood(int distance, int rounds, long long *out, unsigned *sink) {
  __shared__ __align__(16) unsigned words[WORDS];
  for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = 0;
  meet();
  unsigned to = (rank_of() + distance) % size_of(), s = 0;
  unsigned at = map(here(words), to) + threadIdx.x % 1024 * (KIND == LOAD16 || KIND == STORE16 ? 16 : 4);
  long long t = clock64();
#pragma unroll 4
  for (int i = 0; i < rounds; i++) {
    if (KIND == LOAD4) { unsigned v; asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at)); s += v; }
    if (KIND == LOAD16) { unsigned a, b, c, d; asm volatile("ld.volatile.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at)); s += a + b + c + d; }
    if (KIND == STORE4) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(i) : "memory");
    if (KIND == STORE16) asm volatile("st.shared::cluster.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(i) : "memory");
    if (KIND == ATOM) { unsigned v; asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(at) : "memory"); s += v; }
    if (KIND == RED) asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(at) : "memory");
  }
  meet();
  if (threadIdx.x == 0) { out[blockIdx.x] = clock64() - t; sink[blockIdx.x] = s; }
}

// With release and acquire, which is the default, or without.
__global__ void barriers(int rounds, int relaxed, long long *out) {
  meet();
  long long t = clock64();
  for (int i = 0; i < rounds; i++)
    if (relaxed) asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    else meet();
  if (threadIdx.x == 0) out[blockIdx.x] = clock64() - t;
}

__global__ void places(unsigned *sm, int spin) {
  long long t = clock64();
  while (clock64() - t < spin) {}
  if (threadIdx.x == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[blockIdx.x]));
}

__global__ void empty() {}

template <typename... A> static cudaError_t launch(void (*k)(A...), int grid, int block, int cluster, A... args) {
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(grid), c.blockDim = dim3(block);
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim.x = cluster, a[0].val.clusterDim.y = 1, a[0].val.clusterDim.z = 1;
  if (cluster > 0) c.attrs = a, c.numAttrs = 1;
  if (cluster > 8) OK(cudaFuncSetAttribute((const void *)k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  return cudaLaunchKernelEx(&c, k, args...);
}

template <int KIND> static void floods(int cluster, int grid, int block, int distance, int rounds, long long *out, unsigned *sink) {
  std::vector<long long> best;
  for (int i = 0; i < 3; i++) {
    OK(launch(flood<KIND>, grid, block, cluster, distance, rounds, out, sink));
    OK(cudaDeviceSynchronize());
    std::vector<long long> t(grid);
    OK(cudaMemcpy(t.data(), out, grid * sizeof t[0], cudaMemcpyDeviceToHost));
    best.push_back(*std::max_element(t.begin(), t.end()));
  }
  std::sort(best.begin(), best.end());
  int bytes = KIND == LOAD16 || KIND == STORE16 ? 16 : 4;
  printf("flood %s,%d,%d,%d,%.2f bytes a cycle and block of %d\n", kinds[KIND], cluster, distance, block, (double)rounds * block * bytes / best[1], grid);
}

int main(int argc, char **argv) {
  bool quick = argc > 1;
  long long *out, t;
  unsigned *sink;
  OK(cudaMalloc(&out, 4096 * sizeof *out));
  OK(cudaMalloc(&sink, 4096 * sizeof *sink));
  int steps = quick ? 64 : 4096;
  for (int i = 0; i < 2; i++) {
    OK(launch(chase_own, 1, 32, 0, steps, out, sink));
    OK(cudaMemcpy(&t, out, sizeof t, cudaMemcpyDeviceToHost));
  }
  printf("latency own,0,0,1,%.1f cycles\n", (double)t / steps);
  for (int cluster : {1, 2, 4, 8, 16}) {
    if (quick && cluster > 2) break;
    for (int d = 0; d < cluster; d++) {
      for (int i = 0; i < 2; i++) {
        OK(launch(chase, cluster, 32, cluster, d, steps, out, sink));
        OK(cudaMemcpy(&t, out, sizeof t, cudaMemcpyDeviceToHost));
      }
      printf("latency load,%d,%d,1,%.1f cycles\n", cluster, d, (double)t / steps);
      OK(launch(adds, cluster, 32, cluster, d, steps, out, sink));
      OK(cudaMemcpy(&t, out, sizeof t, cudaMemcpyDeviceToHost));
      printf("latency atom,%d,%d,1,%.1f cycles\n", cluster, d, (double)t / steps);
    }
  }
  for (int cluster : {2, 4, 8, 16}) {
    if (quick && cluster > 2) break;
    // Clusters that fit at the same time.
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(cluster), c.blockDim = dim3(1024), c.dynamicSmemBytes = 0;
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension, a[0].val.clusterDim.x = cluster, a[0].val.clusterDim.y = 1, a[0].val.clusterDim.z = 1;
    c.attrs = a, c.numAttrs = 1;
    int n = 0;
    if (!quick) {
      if (cluster > 8) OK(cudaFuncSetAttribute((const void *)flood<LOAD4>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
      OK(cudaOccupancyMaxActiveClusters(&n, flood<LOAD4>, &c));
      printf("active clusters,%d,0,1024,%d of blocks of 1024 threads\n", cluster, n);
    } else n = 1;
    for (int one = 0; one < 2; one++) { // all of the GPU, then one cluster
      int grid = (one ? 1 : n) * cluster;
      for (int block : {128, 1024}) {
        int rounds = quick ? 16 : 1024;
        floods<LOAD4>(cluster, grid, block, 1, rounds, out, sink);
        floods<LOAD16>(cluster, grid, block, 1, rounds, out, sink);
        floods<STORE4>(cluster, grid, block, 1, rounds, out, sink);
        floods<STORE16>(cluster, grid, block, 1, rounds, out, sink);
        floods<ATOM>(cluster, grid, block, 1, rounds, out, sink);
        floods<RED>(cluster, grid, block, 1, rounds, out, sink);
        floods<LOAD4>(cluster, grid, block, 0, rounds, out, sink);
      }
    }
  }
  for (int cluster : {1, 2, 4, 8, 16})
    for (int block : {32, 128, 512, 1024}) {
      if (quick && (cluster > 2 || block > 32)) continue;
      for (int relaxed = 0; relaxed < 2; relaxed++) {
        OK(launch(barriers, cluster, block, cluster, steps, relaxed, out));
        OK(cudaMemcpy(&t, out, sizeof t, cudaMemcpyDeviceToHost));
        printf("%s,%d,0,%d,%.1f cycles\n", relaxed ? "barrier relaxed" : "barrier", cluster, block, (double)t / steps);
      }
    }
  if (quick) return 0;
  for (int cluster : {1, 2, 4, 8, 16}) {
    int grid = 128;
    std::vector<unsigned> sm(grid);
    OK(launch(places, grid, 1024, cluster, sink, 200000));
    OK(cudaMemcpy(sm.data(), sink, grid * sizeof sm[0], cudaMemcpyDeviceToHost));
    printf("places,%d,0,1024,", cluster);
    for (int i = 0; i < grid; i++) printf("%s%u", i == 0 ? "" : i % cluster ? " " : "|", sm[i]);
    printf("\n");
    // Blocks of one warp: whether blocks of a cluster share an SM.
    OK(launch(places, grid, 32, cluster, sink, 200000));
    OK(cudaMemcpy(sm.data(), sink, grid * sizeof sm[0], cudaMemcpyDeviceToHost));
    printf("places,%d,0,32,", cluster);
    for (int i = 0; i < grid; i++) printf("%s%u", i == 0 ? "" : i % cluster ? " " : "|", sm[i]);
    printf("\n");
  }
  for (int cluster : {0, 1, 2, 8}) {
    cudaEvent_t a, b;
    OK(cudaEventCreate(&a)); OK(cudaEventCreate(&b));
    std::vector<float> ms;
    for (int i = 0; i < 21; i++) {
      OK(cudaEventRecord(a));
      OK(launch(empty, 128, 128, cluster));
      OK(cudaEventRecord(b)); OK(cudaEventSynchronize(b));
      float m; OK(cudaEventElapsedTime(&m, a, b)); ms.push_back(m);
    }
    std::sort(ms.begin(), ms.end());
    printf("empty launch,%d,0,128,%.2f us\n", cluster, ms[10] * 1000);
  }
}
