// How fast SMs get bytes from the L2 by where they are: one SM, both of a TPC, so many TPCs of a GPC, of so many GPCs, and all. Each SM that takes part loads 128 times 16 KiB, by copies in bulk of which
// four are under way, or by 32 warps that load 16 bytes a lane past L1. What it loads is its own, or the same for all SMs of a TPC, of a GPC, or of the GPU: 64 KiB, over and over. Which SMs are of one GPC
// is found by launches of clusters. First a line for each SM: "sm", its number, and its GPC. Then a line for each set of SMs: how, what is shared, GPCs, TPCs of each, SMs of each TPC, and the bytes that an
// SM gets in a cycle, in the mean; in the launch of five in which the slowest was quickest.
// nvcc -O3 -std=c++17 -arch=sm_90 -o spread spread.cu
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <numeric>
#include <vector>

#define OK(x) do { int e = (int)(x); if (e) { printf("error,%s,%d\n", #x, e); exit(1); } } while (0)

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned special_sm() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }

__global__ void where(unsigned *sm) { if (threadIdx.x == 0) sm[blockIdx.x] = special_sm(); }

constexpr int SMS = 160, STAGES = 4, BOXES = 128;
constexpr unsigned BYTES = 16384;

// tile[sm] is what an SM loads, or -1 if it takes no part.
__global__ void copies(const char *data, const int *tile, long long *out) {
  extern __shared__ __align__(1024) char to[];
  unsigned long long *bar = (unsigned long long *)(to + STAGES * BYTES);
  unsigned sm = special_sm();
  int mine = tile[sm];
  if (threadIdx.x || mine < 0) return;
  for (int s = 0; s < STAGES; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(here(&bar[s])) : "memory");
  const char *from = data + (size_t)mine * STAGES * BYTES;
  auto ask = [&](int s) {
    unsigned b = here(&bar[s]);
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" ::"r"(b), "r"(BYTES) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(here(to) + s * BYTES), "l"(from + s * BYTES), "r"(BYTES), "r"(b) : "memory");
  };
  long long begin = clock64();
#pragma unroll
  for (int s = 0; s < STAGES; s++) ask(s);
  for (int round = 0; round < BOXES / STAGES; round++) {
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
      unsigned done;
      do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(here(&bar[s])), "r"(round & 1) : "memory"); while (!done);
      if (round + 1 < BOXES / STAGES) ask(s);
    }
  }
  out[sm] = clock64() - begin;
}

__global__ void __launch_bounds__(1024) loads(const char *data, const int *tile, unsigned zero, long long *out, unsigned *sink) {
  unsigned sm = special_sm(), sum = 0;
  int mine = tile[sm];
  if (mine < 0) return;
  const char *from = data + (size_t)mine * STAGES * BYTES + threadIdx.x * 16;
  __syncthreads();
  long long begin = clock64();
  for (unsigned i = 0; i < BOXES; i += STAGES) {
    uint4 got[STAGES];
#pragma unroll
    for (int k = 0; k < STAGES; k++)
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(got[k].x), "=r"(got[k].y), "=r"(got[k].z), "=r"(got[k].w) : "l"(from + k * BYTES));
#pragma unroll
    for (int k = 0; k < STAGES; k++) sum += got[k].x + got[k].y + got[k].z + got[k].w;
    from += sum & zero; // the next ones wait for these; `zero` is 0, which no compiler knows
  }
  __syncthreads();
  if (threadIdx.x == 0) out[sm] = clock64() - begin;
  sink[sm * 1024 + threadIdx.x] = sum;
}

// gpcs joins SMs that were in one cluster.
static std::vector<std::vector<unsigned>> gpcs(int sms) {
  std::vector<int> of(SMS);
  std::iota(of.begin(), of.end(), 0);
  auto root = [&](int s) { while (of[s] != s) s = of[s]; return s; };
  unsigned *sm;
  OK(cudaMallocManaged(&sm, 4096 * 4));
  OK(cudaFuncSetAttribute(where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  OK(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int size : {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16})
    for (int again = 0; again < 6; again++) {
      cudaLaunchConfig_t config = {};
      config.gridDim = dim3(size * (sms / size + again)), config.blockDim = dim3(32), config.dynamicSmemBytes = 200 << 10;
      cudaLaunchAttribute attribute;
      attribute.id = cudaLaunchAttributeClusterDimension, attribute.val.clusterDim = {(unsigned)size, 1, 1};
      config.attrs = &attribute, config.numAttrs = 1;
      if (cudaLaunchKernelEx(&config, where, sm) != cudaSuccess) { cudaGetLastError(); continue; }
      OK(cudaDeviceSynchronize());
      for (unsigned b = 0; b < config.gridDim.x; b++) of[root(sm[b])] = root(sm[b / size * size]);
    }
  std::map<int, std::vector<unsigned>> by;
  for (int s = 0; s < sms; s++) by[root(s)].push_back(s);
  // A GPC has 14 or more SMs. Smaller groups are parts of one GPC that no cluster spans: when they have their bytes at the same time, they share one limit.
  std::vector<std::vector<unsigned>> out;
  std::vector<unsigned> rest;
  for (auto &e : by)
    if (e.second.size() < 10) rest.insert(rest.end(), e.second.begin(), e.second.end());
    else out.push_back(e.second);
  if (!rest.empty()) out.push_back(rest);
  std::sort(out.begin(), out.end(), [](auto &a, auto &b) { return a.size() > b.size() || a.size() == b.size() && a[0] < b[0]; });
  return out;
}

int main(int argc, char **argv) {
  char *data;
  int *tile, sms;
  long long *out;
  unsigned *sink;
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  OK(cudaMalloc(&data, (size_t)SMS * STAGES * BYTES));
  OK(cudaMemset(data, 0, (size_t)SMS * STAGES * BYTES));
  OK(cudaMallocManaged(&tile, SMS * 4));
  OK(cudaMallocManaged(&out, SMS * 8));
  OK(cudaMalloc(&sink, SMS * 1024 * 4));
  OK(cudaFuncSetAttribute(copies, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  auto groups = gpcs(sms);
  for (size_t g = 0; g < groups.size(); g++)
    for (unsigned s : groups[g]) printf("sm,%u,%zu\n", s, g);
  int launches = argc > 1 ? atoi(argv[1]) : 6, all = groups.size();
  for (int how : {0, 1})
    for (int what : {0, 1, 2, 3})
      for (int g : {1, 2, 4, all})
        for (int t : {1, 2, 3, 4, 6, 8, 9})
          for (int s : {1, 2}) {
            if (what == 1 && s == 1 || what == 2 && s * t < 2 || what == 3 && g == 1 || argc > 2 && how != atoi(argv[2]) || argc > 3 && what != atoi(argv[3])) continue;
            std::vector<unsigned> active;
            for (int i = 0; i < SMS; i++) tile[i] = -1;
            for (int i = 0; i < g; i++)
              for (unsigned sm : groups[i]) {
                int tpc = (std::find(groups[i].begin(), groups[i].end(), sm) - groups[i].begin()) / 2;
                if (tpc >= t || (int)(sm & 1) >= s) continue;
                active.push_back(sm);
                tile[sm] = what == 0 ? (int)sm : what == 1 ? (int)(sm & ~1u) : what == 2 ? i : 0;
              }
            std::vector<double> best;
            for (int i = 0; i < launches; i++) {
              if (how == 0) copies<<<sms, 32, 200 << 10>>>(data, tile, out);
              else loads<<<sms, 1024, 0>>>(data, tile, 0, out, sink);
              OK(cudaDeviceSynchronize());
              std::vector<double> rates;
              for (unsigned sm : active) rates.push_back((double)BOXES * BYTES / out[sm]);
              std::sort(rates.begin(), rates.end());
              if (i > 0 && (best.empty() || rates[0] > best[0])) best = rates;
            }
            double sum = std::accumulate(best.begin(), best.end(), 0.0);
            static const char *hows[] = {"copies in bulk", "loads past L1"}, *whats[] = {"own", "a TPC the same", "a GPC the same", "all the same"};
            printf("%s,%s,%d,%d,%d,%.1f\n", hows[how], whats[what], g, t, s, sum / best.size());
            fflush(stdout);
          }
}
