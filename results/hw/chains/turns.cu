// What a line costs that some SMs load and others store to, by how many SMs, and which; see README.md. Each warp of four on an SM has one lane and one
// access at a time, for 200,000 cycles: a load waits for the one before it; a store is followed by a load of a line of its own, which keeps it from running ahead. One line for each: SMs that load and
// that store, which SMs by number, lines, how far apart these are, loads and stores of all SMs in 1,000 cycles, and the cycles between two loads of a warp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define OK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("error,%s,%s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)

constexpr int WARPS = 4, TIME = 200000;
constexpr unsigned LINES = 64; // at most, 4 KB apart

__device__ unsigned load(const unsigned *p) { unsigned v; asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ void store(unsigned *p, unsigned v) { asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ unsigned sm() { unsigned v; asm("mov.u32 %0, %%smid;" : "=r"(v)); return v; }

__global__ void accesses(unsigned *array, const unsigned *line, unsigned lines, const unsigned *role, unsigned *own, unsigned long long *counts) {
  unsigned mine = role[sm()], warp = blockIdx.x * WARPS + threadIdx.x / 32, count = 0;
  if (mine == 0 || threadIdx.x % 32) return;
  unsigned x = warp * 2654435769u + 12345;
  long long begin = clock64();
  while (clock64() - begin < TIME) {
    x = x * 1664525u + 1013904223u;
    unsigned *p = array + line[__umulhi(x, lines)];
    if (mine == 1) x += load(p);
    else store(p, 0), x += load(own + warp * 32);
    count++;
  }
  atomicAdd(&counts[mine - 1], count);
}

static unsigned *array, *role, *line, *own;
static unsigned long long *counts;
static int sms;

static void measure(int loaders, int storers, bool loadLast, bool storeLast, const std::vector<unsigned> &lines, const char *apart) {
  std::vector<unsigned> roles(sms);
  int first = 0, last = sms - 1;
  for (int i = 0; i < loaders; i++) roles[loadLast ? last-- : first++] = 1;
  for (int i = 0; i < storers; i++) roles[storeLast ? last-- : first++] = 2;
  OK(cudaMemcpy(role, roles.data(), sms * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(line, lines.data(), lines.size() * 4, cudaMemcpyHostToDevice));
  unsigned long long c[2];
  for (int i = 0; i < 2; i++) {
    OK(cudaMemset(counts, 0, 16));
    accesses<<<sms, 32 * WARPS, 120 << 10>>>(array, line, (unsigned)lines.size(), role, own, counts);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(c, counts, 16, cudaMemcpyDeviceToHost));
  }
  printf("%d,%d,%s,%s,%zu,%s,%.1f,%.1f,%.0f\n", loaders, storers, loaders ? loadLast ? "last" : "first" : "-", storers ? storeLast ? "last" : "first" : "-", lines.size(), apart, c[0] * 1000.0 / TIME, c[1] * 1000.0 / TIME,
         c[0] ? (double)TIME * loaders * WARPS / c[0] : 0);
  fflush(stdout);
}

int main() {
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  OK(cudaMalloc(&array, LINES * 4096));
  OK(cudaMemset(array, 0, LINES * 4096));
  OK(cudaMalloc(&role, sms * 4));
  OK(cudaMalloc(&line, LINES * 4));
  OK(cudaMalloc(&own, sms * WARPS * 128));
  OK(cudaMemset(own, 0, sms * WARPS * 128));
  OK(cudaMalloc(&counts, 16));
  OK(cudaFuncSetAttribute(accesses, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10)); // one block an SM
  std::vector<unsigned> one = {0}, neighbors = {0, 32, 64, 96}, apart;
  for (unsigned i = 0; i < LINES; i++) apart.push_back(i * 1024);
  printf("load,store,loads from,stores from,lines,apart,loads,stores,between loads\n");
  std::vector<unsigned> four(apart.begin(), apart.begin() + std::min<size_t>(4, apart.size()));
  for (bool lf : {false, true})
    for (int n : {1, 4, 16, 32}) measure(n, 0, lf, false, one, "-"), measure(n, 0, lf, false, four, "4 KB"), measure(0, n, false, lf, one, "-"), measure(0, n, false, lf, four, "4 KB");
  for (bool lf : {false, true})
    for (bool sf : {false, true})
      for (auto [a, b] : std::vector<std::pair<int, int>>{{1, 1}, {4, 4}, {16, 16}, {32, 32}, {32, 1}, {32, 4}, {1, 32}, {4, 32}}) {
        measure(a, b, lf, sf, one, "-");
        measure(a, b, lf, sf, neighbors, "128 bytes");
        measure(a, b, lf, sf, four, "4 KB");
        measure(a, b, lf, sf, apart, "4 KB");
      }
}
