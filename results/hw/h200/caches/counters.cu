// Kernels whose counters Nsight Compute reads. The program prints one line per launch, in order.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint64_t gtime() { uint64_t t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ __forceinline__ uint32_t smid() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
template <int MODE> __device__ __forceinline__ uint32_t ld(const uint32_t* p) {
  uint32_t v;
  if (MODE == 0) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p));
  if (MODE == 1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
  if (MODE == 2) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
  if (MODE == 3) asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
// skew[sm] < 0: that SM does nothing. lanes[sm]: which lanes load. All warps of the block do the same.
template <int MODE, int LINES>
__global__ void rendez(const int* skew, const uint32_t* lanes, const uint32_t* base, int rounds, int period, unsigned long long* t0, uint32_t* end) {
  int sk = skew[smid()];
  uint32_t mask = lanes[smid()];
  if (sk < 0) return;
  uint64_t now = gtime();
  if (threadIdx.x % 32 == 0) atomicMax(t0, (unsigned long long)now + 40000);
  while (gtime() < now + 20000) {}
  uint64_t T = 0;
  if (threadIdx.x % 32 == 0) T = atomicAdd(t0, 0ull);
  T = __shfl_sync(0xffffffffu, T, 0);
  uint32_t sum = 0;
  const uint32_t* p = base + threadIdx.x % 32;
  bool on = mask >> (threadIdx.x % 32) & 1;
  for (int r = 0; r < rounds; r++, p += 32 * LINES) {
    while (gtime() < T + (uint64_t)r * period) {}
    uint32_t c = (uint32_t)clock();
    while ((uint32_t)clock() - c < (uint32_t)sk) {}
    if (on) {
      uint32_t v[LINES];
#pragma unroll
      for (int i = 0; i < LINES; i++) v[i] = ld<MODE>(p + 32 * i);
#pragma unroll
      for (int i = 0; i < LINES; i++) sum += v[i];
    }
  }
  if (sum == 0x12345678) end[0] = sum;
}
__global__ void walk(const uint4* p, size_t n, uint32_t* end) { // reads n * 16 bytes
  uint32_t s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    uint4 v; asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p + i));
    s += v.x + v.y + v.z + v.w;
  }
  if (s == 0x12345678) end[0] = s;
}
// stores words [first, first+count) of each sector of `per` sectors of each line
__global__ void put(uint32_t* p, size_t lines, int first, int count, int per) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < lines * per; i += (size_t)gridDim.x * blockDim.x)
    for (int w = first; w < first + count; w++) p[i / per * 32 + i % per * 8 + w] = 7;
}
__global__ void putred(uint32_t* p, size_t lines, int word, int per) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < lines * per; i += (size_t)gridDim.x * blockDim.x)
    atomicAdd(p + i / per * 32 + i % per * 8 + word, 1);
}
__global__ void get(const uint32_t* p, size_t lines, int word, int per, uint32_t* end) {
  uint32_t s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < lines * per; i += (size_t)gridDim.x * blockDim.x)
    s += ld<1>(p + i / per * 32 + i % per * 8 + word);
  if (s == 0x12345678) end[0] = s;
}
__device__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
__global__ void gather(const uint32_t* p, uint32_t words, int steps, uint32_t* end) {
  uint32_t x = mix(blockIdx.x * blockDim.x + threadIdx.x + 1), s = 0;
  for (int i = 0; i < steps; i++) { x = mix(x + 0x9e3779b1u); s += ld<0>(p + (uint32_t)(((uint64_t)x * words) >> 32)); }
  if (s == 0x12345678) end[0] = s;
}
// every SM reads the same array once, in the same order, at its own pace, with U loads in flight a thread
__global__ void same(const uint4* p, size_t n, uint32_t* end) {
  uint32_t s = 0;
#pragma unroll 4
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
    uint4 v; asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p + i));
    s += v.x + v.y + v.z + v.w;
  }
  if (s == 0x12345678) end[0] = s;
}
__global__ void naive(const float* a, const float* b, float* c, int n) { // 32 columns, 8 rows a block
  int x = blockIdx.x % (n / 32) * 32 + threadIdx.x % 32, y = blockIdx.x / (n / 32) * 8 + threadIdx.x / 32;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
  c[y * n + x] = s;
}
__global__ void tiled(const float* a, const float* b, float* c, int n) { // 32 x 32
  __shared__ float ta[32][32], tb[32][32];
  int tx = threadIdx.x % 32, ty = threadIdx.x / 32, x = blockIdx.x % (n / 32) * 32 + tx, y = blockIdx.x / (n / 32) * 32 + ty;
  float s = 0;
  for (int k = 0; k < n; k += 32) {
    ta[ty][tx] = a[y * n + k + tx]; tb[ty][tx] = b[(k + ty) * n + x];
    __syncthreads();
    for (int j = 0; j < 32; j++) s += ta[ty][j] * tb[j][tx];
    __syncthreads();
  }
  c[y * n + x] = s;
}
__global__ void nbody(const float4* p, float* out, int n) {
  __shared__ float4 t[256];
  int i = blockIdx.x * 256 + threadIdx.x; float4 me = p[i]; float s = 0;
  for (int k = 0; k < n; k += 256) {
    t[threadIdx.x] = p[k + threadIdx.x]; __syncthreads();
    for (int j = 0; j < 256; j++) { float dx = t[j].x - me.x, dy = t[j].y - me.y, dz = t[j].z - me.z; s += t[j].w * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f); }
    __syncthreads();
  }
  out[i] = s;
}
static const int SMS = 132;
static int *dskew; static uint32_t *dlanes, *buf, *end_, *big; static unsigned long long* dt0;
static const size_t MB = 1 << 20;
static size_t at = 0;
template <int MODE, int LINES> static void rv(const char* what, const std::vector<int>& skew, const std::vector<uint32_t>& lanes, int rounds, int warps, bool cold) {
  size_t need = (size_t)rounds * LINES * 32;
  if (at + need > 24 * MB / 4) at = 0;
  const uint32_t* p = buf + at; at += need;
  if (cold) { static size_t c = 0; p = big + c; c += need; if (c + need > 400 * MB / 4) c = 0; }
  CK(cudaMemcpy(dskew, skew.data(), SMS * 4, cudaMemcpyHostToDevice));
  CK(cudaMemcpy(dlanes, lanes.data(), SMS * 4, cudaMemcpyHostToDevice));
  CK(cudaMemset(dt0, 0, 8));
  CK(cudaFuncSetAttribute(rendez<MODE, LINES>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  int n = 0; for (int s : skew) n += s >= 0;
  printf("rendez %s mode=%d lines=%d rounds=%d warps=%d active=%d cold=%d\n", what, MODE, LINES, rounds, warps, n, cold);
  rendez<MODE, LINES><<<SMS, 32 * warps, 200000>>>(dskew, dlanes, p, rounds, 4000, dt0, end_);
  CK(cudaDeviceSynchronize());
}
static std::vector<int> none() { return std::vector<int>(SMS, -1); }
static std::vector<uint32_t> full() { return std::vector<uint32_t>(SMS, ~0u); }
static void walkit(const char* what, const void* p, size_t bytes) {
  printf("walk %s bytes=%zu\n", what, bytes);
  walk<<<SMS * 4, 512>>>((const uint4*)p, bytes / 16, end_); CK(cudaDeviceSynchronize());
}
int main(int argc, char** argv) {
  const char* part = argc > 1 ? argv[1] : "";
  CK(cudaMalloc(&dskew, SMS * 4)); CK(cudaMalloc(&dlanes, SMS * 4)); CK(cudaMalloc(&dt0, 8)); CK(cudaMalloc(&end_, 4096));
  CK(cudaMalloc(&buf, 96 * MB)); CK(cudaMalloc(&big, 512 * MB));
  CK(cudaMemset(buf, 0, 96 * MB)); CK(cudaMemset(big, 0, 512 * MB));
  char name[256];
  if (!strcmp(part, "sets")) {
    walkit("warm", buf, 24 * MB);
    auto s = none(); s[0] = 0; rv<1, 4>("one SM", s, full(), 32, 1, false);
    for (int i = 0; i < SMS; i++) s[i] = 0;
    rv<1, 4>("all SMs", s, full(), 32, 1, false); rv<0, 4>("all SMs", s, full(), 32, 1, false); rv<2, 4>("all SMs", s, full(), 32, 1, false);
    rv<1, 1>("all SMs", s, full(), 32, 1, false); rv<1, 16>("all SMs", s, full(), 32, 1, false); rv<1, 4>("all SMs", s, full(), 32, 1, true);
    for (int b : {0, 50}) for (int i = 0; i < SMS; i++) {
      if (i == b) continue;
      if (b == 50 && i % 4) continue;
      s = none(); s[b] = s[i] = 0; sprintf(name, "pair %d %d", b, i); rv<1, 4>(name, s, full(), 32, 1, false);
    }
  }
  if (!strcmp(part, "skew")) {
    walkit("warm", buf, 24 * MB);
    for (int other : {1, 2, 16}) for (int cold = 0; cold < 2; cold++)
      for (int k : {0, 20, 40, 60, 80, 100, 120, 140, 160, 200, 240, 280, 320, 400, 500, 600, 800, 1000, 1500, 2500}) {
        if (other != 1 && k % 100) continue;
        auto s = none(); s[0] = 0; s[other] = k; sprintf(name, "skew %d other %d", k, other); rv<1, 4>(name, s, full(), 32, 1, cold);
      }
    for (int other : {1, 2}) {
      auto s = none(); s[0] = s[other] = 0; auto l = full();
      sprintf(name, "other %d", other);
      rv<0, 4>(name, s, l, 32, 1, false); rv<2, 4>(name, s, l, 32, 1, false); rv<3, 4>(name, s, l, 32, 1, false);
      rv<1, 1>(name, s, l, 32, 1, false); rv<1, 2>(name, s, l, 32, 1, false); rv<1, 8>(name, s, l, 32, 1, false); rv<1, 16>(name, s, l, 32, 1, false); rv<1, 32>(name, s, l, 32, 1, false); rv<1, 64>(name, s, l, 16, 1, false);
      l[0] = 0xff; l[other] = 0xff00; sprintf(name, "sector 0 and sector 1, other %d", other); rv<1, 4>(name, s, l, 32, 1, false);
      l[0] = 0xff; l[other] = 0xff0000; sprintf(name, "sector 0 and sector 2, other %d", other); rv<1, 4>(name, s, l, 32, 1, false);
      l[0] = 0xff; l[other] = 0xff; sprintf(name, "sector 0 both, other %d", other); rv<1, 4>(name, s, l, 32, 1, false);
      l[0] = ~0u; l[other] = 0xff; sprintf(name, "line and sector 0, other %d", other); rv<1, 4>(name, s, l, 32, 1, false);
    }
    auto s = none(); s[0] = 0;
    for (int w : {1, 2, 4, 8}) { rv<0, 4>("same SM", s, full(), 32, w, false); rv<1, 4>("same SM", s, full(), 32, w, false); rv<2, 4>("same SM", s, full(), 32, w, false); }
    for (int g : {2, 4, 8, 16, 32, 64}) { auto s = none(); for (int i = 0; i < g; i++) s[i] = 0; sprintf(name, "first %d", g); rv<1, 4>(name, s, full(), 32, 1, false); }
  }
  if (!strcmp(part, "l2")) {
    for (int mb : {15, 24, 27, 29, 30, 33, 40, 45, 50, 54, 57, 60, 63, 66}) for (int k = 0; k < 3; k++) { sprintf(name, "%d MiB walk %d", mb, k); walkit(name, buf, mb * MB); }
  }
  if (!strcmp(part, "partial")) {
    size_t lines = 16 * MB / 128, off = 0;
    struct { const char* n; int first, count, per; } v[] = {{"one word of each sector", 0, 1, 4}, {"half of each sector", 0, 4, 4}, {"each sector whole", 0, 8, 4}, {"one sector of each line", 0, 8, 1}, {"two sectors of each line", 0, 8, 2}, {"one word of each line", 0, 1, 1}};
    for (auto& x : v) for (int read = 0; read < 2; read++) {
      walkit("evict", big + 256 * MB / 4, 200 * MB); walkit("evict", big + 256 * MB / 4, 200 * MB);
      uint32_t* p = big + off / 4; off += 16 * MB;
      printf("put %s lines=%zu\n", x.n, lines); put<<<528, 512>>>(p, lines, x.first, x.count, x.per); CK(cudaDeviceSynchronize());
      if (read) {
        printf("get the word written, %s\n", x.n); get<<<528, 512>>>(p, lines, 0, x.per, end_); CK(cudaDeviceSynchronize());
        printf("get another word, %s\n", x.n); get<<<528, 512>>>(p, lines, 5, x.per, end_); CK(cudaDeviceSynchronize());
        printf("get another word again, %s\n", x.n); get<<<528, 512>>>(p, lines, 5, x.per, end_); CK(cudaDeviceSynchronize());
      }
      sprintf(name, "after put %s read=%d", x.n, read); walkit(name, big + 256 * MB / 4, 200 * MB);
    }
    for (int per : {1, 2, 4}) {
      walkit("evict", big + 256 * MB / 4, 200 * MB);
      printf("get cold %d sectors of each line\n", per); get<<<528, 512>>>(big, lines, 0, per, end_); CK(cudaDeviceSynchronize());
    }
    walkit("evict", big + 256 * MB / 4, 200 * MB);
    printf("red one word of each sector\n"); putred<<<528, 512>>>(big + 20 * MB / 4, lines, 0, 4); CK(cudaDeviceSynchronize());
    walkit("after red", big + 256 * MB / 4, 200 * MB);
  }
  if (!strcmp(part, "promote")) {
    size_t lines = 16 * MB / 128;
    for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++) {
      if (a == b) continue;
      walkit("evict", big + 256 * MB / 4, 200 * MB);
      printf("get cold sector %d\n", a); get<<<528, 512>>>(big + 8 * a, lines, 0, 1, end_); CK(cudaDeviceSynchronize());
      printf("get then sector %d after %d\n", b, a); get<<<528, 512>>>(big + 8 * b, lines, 0, 1, end_); CK(cudaDeviceSynchronize());
    }
  }
  if (!strcmp(part, "walks")) {
    for (int mb : {15, 30, 33, 36, 38, 40, 42, 45, 50, 54, 57, 60, 63, 66}) for (int k = 0; k < 4; k++) { sprintf(name, "%d MiB walk %d", mb, k); walkit(name, buf, mb * MB); }
  }
  if (!strcmp(part, "window")) {
    walkit("warm", buf, 24 * MB);
    for (int other : {1, 16, 32, 48}) for (int k = 0; k <= 320; k += 20) {
      auto s = none(); s[0] = 0; s[other] = k; sprintf(name, "skew %d other %d", k, other); rv<1, 4>(name, s, full(), 32, 1, false);
      if (k % 80 == 0) { s[0] = k; s[other] = 0; sprintf(name, "skew -%d other %d", k, other); rv<1, 4>(name, s, full(), 32, 1, false); }
    }
  }
  if (!strcmp(part, "threads")) {
    CK(cudaFuncSetAttribute(gather, cudaFuncAttributePreferredSharedMemoryCarveout, 14));
    for (int kb : {240, 256, 512, 1024}) for (int th : {32, 64, 128, 256, 512, 1024, 2048}) {
      int b = th > 1024 ? 2 * SMS : SMS, t = th > 1024 ? 1024 : th, steps = 131072 / th;
      printf("gather kb=%d threads=%d steps=%d\n", kb, th, steps);
      gather<<<b, t, 16>>>(buf, kb * 256, steps, end_); CK(cudaDeviceSynchronize());
    }
  }
  if (!strcmp(part, "config")) {
    CK(cudaFuncSetAttribute(gather, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
    for (int th : {32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024}) for (int s : {0, 16, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304}) {
      printf("config threads=%d shared=%d\n", th, s); gather<<<1, th, s>>>(buf, 256, 1, end_); CK(cudaDeviceSynchronize());
    }
  }
  if (!strcmp(part, "gather")) {
    for (int kb : {64, 128, 192, 224, 256, 512, 1024, 4096}) for (int th : {32, 128, 512, 1024, 2048}) {
      int b = th > 1024 ? 2 * SMS : SMS, t = th > 1024 ? 1024 : th, steps = 131072 / th;
      printf("gather kb=%d threads=%d steps=%d\n", kb, th, steps);
      gather<<<b, t>>>(buf, kb * 256, steps, end_); CK(cudaDeviceSynchronize());
    }
    for (int mb : {1, 4, 16}) for (int t : {128, 1024}) { printf("same mb=%d threads=%d\n", mb, t); same<<<SMS, t>>>((const uint4*)buf, mb * MB / 16, end_); CK(cudaDeviceSynchronize()); }
    for (int k = 0; k < 3; k++) {
      for (int n : {256, 512}) { printf("naive %d\n", n); naive<<<n * n / 256, 256>>>((float*)buf, (float*)(buf + n * n), (float*)(buf + 2 * n * n), n); CK(cudaDeviceSynchronize());
        printf("tiled %d\n", n); tiled<<<n * n / 1024, 1024>>>((float*)buf, (float*)(buf + n * n), (float*)(buf + 2 * n * n), n); CK(cudaDeviceSynchronize()); }
      printf("nbody 2048\n"); nbody<<<8, 256>>>((float4*)buf, (float*)(buf + MB), 2048); CK(cudaDeviceSynchronize());
    }
  }
  return 0;
}
