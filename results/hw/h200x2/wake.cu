// What the first accesses of a kernel to the memory of another GPU take: after some idle time, in memory that was just allocated or that was used before.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <unistd.h>
#include <time.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
const int LOADS = 8;
// Each block takes LOADS loads one after another, a page of 2 MB apart from each other and from those of other blocks, or all in one page.
__global__ void loads(const volatile int *there, size_t stride, long long *cycles) {
  const volatile int *at = there + (size_t)blockIdx.x * LOADS * stride;
  for (int i = 0; i < LOADS; i++) {
    long long t = clock64();
    int x = at[i * stride];
    asm volatile("" :: "r"(x) : "memory");
    long long e = clock64();
    cycles[blockIdx.x * LOADS + i] = e - t + (x == 12345);
  }
}
__global__ void stores(volatile int *there, size_t stride, long long *cycles) {
  volatile int *at = there + (size_t)blockIdx.x * LOADS * stride;
  for (int i = 0; i < LOADS; i++) {
    long long t = clock64();
    at[i * stride] = i;
    __threadfence_system();
    cycles[blockIdx.x * LOADS + i] = clock64() - t;
  }
}
__global__ void touch(int *own, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) own[i] = 1; }
static void idle(double us) { timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); do clock_gettime(CLOCK_MONOTONIC, &b); while ((b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) / 1e3 < us); }
int main() {
  CHECK(cudaSetDevice(1)); CHECK(cudaFree(0)); CHECK(cudaSetDevice(0)); CHECK(cudaFree(0)); CHECK(cudaDeviceEnablePeerAccess(1, 0));
  CHECK(cudaSetDevice(1)); CHECK(cudaDeviceEnablePeerAccess(0, 0));
  const int most = 132; const size_t page = 1 << 19; // ints in 2 MB
  size_t n = (size_t)most * LOADS * page;
  long long *cycles; CHECK(cudaSetDevice(0)); CHECK(cudaMallocManaged(&cycles, most * LOADS * 8)); CHECK(cudaMemset(cycles, 0, most * LOADS * 8)); CHECK(cudaDeviceSynchronize());
  printf("what,memory,idle_us,blocks,stride_bytes,first_of_block0,second,third,last,first_median,first_max,second_median,last_median\n");
  for (int kind = 0; kind < 2; kind++) for (int fresh = 0; fresh < 2; fresh++) for (double gap : {0.0, 30.0, 100.0, 300.0, 1e3, 1e4, 1e5}) for (int blocks : {1, 132}) for (size_t stride : {(size_t)1024, page}) for (int repeat = 0; repeat < 2; repeat++) {
    static int *there = nullptr;
    if (fresh || !there) {
      CHECK(cudaSetDevice(1)); if (there) CHECK(cudaFree(there));
      CHECK(cudaMalloc(&there, n * 4)); touch<<<264, 256>>>(there, n); CHECK(cudaDeviceSynchronize()); CHECK(cudaSetDevice(0));
    } else { // the same memory has been reached just before
      loads<<<blocks, 1>>>(there, stride, cycles); CHECK(cudaDeviceSynchronize());
    }
    idle(gap);
    if (kind == 0) loads<<<blocks, 1>>>(there, stride, cycles); else stores<<<blocks, 1>>>(there, stride, cycles);
    CHECK(cudaDeviceSynchronize());
    std::vector<long long> f, s, l;
    for (int b = 0; b < blocks; b++) { f.push_back(cycles[b * LOADS]); s.push_back(cycles[b * LOADS + 1]); l.push_back(cycles[b * LOADS + LOADS - 1]); }
    std::sort(f.begin(), f.end()); std::sort(s.begin(), s.end()); std::sort(l.begin(), l.end());
    printf("%s,%s,%g,%d,%zu,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld\n", kind ? "store and fence" : "load", fresh ? "new" : "used", gap, blocks, stride * 4, cycles[0], cycles[1], cycles[2], cycles[LOADS - 1], f[blocks / 2], f[blocks - 1], s[blocks / 2], l[blocks / 2]);
    fflush(stdout);
  }
}
