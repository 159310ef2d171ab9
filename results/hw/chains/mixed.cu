// Loads and stores of many SMs to the same lines: each lane loads a random word of some lines, or stores to it, or both, one after the other; see README.md. One line for each: what,
// SMs by number, lines, words of a line that are used, accesses of 4 warps of 32 lanes on each SM, and cycles of a step, the mean of the warps that load
// and of those that store (0: none).
// With an argument, fewer of each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define OK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("error,%s,%s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)

enum Op { LOADS, STORES, BOTH, SOME, APART, OPS };
static const char *ops[] = {"loads", "stores", "a load and a store", "a load, and a store in every eighth step", "loads of half of the SMs, stores of the others"};
constexpr int STEPS = 64, WARPS = 4;

__device__ unsigned load(const unsigned *p) { unsigned v; asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ void store(unsigned *p, unsigned v) { asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ unsigned sm() { unsigned v; asm("mov.u32 %0, %%smid;" : "=r"(v)); return v; }

// The array is all 0. role has for each SM whether it takes part (0: not), and whether it is one of those that load (1) or store (2) if they are apart.
template <int op> __global__ void accesses(unsigned *array, unsigned lines, unsigned words, const unsigned *role, long long *cycles, unsigned *sink) {
  unsigned mine = role[sm()], thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (mine == 0) return;
  unsigned x = thread * 2654435769u + 12345, gap = 32 / words;
  __syncthreads();
  long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < STEPS; i++) {
    x = x * 1664525u + 1013904223u;
    unsigned *p = array + (size_t)__umulhi(x, lines) * 32 + (x >> 4) % words * gap;
    if (op == LOADS || op == BOTH || op == SOME || op == APART && mine == 1) x += load(p);
    if (op == STORES || op == BOTH || op == SOME && i % 8 == 7 || op == APART && mine == 2) store(p, 0);
  }
  sink[thread] = x;
  __threadfence();
  long long end = clock64();
  if (threadIdx.x % 32 == 0) cycles[thread / 32] = end - begin;
}

static unsigned *array, *role, *sink;
static long long *cycles;
static int sms;

template <int op> void measure(const char *which, const std::vector<unsigned> &roles, unsigned lines, unsigned words) {
  OK(cudaMemcpy(role, roles.data(), sms * sizeof(unsigned), cudaMemcpyHostToDevice));
  double loads = 1e18, stores = 1e18;
  for (int i = 0; i < 3; i++) { // the first one brings all to the L2
    OK(cudaMemset(cycles, 0, sms * WARPS * sizeof(long long)));
    accesses<op><<<sms, 32 * WARPS, 120 << 10>>>(array, lines, words, role, cycles, sink); // one block an SM
    OK(cudaDeviceSynchronize());
    std::vector<long long> c(sms * WARPS);
    OK(cudaMemcpy(c.data(), cycles, c.size() * sizeof(long long), cudaMemcpyDeviceToHost));
    // Which block is on which SM is not known here: with roles apart, those that store end at other times than those that load, and both are means of halves.
    std::vector<double> took;
    for (long long v : c) if (v > 0) took.push_back((double)v / STEPS);
    std::sort(took.begin(), took.end());
    double low = 0, high = 0;
    size_t n = took.size(), half = op == APART ? n / 2 : n;
    for (size_t k = 0; k < n; k++) (k < half ? low : high) += took[k];
    low /= half, high = half < n ? high / (n - half) : 0;
    if (low + high < loads + stores) loads = low, stores = high;
  }
  printf("%s,%s,%u,%u,%.1f,%.1f\n", ops[op], which, lines, words, loads, stores);
  fflush(stdout);
}

template <int op> void all(bool quick) {
  std::vector<std::pair<const char *, std::vector<unsigned>>> sets;
  auto choose = [&](const char *name, auto takes) {
    std::vector<unsigned> roles(sms);
    for (int i = 0, n = 0; i < sms; i++)
      if (takes(i)) roles[i] = 1 + n++ % 2;
    sets.push_back({name, roles});
  };
  choose("first half", [&](int i) { return i < sms / 2; });
  choose("second half", [&](int i) { return i >= sms / 2; });
  choose("two of four", [&](int i) { return i % 4 < 2; });
  choose("all", [&](int) { return true; });
  for (auto &[name, roles] : sets)
    for (unsigned lines : {64u, 640u, 6400u, 64000u})
      for (unsigned words : {1u, 4u, 32u})
        if (!quick || lines == 640 && words != 4) measure<op>(name, roles, lines, words);
}

int main(int argc, char **) {
  bool quick = argc > 1;
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  OK(cudaMalloc(&array, 64000 * 128));
  OK(cudaMemset(array, 0, 64000 * 128));
  OK(cudaMalloc(&role, sms * sizeof(unsigned)));
  OK(cudaMalloc(&sink, sms * WARPS * 32 * sizeof(unsigned)));
  OK(cudaMalloc(&cycles, sms * WARPS * sizeof(long long)));
  cudaFuncSetAttribute(accesses<LOADS>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
  cudaFuncSetAttribute(accesses<STORES>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
  cudaFuncSetAttribute(accesses<BOTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
  cudaFuncSetAttribute(accesses<SOME>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
  cudaFuncSetAttribute(accesses<APART>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
  printf("what,SMs,lines,words,loads,stores\n");
  all<LOADS>(quick);
  all<STORES>(quick);
  all<BOTH>(quick);
  all<SOME>(quick);
  all<APART>(quick);
}
