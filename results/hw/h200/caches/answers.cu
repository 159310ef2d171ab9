// Loads of a line by two SMs, the second one some cycles after the first, and the SMs on which blocks are placed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint64_t gtime() { uint64_t t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ __forceinline__ uint32_t smid() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ uint32_t ld(const uint32_t* p) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p)); return v; }
__device__ __forceinline__ uint32_t clk() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
// one warp: waits for the rendezvous, then sk cycles, then loads one line; out: latency
__global__ void rendez(const int* skew, const uint32_t* base, int rounds, unsigned long long* t0, uint32_t* out, uint32_t* end) {
  int sm = smid(), sk = skew[sm];
  if (sk < 0) return;
  uint64_t now = gtime();
  if (threadIdx.x == 0) atomicMax(t0, (unsigned long long)now + 40000);
  while (gtime() < now + 20000) {}
  uint64_t T = 0;
  if (threadIdx.x == 0) T = atomicAdd(t0, 0ull);
  T = __shfl_sync(~0u, T, 0);
  uint32_t sum = 0; const uint32_t* p = base + threadIdx.x;
  for (int r = 0; r < rounds; r++, p += 32) {
    while (gtime() < T + (uint64_t)r * 4000) {}
    uint32_t c = clk();
    while (clk() - c < (uint32_t)sk) {}
    uint32_t a = clk();
    uint32_t v = ld(p);
    if (v == 7) asm volatile("trap;");
    uint32_t b = clk();
    sum += v;
    if (threadIdx.x == 0) out[sm * rounds + r] = b - a;
  }
  if (sum == 0x12345678) end[0] = sum;
}
__global__ void where(uint32_t* sm, unsigned long long* at, int spin) {
  extern __shared__ int x[];
  uint64_t t = gtime(); uint32_t c = clk();
  if (threadIdx.x == 0) { sm[2 * blockIdx.x] = smid(); sm[2 * blockIdx.x + 1] = c; at[blockIdx.x] = t; }
  while (clk() - c < spin) {}
}
int main() {
  const int SMS = 132, R = 512;
  int* dskew; uint32_t *buf, *out, *end; unsigned long long *t0, *at;
  CK(cudaMalloc(&dskew, SMS * 4)); CK(cudaMalloc(&buf, 32 << 20)); CK(cudaMalloc(&out, SMS * R * 4)); CK(cudaMalloc(&end, 4096)); CK(cudaMalloc(&t0, 8)); CK(cudaMalloc(&at, 1 << 20));
  CK(cudaMemset(buf, 0, 32 << 20));
  CK(cudaFuncSetAttribute(rendez, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  for (int other : {1, 16, 2}) for (int k : {-1, 0, 20, 40, 60, 80, 100, 120, 160, 200, 240, 300, 400}) for (int rep = 0; rep < 3; rep++) {
    std::vector<int> skew(SMS, -1);
    skew[0] = 0; if (k >= 0) skew[other] = k;
    CK(cudaMemcpy(dskew, skew.data(), SMS * 4, cudaMemcpyHostToDevice));
    CK(cudaMemset(t0, 0, 8));
    std::vector<uint32_t> h(SMS * R);
    rendez<<<SMS, 32, 200000>>>(dskew, buf, R, t0, out, end); CK(cudaDeviceSynchronize());
    if (rep == 0) continue;
    CK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
    auto show = [&](int sm) { std::vector<uint32_t> v(h.begin() + sm * R, h.begin() + (sm + 1) * R); std::sort(v.begin(), v.end()); printf(" sm%d p5 %u p25 %u p50 %u p75 %u p95 %u mean", sm, v[R / 20], v[R / 4], v[R / 2], v[3 * R / 4], v[R * 19 / 20]); double s = 0; for (auto x : v) s += x; printf(" %.1f", s / R); };
    printf("rendez other %d skew %d:", other, k); show(0); if (k >= 0) show(other); printf("\n");
  }
  struct { int g, b, shared; } ws[] = {{8, 256, 16384}, {2, 1024, 16384}, {4, 512, 0}, {64, 1024, 8192}, {256, 256, 0}, {256, 1024, 8192}, {132, 32, 0}, {1056, 256, 0}};
  for (auto w : ws) for (int rep = 0; rep < 2; rep++) {
    where<<<w.g, w.b, w.shared>>>(buf, at, 20000); CK(cudaDeviceSynchronize());
    std::vector<uint32_t> s(2 * w.g); CK(cudaMemcpy(s.data(), buf, 8 * w.g, cudaMemcpyDeviceToHost));
    if (!rep) continue;
    printf("where grid %d block %d:", w.g, w.b); for (int i = 0; i < std::min(w.g, 300); i++) printf(" %u", s[2 * i]); printf("\n");
  }
  return 0;
}
