// What passes the port between an SM and the L2: warps load from the L2 or store to it, 64 times each, by how their lanes are spread, how many warps an SM has, and on how
// many SMs; see README.md. One line for each: what, layout, bytes of a lane, warps, SMs, and cycles from the first warp of an SM that begins to the last one that ends, of the
// slowest SM. With an argument, fewer of each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define OK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("error,%s,%s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)

enum Op { LOAD, LOADL1, STORE, FENCED, OPS };
static const char *ops[] = {"load past L1", "load", "store", "store and fence"};
// Lanes of a warp have one line after the other; 8 rows with 4 lanes each, as the sums of products of matrices lie; a line each; or half a line each.
enum Layout { LINES, PIECES, WORDS, HALVES, LAYOUTS };
static const char *layouts[] = {"lines", "8 pieces", "a line a lane", "half a line a lane"};

constexpr int STEPS = 64; // accesses of a warp
struct Span { long long begin, end; };

// How far a lane's place is from that of the warp, and how far the warp goes with each access.
template <int layout, int BYTES> __device__ size_t place(unsigned lane) {
  return layout == LINES ? lane * BYTES : layout == PIECES ? ((size_t)(lane / 4) << 14) + lane % 4 * BYTES : lane * (layout == WORDS ? 128 : 64);
}
template <int layout, int BYTES> constexpr size_t step = layout == LINES ? 32 * BYTES : layout == PIECES ? 4 * BYTES : 32 * (layout == WORDS ? 128 : 64);

template <int op, int layout, int BYTES> __global__ void accesses(char *memory, unsigned zero, Span *out, unsigned *sink) {
  unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, sum = 0;
  char *p = memory + (layout == PIECES ? (size_t)warp << 17 : warp * STEPS * step<layout, BYTES>) + place<layout, BYTES>(lane);
  __syncthreads();
  long long begin = clock64();
  constexpr int DEEP = BYTES == 16 ? 8 : 16; // under way at once
  for (int from = 0; from < STEPS; from += DEEP) {
    unsigned got[DEEP][BYTES / 4];
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
      char *at = p + k * step<layout, BYTES>;
      unsigned *r = got[k];
      if (op == LOAD) {
        if (BYTES == 4) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r[0]) : "l"(at));
        if (BYTES == 8) asm volatile("ld.global.cg.v2.u32 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1 % (BYTES / 4)]) : "l"(at));
        if (BYTES == 16) asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1 % (BYTES / 4)]), "=r"(r[2 % (BYTES / 4)]), "=r"(r[3 % (BYTES / 4)]) : "l"(at));
      } else if (op == LOADL1) {
        if (BYTES == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(r[0]) : "l"(at));
        if (BYTES == 8) asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1 % (BYTES / 4)]) : "l"(at));
        if (BYTES == 16) asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1 % (BYTES / 4)]), "=r"(r[2 % (BYTES / 4)]), "=r"(r[3 % (BYTES / 4)]) : "l"(at));
      } else {
        if (BYTES == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(k) : "memory");
        if (BYTES == 8) asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(k) : "memory");
        if (BYTES == 16) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(k) : "memory");
      }
    }
    if (op == LOAD || op == LOADL1)
#pragma unroll
      for (int k = 0; k < DEEP; k++)
        for (int word = 0; word < BYTES / 4; word++) sum += got[k][word];
    p += DEEP * step<layout, BYTES> + (sum & zero); // the next ones wait for these; `zero` is 0, which no compiler knows
  }
  if (op == FENCED) __threadfence();
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  long long end = clock64();
  if (lane == 0) out[blockIdx.x * 32 + threadIdx.x / 32] = {begin, end};
}

static Span *out;
static char *memory;
static unsigned *sink;

template <int op, int layout, int BYTES> void measure(int warps, int sms) {
  long long best = 1ll << 62;
  for (int i = 0; i < 3; i++) { // the first one brings all to the L2
    accesses<op, layout, BYTES><<<sms, 32 * warps, 100 << 10>>>(memory, 0, out, sink);
    OK(cudaDeviceSynchronize());
    std::vector<Span> spans(32 * sms);
    OK(cudaMemcpy(spans.data(), out, spans.size() * sizeof(Span), cudaMemcpyDeviceToHost));
    long long most = 0;
    for (int b = 0; b < sms; b++) {
      long long begin = spans[b * 32].begin, end = 0;
      for (int w = 0; w < warps; w++) begin = std::min(begin, spans[b * 32 + w].begin), end = std::max(end, spans[b * 32 + w].end);
      most = std::max(most, end - begin);
    }
    if (i > 0) best = std::min(best, most);
  }
  printf("%s,%s,%d,%d,%d,%lld\n", ops[op], layouts[layout], BYTES, warps, sms, best);
}

template <int op, int layout, int BYTES> void each(bool quick) {
  OK(cudaFuncSetAttribute(accesses<op, layout, BYTES>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10)); // two blocks to an SM at most
  for (int sms : {1, 2, 16, 66, 132})
    for (int warps : {1, 4, 8, 32})
      if (sms * warps <= (quick ? 66 : 132 * 8)) measure<op, layout, BYTES>(warps, sms);
}
template <int op> void all(bool quick) {
  each<op, LINES, 4>(quick), each<op, LINES, 8>(quick), each<op, LINES, 16>(quick), each<op, PIECES, 4>(quick), each<op, PIECES, 8>(quick), each<op, PIECES, 16>(quick), each<op, WORDS, 4>(quick), each<op, HALVES, 4>(quick);
}

int main(int argc, char **argv) {
  bool quick = argc > 1;
  OK(cudaMalloc(&out, 1 << 20));
  OK(cudaMalloc(&sink, 1 << 20));
  OK(cudaMalloc(&memory, 512 << 20));
  OK(cudaMemset(memory, 0, 512 << 20));
  all<LOAD>(quick), all<LOADL1>(quick), all<STORE>(quick), all<FENCED>(quick);
}
