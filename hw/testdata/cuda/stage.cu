// The data stage of an SM, packets of atomics, a byte histogram, and tiled products, by hand.
//   stage           all, as JSON lines
//   stage count     each kernel of "mix", "hist" and "tile" once, for ncu
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <algorithm>
typedef unsigned u32; typedef unsigned long long u64;
#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
static bool counting = false;

// --- accesses of L1 and of shared memory side by side
enum { NONE, G32, G64, G128, G32ONE, G32LINES, GCG128, GST32, GST128, S32, S64, S128, SST32, SST128, SHFL, SRED1, SATOM };
static const char* opn[] = {"none","global ld 4","global ld 8","global ld 16","global ld 4, one word","global ld 4, stride 32 bytes","global ld.cg 16","global st 4","global st 16","shared ld 4","shared ld 8","shared ld 16","shared st 4","shared st 16","shuffle","shared red 1","shared atom"};
template<int OP> __device__ __forceinline__ void acc1(const char* g, u32 s, u32 lane, int k, u32& acc) {
  u32 x = 0, y = 0, z = 0, w = 0;
  const char* p = g + k * 512 + (OP == G32ONE ? 0 : OP == G32LINES ? 0 : 0);
  if (OP == G32) { asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(p + lane * 4)); acc ^= x; }
  if (OP == G32ONE) { asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(p)); acc ^= x; }
  if (OP == G32LINES) { asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(g + k * 4 + lane * 32)); acc ^= x; }
  if (OP == G64) { asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "l"(p + lane * 8)); acc ^= x ^ y; }
  if (OP == G128) { asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p + lane * 16)); acc ^= x ^ y ^ z ^ w; }
  if (OP == GCG128) { asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p + lane * 16)); acc ^= x ^ y ^ z ^ w; }
  if (OP == GST32) asm volatile("st.global.u32 [%0], %1;" :: "l"(p + lane * 4), "r"(lane));
  if (OP == GST128) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(p + lane * 16), "r"(lane));
  if (OP == S32) { asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(s + lane * 4)); acc ^= x; }
  if (OP == S64) { asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(s + lane * 8)); acc ^= x ^ y; }
  if (OP == S128) { asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(s + lane * 16)); acc ^= x ^ y ^ z ^ w; }
  if (OP == SST32) asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(s + lane * 4), "r"(lane));
  if (OP == SST128) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" :: "r"(s + lane * 16), "r"(lane));
  if (OP == SHFL) acc ^= __shfl_xor_sync(0xffffffff, acc + k, 1 + k);
  if (OP == SRED1) asm volatile("red.relaxed.gpu.shared.add.u32 [%0], 1;" :: "r"(s + lane * 4));
  if (OP == SATOM) { asm volatile("atom.relaxed.gpu.shared.add.u32 %0, [%1], %2;" : "=r"(x) : "r"(s + lane * 4), "r"(lane)); acc ^= x; }
}
template<int A, int NA, int B, int NB> __global__ void __launch_bounds__(1024) mix(char* g, int iters, u32* out, long long* cyc) {
  __shared__ __align__(128) char s[16384];
  u32 lane = threadIdx.x & 31, acc = threadIdx.x, sa = (u32)__cvta_generic_to_shared(s) + (threadIdx.x / 32 % 8) * 512;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) ((u32*)s)[i] = i;
  if (A == GST32 || A == GST128 || A == GCG128) g += threadIdx.x / 32 * 4096;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++) acc1<A>(g + i * 4096, sa, lane, k, acc);  // warm
  __syncthreads();
  long long t0 = clock64();
#pragma unroll 1
  for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
#pragma unroll
      for (int j = 0; j < NA; j++) acc1<A>(g + (i & 3) * 8192 + j * 4096, sa, lane, k, acc);
#pragma unroll
      for (int j = 0; j < NB; j++) acc1<B>(g, sa, lane, k, acc);
    }
  }
  if (acc == 0x12345678) out[1] = acc;
  __syncwarp();
  long long t1 = clock64();
  if (lane == 0) { cyc[2 * (threadIdx.x / 32)] = t0; cyc[2 * (threadIdx.x / 32) + 1] = t1; }
}
static char* buf; static u32* out; static long long* cyc;
template<int A, int NA, int B, int NB> void runMix() {
  double best = 1e30;
  for (int r = 0; r < (counting ? 1 : 5); r++) {
    long long c[64]; const int iters = 16;
    mix<A, NA, B, NB><<<1, 1024>>>(buf, iters, out, cyc);
    if (counting) { CK(cudaDeviceSynchronize()); continue; }
    CK(cudaMemcpy(c, cyc, sizeof c, cudaMemcpyDeviceToHost));
    long long lo = c[0], hi = c[1];
    for (int w = 0; w < 32; w++) { lo = std::min(lo, c[2 * w]); hi = std::max(hi, c[2 * w + 1]); }
    best = std::min(best, double(hi - lo) / (iters * 8 * 32));
  }
  if (!counting) printf("{\"part\":\"mix\",\"a\":\"%s\",\"na\":%d,\"b\":\"%s\",\"nb\":%d,\"cycles\":%.3f}\n", opn[A], NA, opn[B], NB, best);
}
// --- packets: accesses of one SM to the L2, by pattern
template<int OP> __global__ void __launch_bounds__(1024) packet(char* g, int pattern, int iters, u32* out, long long* cyc) {
  u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32; u32 acc = 0;
  int w = OP >= 20 ? 8 : 4;
  int off = pattern == 0 ? lane * w : pattern == 1 ? 0 : pattern == 2 ? lane * 32 : pattern == 3 ? lane / 2 * w : pattern == 4 ? lane % 8 * w : lane * w;
  bool on = pattern < 4 ? true : lane < 8;
  char* base = g + warp * 16384 + off;
  u64 v = lane + 7; u32 v4 = lane + 7;
  __syncthreads();
  long long t0 = clock64();
  if (on) for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      char* p = base + k * 2048; u32 x = 0; u64 d = 0;
      if (OP == 0) asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" :: "l"(p), "r"(v4));
      if (OP == 1) asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(p), "r"(v4));
      if (OP == 2) asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(x) : "l"(p), "r"(v4), "r"(v4 + 1));
      if (OP == 3) asm volatile("atom.relaxed.gpu.global.exch.b32 %0, [%1], %2;" : "=r"(x) : "l"(p), "r"(v4));
      if (OP == 4) asm volatile("red.relaxed.gpu.global.min.u32 [%0], %1;" :: "l"(p), "r"(v4));
      if (OP == 5) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(p), "r"(v4));
      if (OP == 6) asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(p), "f"((float)v4));
      if (OP == 7) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p));
      if (OP == 20) asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" :: "l"(p), "l"(v));
      if (OP == 21) asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(d) : "l"(p), "l"(v));
      if (OP == 22) asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;" : "=l"(d) : "l"(p), "l"(v), "l"(v + 1));
      if (OP == 23) asm volatile("atom.relaxed.gpu.global.exch.b64 %0, [%1], %2;" : "=l"(d) : "l"(p), "l"(v));
      if (OP == 24) asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(p), "l"(v));
      if (OP == 25) asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(d) : "l"(p));
      acc ^= x ^ (u32)d;
    }
  }
  if (acc == 0x12345678) out[1] = acc;
  __syncwarp();
  __threadfence();
  long long t1 = clock64();
  if (lane == 0) { cyc[2 * warp] = t0; cyc[2 * warp + 1] = t1; }
}
template<int OP> void runPacket(const char* name) {
  static const char* pn[] = {"consecutive", "one address", "a lane a sector", "two lanes an address", "8 lanes, consecutive"};
  for (int p = 0; p < 5; p++) {
    double best = 1e30;
    for (int r = 0; r < 4; r++) {
      long long c[64]; const int iters = 16;
      packet<OP><<<1, 1024>>>(buf, p, iters, out, cyc);
      CK(cudaMemcpy(c, cyc, sizeof c, cudaMemcpyDeviceToHost));
      long long lo = c[0], hi = c[1];
      for (int w = 0; w < 32; w++) { lo = std::min(lo, c[2 * w]); hi = std::max(hi, c[2 * w + 1]); }
      best = std::min(best, double(hi - lo) / (iters * 8 * 32));
    }
    printf("{\"part\":\"packet\",\"op\":\"%s\",\"pattern\":\"%s\",\"cycles\":%.3f}\n", name, pn[p], best);
  }
}
// --- histogram of bytes
__global__ void hist(const unsigned char* in, int n, u32* bins) {
  __shared__ u32 s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) asm volatile("red.relaxed.gpu.shared.add.u32 [%0], 1;" :: "r"((u32)__cvta_generic_to_shared(s + in[i])));
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
// --- products
template<int T, int PAD> __global__ void __launch_bounds__(T * T) tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float x[T][T + PAD], y[T][T + PAD];
  int tx = threadIdx.x % T, ty = threadIdx.x / T, row = blockIdx.x / (n / T) * T + ty, col = blockIdx.x % (n / T) * T + tx;
  float s = 0;
  for (int m = 0; m < n; m += T) {
    x[ty][tx] = a[row * n + m + tx]; y[ty][tx] = b[(m + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; k++) s = __fadd_rn(s, __fmul_rn(x[ty][k], y[k][tx]));
    __syncthreads();
  }
  c[row * n + col] = s;
}
__global__ void naive(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / n, col = i % n; float s = 0;
  for (int k = 0; k < n; k++) s = __fadd_rn(s, __fmul_rn(a[row * n + k], b[k * n + col]));
  c[i] = s;
}
__global__ void copyShared(const float* a, float* c, int n) { // loads and shared stores without a barrier or conflict
  __shared__ float s[256];
  float t = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) { ((volatile float*)s)[threadIdx.x] = a[i]; t += ((volatile float*)s)[threadIdx.x]; }
  c[blockIdx.x * 256 + threadIdx.x] = t;
}
template<class F> void timed(const char* part, const char* name, int n, F f) {
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  float best = 1e30;
  for (int r = 0; r < (counting ? 1 : 7); r++) { float ms; cudaEventRecord(a); f(); cudaEventRecord(b); CK(cudaDeviceSynchronize()); cudaEventElapsedTime(&ms, a, b); best = std::min(best, ms); }
  if (!counting) printf("{\"part\":\"%s\",\"name\":\"%s\",\"n\":%d,\"us\":%.3f}\n", part, name, n, best * 1e3);
}
int main(int argc, char** argv) {
  counting = argc > 1 && !strcmp(argv[1], "count");
  CK(cudaMalloc(&buf, 64 << 20)); CK(cudaMemset(buf, 0, 64 << 20)); CK(cudaMalloc(&out, 4096)); CK(cudaMalloc(&cyc, 4096));
#define MIX(A, NA, B, NB) runMix<A, NA, B, NB>();
  MIX(G32,1,NONE,0) MIX(G64,1,NONE,0) MIX(G128,1,NONE,0) MIX(G32ONE,1,NONE,0) MIX(G32LINES,1,NONE,0) MIX(GCG128,1,NONE,0) MIX(GST32,1,NONE,0) MIX(GST128,1,NONE,0)
  MIX(S32,1,NONE,0) MIX(S64,1,NONE,0) MIX(S128,1,NONE,0) MIX(SST32,1,NONE,0) MIX(SST128,1,NONE,0) MIX(SHFL,1,NONE,0) MIX(SRED1,1,NONE,0) MIX(SATOM,1,NONE,0)
  MIX(G32,1,S32,1) MIX(G32,1,S32,2) MIX(G32,1,S128,1) MIX(G64,1,S32,1) MIX(G64,1,S64,1) MIX(G128,1,S32,1) MIX(G128,1,S32,2) MIX(G128,1,S32,4) MIX(G128,1,S64,1) MIX(G128,1,S128,1) MIX(G128,2,S128,1) MIX(G128,1,S128,2)
  MIX(G128,1,SST32,1) MIX(G128,1,SST128,1) MIX(G32,1,SST32,1) MIX(G32ONE,1,S32,1) MIX(G32ONE,1,S32,2) MIX(G32ONE,1,S128,1) MIX(G32LINES,1,S32,1) MIX(G32LINES,1,S128,1) MIX(GCG128,1,S128,1) MIX(GCG128,1,S128,2) MIX(GCG128,1,S128,4) MIX(GST32,1,S32,1) MIX(GST32,1,S32,4) MIX(GST128,1,S128,1) MIX(GST128,1,S128,4)
  MIX(S32,1,SHFL,1) MIX(S128,1,SHFL,1) MIX(G32,1,SHFL,1) MIX(G128,1,SHFL,1) MIX(S32,1,SST32,1) MIX(S32,1,SRED1,1) MIX(G128,1,SRED1,1) MIX(G128,1,SATOM,1) MIX(S32,1,SATOM,1) MIX(SHFL,1,SATOM,1)
  if (!counting) {
    runPacket<0>("red.add.u32"); runPacket<1>("atom.add.u32"); runPacket<2>("atom.cas.b32"); runPacket<3>("atom.exch.b32"); runPacket<4>("red.min.u32"); runPacket<5>("st.u32"); runPacket<6>("red.add.f32"); runPacket<7>("ld.u32");
    runPacket<20>("red.add.u64"); runPacket<21>("atom.add.u64"); runPacket<22>("atom.cas.b64"); runPacket<23>("atom.exch.b64"); runPacket<24>("st.u64"); runPacket<25>("ld.u64");
  }
  const int n = 1 << 20;
  std::vector<unsigned char> in(n);
  unsigned char* d; CK(cudaMalloc(&d, n));
  const char* hn[] = {"random", "three in four equal", "all equal", "bytes in turn", "16 values", "multiples of 32"};
  for (int kind = 0; kind < 6; kind++) {
    u32 s = 1;
    for (int i = 0; i < n; i++) {
      s = s * 1664525 + 1013904223; u32 r = s >> 24, q = s >> 20 & 3;
      in[i] = kind == 0 ? r : kind == 1 ? (q ? 65 : r) : kind == 2 ? 65 : kind == 3 ? i : kind == 4 ? r % 16 : r % 8 * 32;
    }
    CK(cudaMemcpy(d, in.data(), n, cudaMemcpyHostToDevice));
    timed("hist", hn[kind], n, [&] { hist<<<132 * 2, 256>>>(d, n, (u32*)out); });
  }
  float *a = (float*)buf, *b = a + (1 << 20), *c = b + (1 << 20);
  for (int m : {128, 256, 512}) {
    timed("tile", "naive", m, [&] { naive<<<m * m / 256, 256>>>(a, b, c, m); });
    timed("tile", "tiles of 16", m, [&] { tiled<16, 0><<<m * m / 256, 256>>>(a, b, c, m); });
    timed("tile", "tiles of 32", m, [&] { tiled<32, 0><<<m * m / 1024, 1024>>>(a, b, c, m); });
    timed("tile", "tiles of 16, padded", m, [&] { tiled<16, 1><<<m * m / 256, 256>>>(a, b, c, m); });
    timed("tile", "tiles of 32, padded", m, [&] { tiled<32, 1><<<m * m / 1024, 1024>>>(a, b, c, m); });
  }
  for (int m : {1 << 16, 1 << 20}) timed("tile", "copy through shared memory", m, [&] { copyShared<<<132, 256>>>(a, c, m); });
}
