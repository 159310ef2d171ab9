// Hand-written CUDA C versions of the kernels of package kernels, as an
// experienced CUDA programmer would write them, with which our kernels are
// compared. Parameters are in the order in which the compiler flattens those of
// our kernels (a slice is a pointer and a 64-bit length), so that the same host
// loop drives both.
//
//   nvcc -O3 -arch=sm_90 -cubin -o byhand.cubin byhand.cu

typedef unsigned u32;
typedef long long len;

#define ALL 0xffffffffu
#define GRAPH                                                                  \
  const u32 *__restrict__ row, len nRow, const u32 *__restrict__ col,          \
      len nCol, const u32 *__restrict__ weight, len nWeight
#define QUEUE u32 *outV, len nOutV, u32 *outCount, u32 *stamp, len nStamp, u32 iteration
#define FRONTIER const u32 *__restrict__ in, len nIn, u32 count, u32 phase

static __device__ __forceinline__ u32 relaxed(const u32 *p) {
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

// BFS, one warp per vertex.
extern "C" __global__ void bfs_warp(GRAPH, u32 *level, len nLevel, FRONTIER, QUEUE) {
  u32 lane = threadIdx.x & 31;
  u32 warps = gridDim.x * blockDim.x / 32;
  for (u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < count; i += warps) {
    u32 u = in[i];
    u32 begin = row[u], end = row[u + 1];
    u32 src = relaxed(&level[u]);
    u32 next = (src < ALL - 1 ? src : ALL - 1) + 1;
    for (u32 e = begin + lane; e < end; e += 32) {
      u32 v = col[e];
      u32 old = relaxed(&level[v]);
      if (old > next)
        old = atomicMin(&level[v], next);
      if (next < old)
        outV[atomicAdd(outCount, 1)] = v;
    }
  }
}

// BFS with a block-private queue, one thread per vertex.
extern "C" __global__ void bfs_block_queue(GRAPH, u32 *level, len nLevel, FRONTIER, QUEUE) {
  __shared__ u32 queue[1024];
  __shared__ u32 found, base;
  if (threadIdx.x == 0)
    found = 0;
  __syncthreads();
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    u32 u = in[i];
    u32 src = relaxed(&level[u]);
    u32 next = (src < ALL - 1 ? src : ALL - 1) + 1;
    for (u32 e = row[u]; e < row[u + 1]; e++) {
      u32 v = col[e];
      u32 old = relaxed(&level[v]);
      if (old > next)
        old = atomicMin(&level[v], next);
      if (next < old) {
        u32 slot = atomicAdd_block(&found, 1);
        if (slot < 1024)
          queue[slot] = v;
        else
          outV[atomicAdd(outCount, 1)] = v;
      }
    }
  }
  __syncthreads();
  u32 n = found < 1024 ? found : 1024;
  if (threadIdx.x == 0 && n > 0)
    base = atomicAdd(outCount, n);
  __syncthreads();
  for (u32 i = threadIdx.x; i < n; i += blockDim.x)
    outV[base + i] = queue[i];
}

// PageRank by pulling, one warp per vertex.
extern "C" __global__ void pagerank_pull_warp(float *rank, len nRank, float damping, float epsilon, float tolerance, GRAPH,
                                              const u32 *__restrict__ outRow, len nOutRow, const float *__restrict__ values,
                                              len nValues, float *next, len nNext, u32 *changed) {
  u32 lane = threadIdx.x & 31;
  u32 warps = gridDim.x * blockDim.x / 32;
  u32 vertices = (u32)nRow - 1;
  u32 moved = 0;
  for (u32 id = (blockIdx.x * blockDim.x + threadIdx.x) / 32; id < vertices; id += warps) {
    float sum = 0;
    u32 end = row[id + 1];
    for (u32 e = row[id] + lane; e < end; e += 32)
      sum += values[col[e]];
    for (int d = 16; d > 0; d /= 2)
      sum += __shfl_xor_sync(ALL, sum, d);
    if (lane == 0) {
      u32 degree = outRow[id + 1] - outRow[id];
      float r = __fadd_rn(1 - damping, __fmul_rn(damping, sum));
      if (fabsf(r - rank[id]) > epsilon)
        moved++;
      rank[id] = r;
      next[id] = __fdiv_rn(r, (float)(degree > 1 ? degree : 1));
    }
  }
  if (moved > 0)
    atomicAdd(changed, moved);
}

// Connected components, one warp per vertex.
extern "C" __global__ void cc_warp(GRAPH, u32 *label, len nLabel, FRONTIER, QUEUE) {
  u32 lane = threadIdx.x & 31;
  u32 warps = gridDim.x * blockDim.x / 32;
  for (u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < count; i += warps) {
    u32 u = in[i];
    u32 begin = row[u], end = row[u + 1];
    u32 src = relaxed(&label[u]);
    for (u32 e = begin + lane; e < end; e += 32) {
      u32 v = col[e];
      u32 old = relaxed(&label[v]);
      if (old > src)
        old = atomicMin(&label[v], src);
      if (src < old && relaxed(&stamp[v]) != iteration && atomicExch(&stamp[v], iteration) != iteration)
        outV[atomicAdd(outCount, 1)] = v;
    }
  }
}
