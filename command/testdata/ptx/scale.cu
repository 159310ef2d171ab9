__global__ void scale(float *x, float *y, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] * by;
}

// Every thread adds one, and nothing orders them.
extern "C" __global__ void count(unsigned *total) {
  *total += 1;
}

// A lock that each thread takes: a machine without independent lanes hangs.
extern "C" __global__ void lock(int *l) {
  while (atomicCAS(l, 0, 1) != 0) {}
  atomicExch(l, 0);
}
