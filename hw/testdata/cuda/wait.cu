// What a plain CUDA program takes for a launch and the wait for its end beside the kernel, in us: in a tight loop, after it
// has copied 128 MiB to the GPU and waited for that, and after an empty launch behind the copy.
//   nvcc -O2 -arch=sm_90 -o wait wait.cu && ./wait > wait.csv
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// spin takes so many nanoseconds, and then stores a mark in the memory of the host.
__global__ void spin(volatile unsigned *flag, unsigned mark, long long ns) {
  long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  for (now = begin; now - begin < ns;) asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  if (threadIdx.x == 0 && blockIdx.x == 0) *flag = mark;
}

static double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int main() {
  const size_t bytes = 128 << 20, part = 4 << 20;
  const char *before[] = {"a tight loop", "128 MiB were copied", "128 MiB were copied, an empty launch"};
  unsigned *flag, mark = 0;
  char *pinned, *dev;
  cudaHostAlloc(&flag, 64, cudaHostAllocMapped);
  cudaHostAlloc(&pinned, part, 0);
  std::vector<char> host(bytes, 1);
  printf("before,memory,kernel_us,wait,times,min_us,first_quartile_us,median_us,third_quartile_us\n");
  for (int fresh = 0; fresh < 2; fresh++) // memory is allocated for each launch
    for (int cold = fresh; cold < 3; cold++)
      for (int poll = 0; poll < 2; poll++)
        for (long long ns : {1000LL, 200000LL}) {
          std::vector<double> us;
          if (!fresh) cudaMalloc(&dev, bytes);
          for (int i = 0; i < (cold ? 24 : 200); i++) {
            if (fresh) cudaMalloc(&dev, bytes);
            for (size_t at = 0; cold && at < bytes; at += part) {
              memcpy(pinned, &host[at], part);
              cudaMemcpy(dev + at, pinned, part, cudaMemcpyHostToDevice);
            }
            cudaDeviceSynchronize();
            if (cold == 2) spin<<<1, 32>>>(flag, 0, 0), cudaDeviceSynchronize();
            mark++;
            double start = now();
            spin<<<132, 1024>>>(flag, mark, ns);
            if (poll) while (*(volatile unsigned *)flag != mark) {}
            else cudaDeviceSynchronize();
            double end = now();
            cudaDeviceSynchronize();
            if (i > 3) us.push_back(end - start - ns / 1e3);
            if (fresh) cudaFree(dev);
          }
          std::sort(us.begin(), us.end());
          printf("\"%s\",%s,%lld,%s,%zu,%.2f,%.2f,%.2f,%.2f\n", before[cold], fresh ? "allocated each time" : "allocated once", ns / 1000, poll ? "polls" : "cudaDeviceSynchronize",
                 us.size(), us[0], us[us.size() / 4], us[us.size() / 2], us[us.size() * 3 / 4]);
          if (!fresh) cudaFree(dev);
        }
}
