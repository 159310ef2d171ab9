// What fences, acquiring loads and ordered atomics cost by scope and order, by what the warp did before, and by how many warps of an SM do the
// same; see README.md. Prints a line for each: operation, what is before it, warps of a block, blocks, and cycles of a round, on average over
// the warps and the most of one. With an argument, fewer of each.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum Operation { NONE, FENCE_AR_CTA, FENCE_AR_GPU, FENCE_SC_GPU, FENCE_AR_SYS, FENCE_SC_SYS, LD_RELAXED_GPU, LD_RELAXED_SYS, LD_ACQUIRE_GPU, LD_ACQUIRE_SYS, ATOM_RELAXED_GPU,
  ATOM_RELAXED_SYS, ATOM_ACQUIRE_GPU, ATOM_ACQUIRE_SYS, ATOM_RELEASE_GPU, ATOM_RELEASE_SYS, ST_RELEASE_GPU, ST_RELEASE_SYS, OPERATIONS };
static const char *names[] = {"none", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.gpu", "fence.acq_rel.sys", "fence.sc.sys", "ld.relaxed.gpu", "ld.relaxed.sys", "ld.acquire.gpu",
  "ld.acquire.sys", "atom.relaxed.gpu", "atom.relaxed.sys", "atom.acquire.gpu", "atom.acquire.sys", "atom.release.gpu", "atom.release.sys", "st.release.gpu", "st.release.sys"};
// What comes before: nothing, a load that L1 may serve, a load that it may not, a store, an atomic without result.
enum Before { NOTHING, CACHED, RELAXED, STORE, RED, BEFORES };
static const char *befores[] = {"nothing", "ld", "ld.relaxed", "st", "red"};

template <int OP> __device__ unsigned operation(unsigned *p) {
  unsigned v = 0;
  if (OP == FENCE_AR_CTA) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if (OP == FENCE_AR_GPU) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if (OP == FENCE_SC_GPU) asm volatile("fence.sc.gpu;" ::: "memory");
  if (OP == FENCE_AR_SYS) asm volatile("fence.acq_rel.sys;" ::: "memory");
  if (OP == FENCE_SC_SYS) asm volatile("fence.sc.sys;" ::: "memory");
  if (OP == LD_RELAXED_GPU) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (OP == LD_RELAXED_SYS) asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (OP == LD_ACQUIRE_GPU) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (OP == LD_ACQUIRE_SYS) asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (OP == ATOM_RELAXED_GPU) asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
  if (OP == ATOM_RELAXED_SYS) asm volatile("atom.relaxed.sys.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
  if (OP == ATOM_ACQUIRE_GPU) asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
  if (OP == ATOM_ACQUIRE_SYS) asm volatile("atom.acquire.sys.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
  if (OP == ATOM_RELEASE_GPU) asm volatile("atom.release.gpu.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
  if (OP == ATOM_RELEASE_SYS) asm volatile("atom.release.sys.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
  if (OP == ST_RELEASE_GPU) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(p) : "memory");
  if (OP == ST_RELEASE_SYS) asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(p) : "memory");
  return v;
}

// One lane of each warp works, on two lines of its warp's own. A round waits for the one before.
template <int OP> __global__ void run(unsigned *words, unsigned *sink, long long *out, int rounds, int before, unsigned zero) {
  if (threadIdx.x % 32 != 0) return;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned *p = words + 64 * warp, *q = p + 32;
  unsigned s = 0;
  long long begin = 0;
  for (int r = 0; r < rounds + 4; r++) {
    if (r == 4) begin = clock64();
    unsigned got = 0;
    if (before == CACHED) asm volatile("ld.global.u32 %0, [%1];" : "=r"(got) : "l"(q) : "memory");
    if (before == RELAXED) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(got) : "l"(q) : "memory");
    if (before == STORE) asm volatile("st.global.u32 [%0], %1;" ::"l"(q), "r"(r) : "memory");
    if (before == RED) asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(q) : "memory");
    q += got & zero;
    got = operation<OP>(p);
    s |= got & zero;
    p += s;
  }
  out[warp] = clock64() - begin;
  sink[warp] = s;
}

static unsigned *words, *sink;
static long long *out, host[132 * 32];

template <int OP> void each(bool quick) {
  int warps[] = {1, 4, 16, 32}, blocks[] = {1, 132};
  for (int b = 0; b < 2; b++)
    for (int w = 0; w < 4; w++)
      for (int before = 0; before < BEFORES; before++) {
        if (quick && (b > 0 || w > 1)) continue;
        int n = warps[w] * blocks[b], rounds = quick ? 8 : 64;
        cudaMemset(words, 0, n * 64 * sizeof *words);
        run<OP><<<blocks[b], 32 * warps[w]>>>(words, sink, out, rounds, before, 0);
        if (cudaMemcpy(host, out, n * sizeof *out, cudaMemcpyDeviceToHost) != cudaSuccess) {
          printf("failed: %s\n", cudaGetErrorString(cudaGetLastError()));
          exit(1);
        }
        double sum = 0, most = 0;
        for (int i = 0; i < n; i++) sum += host[i], most = host[i] > most ? host[i] : most;
        printf("%s,%s,%d,%d,%.1f,%.1f\n", names[OP], befores[before], warps[w], blocks[b], sum / n / rounds, most / rounds);
        fflush(stdout);
      }
}

int main(int argc, char **) {
  bool quick = argc > 1;
  cudaMalloc((void **)&words, 132 * 32 * 64 * sizeof *words);
  cudaMalloc((void **)&sink, 132 * 32 * sizeof *sink);
  cudaMalloc((void **)&out, 132 * 32 * sizeof *out);
  printf("operation,before,warps,blocks,cycles,most\n");
  each<NONE>(quick), each<FENCE_AR_CTA>(quick), each<FENCE_AR_GPU>(quick), each<FENCE_SC_GPU>(quick), each<FENCE_AR_SYS>(quick), each<FENCE_SC_SYS>(quick);
  each<LD_RELAXED_GPU>(quick), each<LD_RELAXED_SYS>(quick), each<LD_ACQUIRE_GPU>(quick), each<LD_ACQUIRE_SYS>(quick);
  each<ATOM_RELAXED_GPU>(quick), each<ATOM_RELAXED_SYS>(quick), each<ATOM_ACQUIRE_GPU>(quick), each<ATOM_ACQUIRE_SYS>(quick), each<ATOM_RELEASE_GPU>(quick), each<ATOM_RELEASE_SYS>(quick);
  each<ST_RELEASE_GPU>(quick), each<ST_RELEASE_SYS>(quick);
}
