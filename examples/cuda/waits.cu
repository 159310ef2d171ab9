// The first thread waits for a flag that nobody sets, and the others wait for the first thread:
//
//	weft cuda build examples/cuda/waits.cu -o waits
//	weft cuda run --device func ./waits
#include <cstdio>

__device__ volatile int flag;

__global__ void waits() {
  if (threadIdx.x == 0)
    while (flag == 0) {
    }
  __syncthreads();
}

int main() {
  printf("before\n");
  waits<<<1, 64>>>();
  cudaDeviceSynchronize();
  printf("after\n");
}
