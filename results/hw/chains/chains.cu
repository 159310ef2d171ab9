// Chains of dependent accesses whose lanes go to different places: each lane follows a random cycle through an array, by loads of several scopes, by compare-and-swap, and with stores between the
// loads; see README.md. One line for each: what, words of the array, blocks of 128 threads, lanes of a warp that take part, and cycles of a step, the mean of all warps.
// Words of "spread" rows lie in lines of their own. With an argument, fewer of each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <numeric>
#include <random>
#include <vector>

#define OK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("error,%s,%s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)

enum Op { PAST_L1, OF_DEVICE, OF_BLOCK, CAS, STORED, STORED_BLOCK, ELSEWHERE, WITH_ROOT, OPS };
static const char *ops[] = {"load past L1", "relaxed load of device scope", "relaxed load of block scope", "compare-and-swap", "load of device scope and store behind it", "load of block scope and store behind it",
                            "load of device scope and store elsewhere", "load of device scope and of a word of all"};

constexpr int STEPS = 64;

__device__ unsigned past(const unsigned *p) { unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ unsigned device(const unsigned *p) { unsigned v; asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ unsigned block(const unsigned *p) { unsigned v; asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ unsigned cas(unsigned *p) { unsigned v; asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], 0xffffffff, 0;" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ void store(unsigned *p, unsigned v) { asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }

// Words are `gap` words apart.
template <int op> __global__ void chain(unsigned *next, unsigned words, unsigned gap, unsigned lanes, unsigned *other, unsigned *root, long long *cycles, unsigned *sink) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (lane >= lanes) return;
  unsigned at = thread * 2654435769u % words;
  __syncwarp(__activemask());
  long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < STEPS; i++) {
    unsigned to;
    if (op == PAST_L1) to = past(next + at * gap);
    if (op == OF_DEVICE || op == STORED || op == ELSEWHERE) to = device(next + at * gap);
    if (op == OF_BLOCK || op == STORED_BLOCK) to = block(next + at * gap);
    if (op == CAS) to = cas(next + at * gap);
    if (op == WITH_ROOT) to = device(next + (at + device(root)) * gap); // the word of all is 0
    if (op == STORED || op == STORED_BLOCK) store(next + at * gap, to); // what is there
    if (op == ELSEWHERE) store(other + thread, to);
    at = to;
  }
  sink[thread] = at;
  long long end = clock64();
  if (lane == 0) cycles[thread / 32] = end - begin;
}

static unsigned *next_, *other, *root, *sink;
static long long *cycles;

template <int op> void measure(unsigned words, unsigned gap, int blocks, int lanes) {
  int warps = blocks * 4;
  std::vector<long long> c(warps);
  double mean = 1e18;
  for (int i = 0; i < 3; i++) { // the first one brings all to the L2
    chain<op><<<blocks, 128>>>(next_, words, gap, lanes, other, root, cycles, sink);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(c.data(), cycles, warps * sizeof(long long), cudaMemcpyDeviceToHost));
    double m = std::accumulate(c.begin(), c.end(), 0.0) / warps / STEPS;
    mean = std::min(mean, m);
  }
  printf("%s%s,%u,%d,%d,%.1f\n", ops[op], gap > 1 ? ", spread" : "", words, blocks, lanes, mean);
  fflush(stdout);
}

// place writes a random cycle through words that are so many words apart.
static void place(unsigned words, unsigned gap) {
  std::vector<unsigned> order(words), next((size_t)words * gap);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 rng(words);
  for (unsigned i = words - 1; i > 0; i--) std::swap(order[i], order[rng() % (i + 1)]); // std::shuffle differs between libraries
  for (unsigned i = 0; i < words; i++) next[(size_t)order[i] * gap] = order[(i + 1) % words];
  OK(cudaMemcpy(next_, next.data(), next.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
}

template <int op> void all(bool quick) {
  for (unsigned words : {20000u, 1u << 20}) {
    if (quick && words > 20000) continue;
    place(words, 1);
    for (int blocks : {1, 157, 528})
      for (int lanes : {1, 8, 32})
        if (!quick || lanes != 1 && blocks != 528) measure<op>(words, 1, blocks, lanes);
  }
}

// sizes has footprints of many sizes, with 32 words in a line and with one.
template <int op> void sizes(bool quick) {
  for (unsigned gap : {1u, 32u})
    for (unsigned words = 640 * 32 / gap / 16; words <= (1u << 20) / (gap > 1 ? 4 : 1); words *= 4) {
      if (quick && words > 20480) continue;
      place(words, gap);
      for (int blocks : {33, 132})
        for (int lanes : {4, 32}) measure<op>(words, gap, blocks, lanes);
    }
}

int main(int argc, char **) {
  bool quick = argc > 1;
  OK(cudaMalloc(&next_, (1u << 23) * sizeof(unsigned)));
  OK(cudaMalloc(&other, 528 * 128 * sizeof(unsigned)));
  OK(cudaMalloc(&sink, 528 * 128 * sizeof(unsigned)));
  OK(cudaMalloc(&root, 256));
  OK(cudaMalloc(&cycles, 528 * 4 * sizeof(long long)));
  OK(cudaMemset(root, 0, 256));
  all<PAST_L1>(quick);
  all<OF_DEVICE>(quick);
  all<OF_BLOCK>(quick);
  all<CAS>(quick);
  all<STORED>(quick);
  all<STORED_BLOCK>(quick);
  all<ELSEWHERE>(quick);
  all<WITH_ROOT>(quick);
  sizes<OF_DEVICE>(quick);
  sizes<STORED>(quick);
}
