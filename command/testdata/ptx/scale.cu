__global__ void scale(float *x, float *y, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] * by;
}

// Every thread adds one, and nothing orders them.
extern "C" __global__ void count(unsigned *total) {
  *total += 1;
}
