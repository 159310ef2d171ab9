// What loads cost that all blocks make of one line, beside atomics or not; see README.md. Prints a line for each kind of load, way, number
// of blocks and loads in a round: kind, way, blocks, loads, and cycles of a round, on average over the blocks and the most of one.
// With an argument, fewer of each.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
enum { RELAXED, WEAKCG, VOLATILE };
template <int K, int KIND> __device__ unsigned take(unsigned *p) {
  unsigned v[K], s = 0;
#pragma unroll
  for (int i = 0; i < K; i++) {
    if (KIND == RELAXED) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v[i]) : "l"(p + i) : "memory");
    if (KIND == WEAKCG) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i]) : "l"(p + i) : "memory");
    if (KIND == VOLATILE) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v[i]) : "l"(p + i) : "memory");
  }
#pragma unroll
  for (int i = 0; i < K; i++) s += v[i];
  return s;
}
// The ways: 0, all blocks load one line; 1, each block a line of its own; 2, as 0, and each block does an atomic without result on a word
// of the line before its loads; 3, as 2, but on another line; 4, as 2, by the first block alone. A round waits for the loads of the one
// before.
template <int K, int KIND> __global__ void run(unsigned *words, unsigned *sink, long long *out, int rounds, int way, unsigned zero) {
  if (threadIdx.x != 0) return;
  unsigned *p = way == 1 ? words + 32 * blockIdx.x : words;
  unsigned s = 0;
  long long begin = 0;
  for (int r = 0; r < rounds + 8; r++) {
    if (r == 8) begin = clock64();
    if (way == 2 || way == 4 && blockIdx.x == 0) asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(words + 7) : "memory");
    if (way == 3) asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(words + 32 * 4096) : "memory");
    unsigned got = take<K, KIND>(p);
    // the next round waits for this one
    s = got & zero;
    p += s;
  }
  out[blockIdx.x] = clock64() - begin;
  sink[blockIdx.x] = s;
}
static unsigned *words, *sink; static long long *out; static long long host[4096];
template <int K, int KIND> void one(int blocks, int way, int rounds) {
  static const char *kinds[] = {"relaxed", "cg", "volatile"};
  run<K, KIND><<<blocks, 32>>>(words, sink, out, rounds, way, 0);
  cudaMemcpy(host, out, blocks * sizeof *out, cudaMemcpyDeviceToHost);
  double sum = 0, most = 0;
  for (int i = 0; i < blocks; i++) { sum += host[i]; if (host[i] > most) most = host[i]; }
  printf("%s,%d,%d,%d,%.1f,%.1f\n", kinds[KIND], way, blocks, K, sum / blocks / rounds, most / rounds);
  fflush(stdout);
}
template <int KIND> void all(int rounds, bool quick) {
  int grids[] = {1, 16, 132, 264, 660, 1320};
  for (int way = 0; way < 5; way++) for (int blocks : grids) {
    if (quick && blocks > 660) continue;
    one<1, KIND>(blocks, way, rounds); one<2, KIND>(blocks, way, rounds); one<4, KIND>(blocks, way, rounds); one<8, KIND>(blocks, way, rounds);
  }
}
int main(int argc, char **argv) {
  bool quick = argc > 1;
  cudaMalloc(&words, 1 << 22); cudaMalloc(&sink, 1 << 16); cudaMalloc(&out, 1 << 16); cudaMemset(words, 0, 1 << 22);
  printf("kind,way,blocks,loads,mean,most\n");
  all<RELAXED>(quick ? 20 : 200, quick);
  if (!quick) { all<WEAKCG>(200, false); all<VOLATILE>(200, false); }
  cudaError_t e = cudaDeviceSynchronize();
  if (e) { printf("%s\n", cudaGetErrorString(e)); return 1; }
}
