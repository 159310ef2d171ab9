// What operations on mbarriers, asynchronous copies and matrix multiply-accumulates cost; see README.md. One line for each: what, a size, warps, and
// the number.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>
#include <algorithm>

#define OK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("error,%s,%s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Each warp notes its first and its last cycle; a row is about the time from the first warp of a block that begins to the last one that ends.
struct Span { long long begin, end; };
__device__ void note(Span *out, long long begin, long long end) {
  if (threadIdx.x % 32 == 0) out[blockIdx.x * 32 + threadIdx.x / 32] = {begin, end};
}

// mbarriers: each warp's first lane, or all of its lanes, arrive again and again; or a lane asks. In a chain the next address depends on what the
// operation returned, by `zero`, which is 0 and which no compiler knows.
enum Op { ARRIVE1, ARRIVE32, SINK1, SINK32, TEST, TRY, MANYTEST, ROUND, PINGPONG, OPS };
static const char *ops[] = {"mbarrier.arrive by a lane, chain", "mbarrier.arrive by a warp, chain", "mbarrier.arrive by a lane, no result", "mbarrier.arrive by a warp, no result", "mbarrier.test_wait, chain", "mbarrier.try_wait of a complete phase, chain", "mbarrier.test_wait, eight at once", "arrive and wait", "two warps in turn"};
template <int op> __global__ void mbarriers(int rounds, unsigned zero, Span *out, unsigned *sink) {
  __shared__ unsigned long long bar[2];
  unsigned b = here(bar), warps = blockDim.x / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned n = op == ARRIVE32 || op == SINK32 ? 32 * warps : op == ROUND ? warps : op == PINGPONG ? 1 : warps;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(n));
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b + 8), "r"(n));
  }
  __syncthreads();
  unsigned long long s = 0;
  unsigned done = 0, parity = 0, all = 0;
  long long t = clock64();
  constexpr int TIMES = op < MANYTEST ? 8 : 1; // in an iteration, so that the loop costs little
  for (int i = 0; i < rounds; i += TIMES)
#pragma unroll
  for (int k = 0; k < TIMES; k++) {
    if (op == ARRIVE32 || op == ARRIVE1 && lane == 0) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(b + ((unsigned)s & zero)) : "memory");
    if (op == SINK32 || op == SINK1 && lane == 0) asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(b) : "memory");
    if (op == TEST) asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b + (done & zero)), "r"(1) : "memory");
    if (op == TRY) asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b + (done & zero)), "r"(1) : "memory");
    if (op == MANYTEST) {
#pragma unroll
      for (int m = 0; m < 8; m++) {
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b + 8 * (m & 1)), "r"(1) : "memory");
        all += done;
      }
    }
    if (op == ROUND) {
      if (lane == 0) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(b) : "memory");
      do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(parity) : "memory"); while (!done);
      parity ^= 1;
    }
    if (op == PINGPONG) { // warp 0 waits for the second barrier, warp 1 for the first
      if (warp == 0) {
        if (lane == 0) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(b) : "memory");
        do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b + 8), "r"(parity) : "memory"); while (!done);
      } else {
        do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(parity) : "memory"); while (!done);
        if (lane == 0) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(b + 8) : "memory");
      }
      parity ^= 1;
    }
  }
  note(out, t, clock64());
  sink[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned)s + done + all;
}

// What passes L1 by comes from PAGES pages of memory in turn, since parts of the L2 are at different distances; the first WARM rounds are not counted.
constexpr int PAGES = 16, WARM = PAGES;
constexpr size_t PAGE = 64 << 10;
template <class Round> __device__ void measure(int rounds, Span *out, Round round) {
  for (int i = 0; i < WARM; i++) round(i);
  long long t = clock64();
  for (int i = 0; i < rounds; i++) round(i);
  note(out, t, clock64());
}

// cp.async: a warp copies, commits and waits; BYTES a lane. The source is in L2, or in L1 where .ca may find it. Copies of a round have places of
// their own in shared memory.
template <int BYTES, bool CG, int DEEP> __global__ void copies(const char *from, int rounds, Span *out) {
  extern __shared__ __align__(128) char to[];
  unsigned d = here(to) + threadIdx.x * BYTES;
  const char *first = from + threadIdx.x * BYTES;
  auto round = [=](int i) {
    const char *s = CG ? first + i % PAGES * PAGE : first;
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
      if (CG) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(d + k * (blockDim.x * BYTES)), "l"(s + k * (PAGES * PAGE)) : "memory");
      else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(d + k * (blockDim.x * BYTES)), "l"(s + k * (PAGES * PAGE)), "n"(BYTES) : "memory");
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  };
  measure(rounds, out, round);
}

// The same by a load and a store, each round after the one before: the next address depends on what came.
__global__ void loads(const char *from, int rounds, unsigned zero, Span *out) {
  __shared__ __align__(16) char to[1024 * 16];
  unsigned d = here(to) + threadIdx.x * 16;
  const char *s = from + threadIdx.x * 16;
  auto round = [&](int i) {
    unsigned a, b, c, e, back;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(e) : "l"(s + i % PAGES * PAGE) : "memory");
    asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(d), "r"(a), "r"(b), "r"(c), "r"(e) : "memory");
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(back) : "r"(d) : "memory");
    s += back & zero;
  };
  measure(rounds, out, round);
}

// Bulk copies: one thread of a block asks for some at once, and waits for their mbarrier.
__global__ void bulk(const char *from, unsigned bytes, int rounds, int deep, Span *out) {
  extern __shared__ __align__(128) char to[];
  __shared__ unsigned long long bar;
  unsigned b = here(&bar), done, parity = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
    auto round = [&](int i) {
      asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" ::"r"(b), "r"(bytes * deep) : "memory");
      for (int k = 0; k < deep; k++)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(here(to) + k * bytes), "l"(from + i % PAGES * PAGE + ((size_t)blockIdx.x * deep + k) * bytes), "r"(bytes), "r"(b) : "memory");
      do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(parity) : "memory"); while (!done);
      parity ^= 1;
    };
    measure(rounds, out, round);
  }
}

// Bulk copies to global memory: ask, commit, wait until they were read, and until they are done.
__global__ void bulk_out(char *to, unsigned bytes, int rounds, int read, Span *out) {
  extern __shared__ __align__(128) char from[];
  if (threadIdx.x == 0) {
    auto round = [=](int) {
      asm volatile("fence.proxy.async.shared::cta;\ncp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to + (size_t)blockIdx.x * bytes), "r"(here(from)), "r"(bytes) : "memory");
      if (read) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      else asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    };
    measure(rounds, out, round);
  }
}

// mma: chains of products, each waits for its sum; one chain gives the latency, several the throughput.
#define MMA(NAME, INST, NA, NB, NC, CT, CC)                                                                      \
  template <int CHAINS> __global__ void NAME(int rounds, Span *out, CT *sink) {                            \
    unsigned a[4] = {}, b[4] = {};                                                                               \
    CT c[CHAINS][4] = {};                                                                                        \
    long long t = clock64();                                                                                     \
    for (int i = 0; i < rounds; i += 8)                                                                          \
      _Pragma("unroll") for (int j = 0; j < 8; j++)                                                              \
        _Pragma("unroll") for (int k = 0; k < CHAINS; k++) INST;                                                                     \
    long long end = clock64();                                                                                    \
    CT s = 0;                                                                                                    \
    for (int k = 0; k < CHAINS; k++) s += c[k][0] + c[k][1] + c[k][2] + c[k][3];                                 \
    note(out, t, end);                                                                                            \
    sink[blockIdx.x * blockDim.x + threadIdx.x] = s;                                                             \
  }
#define F4 "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
#define R4 "+r"(c[k][0]), "+r"(c[k][1]), "+r"(c[k][2]), "+r"(c[k][3])
#define A42 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define A21 "r"(a[0]), "r"(a[1]), "r"(b[0])
#define S42 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define S21 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
MMA(f16_16816, asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " S42 : F4 : A42), 4, 2, 4, float, )
MMA(f16_1688, asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " S21 : F4 : A21), 2, 1, 4, float, )
MMA(f16h_16816, asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1};" : R4 : A42), 4, 2, 2, unsigned, )
MMA(bf16_16816, asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " S42 : F4 : A42), 4, 2, 4, float, )
MMA(tf32_1688, asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " S42 : F4 : A42), 4, 2, 4, float, )
MMA(tf32_1684, asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " S21 : F4 : A21), 2, 1, 4, float, )
MMA(s8_16832, asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " S42 : R4 : A42), 4, 2, 4, unsigned, )
MMA(s8_16816, asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 " S21 : R4 : A21), 2, 1, 4, unsigned, )
MMA(b1_168256, asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc " S42 : R4 : A42), 4, 2, 4, unsigned, )
MMA(b1_168128, asm volatile("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc " S21 : R4 : A21), 2, 1, 4, unsigned, )
MMA(b1_88128, asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1}, {%4}, {%5}, {%0,%1};" : R4 : "r"(a[0]), "r"(b[0])), 1, 1, 2, unsigned, )
template <int CHAINS> __global__ void f64_884(int rounds, Span *out, double *sink) {
  double a = 0, b = 0, c[CHAINS][2] = {};
  long long t = clock64();
  for (int i = 0; i < rounds; i += 8)
#pragma unroll
  for (int j = 0; j < 8; j++)
#pragma unroll
    for (int k = 0; k < CHAINS; k++) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[k][0]), "+d"(c[k][1]) : "d"(a), "d"(b));
  long long end = clock64();
  double s = 0;
  for (int k = 0; k < CHAINS; k++) s += c[k][0] + c[k][1];
  note(out, t, end);
  sink[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// ldmatrix: a chain through the row that it reads, whose words are 0, or four at once, of rows that change.
template <int N, bool CHAIN> __global__ void matrices(int rounds, Span *out, unsigned *sink) {
  __shared__ __align__(16) unsigned words[8192];
  for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = 0;
  __syncthreads();
  unsigned at = here(words) + threadIdx.x % 32 * 16, r[4] = {}, s = 0;
  long long t = clock64();
  for (int i = 0; i < rounds; i += CHAIN ? 8 : 2) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      unsigned p = CHAIN ? at + r[0] : at + (i * 4 + k) % 64 * 512;
      if (N == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(p));
      if (N == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(p));
      if (N == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p));
      s += r[0];
    }
  }
  note(out, t, clock64());
  sink[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

static Span *out;
static char *memory;
static void report(const char *what, int size, int warps, double rounds, const char *unit, int blocks = 1) {
  OK(cudaDeviceSynchronize());
  std::vector<Span> spans(32 * blocks);
  OK(cudaMemcpy(spans.data(), out, spans.size() * sizeof(Span), cudaMemcpyDeviceToHost));
  long long most = 0;
  for (int b = 0; b < blocks; b++) {
    long long begin = spans[b * 32].begin, end = 0;
    for (int w = 0; w < warps; w++) begin = std::min(begin, spans[b * 32 + w].begin), end = std::max(end, spans[b * 32 + w].end);
    most = std::max(most, end - begin);
  }
  printf("%s,%d,%d,%.2f %s\n", what, size, warps, most / rounds, unit);
}
template <int op> void all(unsigned *sink) {
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    if (op == PINGPONG && warps != 2) continue;
    for (int i = 0; i < 2; i++) mbarriers<op><<<1, 32 * warps>>>(2048, 0, out, sink);
    report(ops[op], 0, warps, 2048, "cycles a round");
  }
}
#define BOTH(KERNEL, SINK, NAME, K)                                                                                                     \
  KERNEL<1><<<1, 32>>>(2048, out, SINK); report("latency " NAME, K, 1, 2048, "cycles");                                                  \
  for (int warps : {1, 4, 8, 16}) { KERNEL<4><<<1, 32 * warps>>>(2048, out, SINK); report("each of four chains " NAME, K, warps, 2048 * 4.0 * warps, "cycles of an SM"); }
template <int BYTES, bool CG, int DEEP> void copy(int warps) {
  OK(cudaFuncSetAttribute(copies<BYTES, CG, DEEP>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  copies<BYTES, CG, DEEP><<<1, 32 * warps, 32 * warps * BYTES * DEEP>>>(memory, 512, out);
  const char *what[] = {"cp.async.ca", "4 cp.async.ca", "cp.async.cg", "4 cp.async.cg"};
  report(what[CG * 2 + (DEEP > 1)], BYTES, warps, 512, "cycles");
}
template <int DEEP> void each(int warps) { copy<4, false, DEEP>(warps), copy<8, false, DEEP>(warps), copy<16, false, DEEP>(warps), copy<16, true, DEEP>(warps); }

int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : "";
  auto part = [=](const char *name) { return !*only || !strcmp(only, name); };
  OK(cudaMalloc(&out, 1 << 20));
  OK(cudaMalloc(&memory, 512 << 20));
  OK(cudaMemset(memory, 0, 512 << 20));
  unsigned *sink = (unsigned *)memory;
  if (part("mbarriers")) all<ARRIVE1>(sink), all<ARRIVE32>(sink), all<SINK1>(sink), all<SINK32>(sink), all<TEST>(sink), all<TRY>(sink), all<MANYTEST>(sink), all<ROUND>(sink), all<PINGPONG>(sink);
  if (part("copies"))
  for (int warps : {1, 4, 16, 32})
    each<1>(warps), each<4>(warps);
  if (part("copies"))
  for (int warps : {1, 4, 16, 32}) { loads<<<1, 32 * warps>>>(memory, 512, 0, out); report("load, store to shared memory, load from it", 16, warps, 512, "cycles"); }
  if (part("bulk")) {
  OK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  OK(cudaFuncSetAttribute(bulk_out, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int blocks : {1, 132})
    for (unsigned bytes : {16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768})
      for (int deep : {1, 4}) {
        bulk<<<blocks, 32, 200 << 10>>>(memory, bytes, 256, deep, out);
        report(blocks == 1 ? deep == 1 ? "bulk copy in" : "4 bulk copies in" : deep == 1 ? "bulk copy in, 132 blocks" : "4 bulk copies in, 132 blocks", bytes, 1, 256, "cycles", blocks);
      }
  for (int blocks : {1, 132})
    for (unsigned bytes : {16, 128, 1024, 4096, 16384, 32768})
      for (int read : {0, 1}) {
        bulk_out<<<blocks, 32, 200 << 10>>>(memory, bytes, 256, read, out);
        report(blocks == 1 ? read ? "bulk copy out, read" : "bulk copy out" : read ? "bulk copy out, read, 132 blocks" : "bulk copy out, 132 blocks", bytes, 1, 256, "cycles", blocks);
      }
  }
  if (part("products")) {
  BOTH(f16_16816, (float *)memory, "m16n8k16 f32.f16", 16) BOTH(f16_1688, (float *)memory, "m16n8k8 f32.f16", 8) BOTH(f16h_16816, sink, "m16n8k16 f16.f16", 16)
  BOTH(bf16_16816, (float *)memory, "m16n8k16 f32.bf16", 16) BOTH(tf32_1688, (float *)memory, "m16n8k8 f32.tf32", 8) BOTH(tf32_1684, (float *)memory, "m16n8k4 f32.tf32", 4)
  BOTH(s8_16832, sink, "m16n8k32 s32.s8", 32) BOTH(s8_16816, sink, "m16n8k16 s32.s8", 16)
  BOTH(b1_168256, sink, "m16n8k256 s32.b1", 256) BOTH(b1_168128, sink, "m16n8k128 s32.b1", 128) BOTH(b1_88128, sink, "m8n8k128 s32.b1", 128) BOTH(f64_884, (double *)memory, "m8n8k4 f64", 4)
  }
  if (part("ldmatrix")) {
  matrices<1, true><<<1, 32>>>(2048, out, sink); report("latency ldmatrix", 1, 1, 2048, "cycles");
  matrices<2, true><<<1, 32>>>(2048, out, sink); report("latency ldmatrix", 2, 1, 2048, "cycles");
  matrices<4, true><<<1, 32>>>(2048, out, sink); report("latency ldmatrix", 4, 1, 2048, "cycles");
  for (int warps : {1, 4, 16}) {
    matrices<1, false><<<1, 32 * warps>>>(2048, out, sink); report("each ldmatrix", 1, warps, 2048 * 4.0 * warps, "cycles of an SM");
    matrices<2, false><<<1, 32 * warps>>>(2048, out, sink); report("each ldmatrix", 2, warps, 2048 * 4.0 * warps, "cycles of an SM");
    matrices<4, false><<<1, 32 * warps>>>(2048, out, sink); report("each ldmatrix", 4, warps, 2048 * 4.0 * warps, "cycles of an SM");
  }
  }
}
