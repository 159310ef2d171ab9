// What a GPU does with boxes of tensor maps at their edges: a box of 32 bytes by 4 rows of a tensor of 4 or 8-byte elements in rows of 512 bytes is copied to shared memory, or stored, at
// coordinates that are outside of the tensor or at no multiple of 16 bytes. Without arguments it starts itself for each case, since an error ends a context, and prints "what, bytes of
// an element, elements of a row of the tensor, rows, x, y, outcome". Bytes are compared with what follows if what is outside is zeros, or is not stored.
// nvcc -O3 -std=c++17 -arch=sm_90 -o boxes boxes.cu -lcuda && ./boxes > h200-boxes.csv
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <string>
#include <vector>
#define OK(x) do { int e = (int)(x); if (e) { printf("error %d\n", e); exit(1); } } while (0)
__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void k(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int bytes, int x, int y, int sx, int sy, char *seen, int mode) {
  __shared__ __align__(1024) char tile[16384];
  __shared__ unsigned long long bar;
  unsigned b = here(&bar), done = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.proxy.async.shared::cta;" ::"r"(b) : "memory");
    if (mode & 1) {
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" ::"r"(b), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(here(tile)), "l"(&in), "r"(x), "r"(y), "r"(b) : "memory");
    do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b) : "memory"); while (!done);
    }
    for (int i = 0; i < bytes; i++) seen[i] = tile[i];
    for (int i = 0; i < bytes; i++) tile[i] = 100 + i % 101;
    if (mode & 2) asm volatile("fence.proxy.async.shared::cta;\ncp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&out), "r"(sx), "r"(sy), "r"(here(tile)) : "memory");
  }
}
int main(int n, char **v) {
  if (n == 1) {
    printf("what,element,wide,high,x,y,outcome\n");
    fflush(stdout);
    for (int mode : {1, 2})
      for (int elem : {4, 8})
        for (int wide : {24, 26, 27})
          for (int x : {0, 1, 2, 4, -1, -2, -4, -8, 16, 20, 24, 28})
            for (int y : {0, -1, -4, 18, 20, 25}) {
              if (y && x != 0 && x != -4 && x != 20) continue;
              char args[200];
              int w = wide * 4 / elem, at = x * 4 / elem;
              if (elem == 8 && (x % 2 || wide == 27)) continue;
              snprintf(args, sizeof args, " %d %d 20 %d 4 %d %d %d %d %d", elem, w, 32 / elem, at, y, at, y, mode);
              printf("%s,%d,%d,20,%d,%d,", mode == 1 ? "copy" : "store", elem, w, at, y);
              fflush(stdout);
              if (system((v[0] + std::string(args)).c_str()) < 0) return 1;
            }
    return 0;
  }
  int elem = atoi(v[1]), W = atoi(v[2]), H = atoi(v[3]), w = atoi(v[4]), h = atoi(v[5]), x = atoi(v[6]), y = atoi(v[7]), sx = atoi(v[8]), sy = atoi(v[9]), mode = atoi(v[10]);
  int pitch = 512; // bytes
  int type = elem == 1 ? 0 : elem == 2 ? 1 : elem == 4 ? 2 : 4;
  std::vector<unsigned char> a(pitch * 64), o(pitch * 64, 7), seen(w * h * elem), want(w * h * elem), wo(pitch * 64, 7);
  for (size_t i = 0; i < a.size(); i++) a[i] = i % 97 + 1;
  char *da, *dout, *ds;
  OK(cudaMalloc(&da, a.size())); OK(cudaMalloc(&dout, o.size())); OK(cudaMalloc(&ds, seen.size()));
  OK(cudaMemcpy(da, a.data(), a.size(), cudaMemcpyHostToDevice)); OK(cudaMemcpy(dout, o.data(), o.size(), cudaMemcpyHostToDevice));
  CUtensorMap in, out;
  cuuint64_t size[] = {(cuuint64_t)W, (cuuint64_t)H}, p[] = {(cuuint64_t)pitch};
  cuuint32_t dims[] = {(cuuint32_t)w, (cuuint32_t)h}, step[] = {1, 1};
  OK(cuTensorMapEncodeTiled(&in, (CUtensorMapDataType)type, 2, da, size, p, dims, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  OK(cuTensorMapEncodeTiled(&out, (CUtensorMapDataType)type, 2, dout, size, p, dims, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  k<<<1, 32>>>(in, out, w * h * elem, x, y, sx, sy, ds, mode);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(seen.data(), ds, seen.size(), cudaMemcpyDeviceToHost)); OK(cudaMemcpy(o.data(), dout, o.size(), cudaMemcpyDeviceToHost));
  int badload = 0, more = 0, less = 0, firstmore = -1, firstless = -1;
  for (int r = 0; r < h; r++) for (int c = 0; c < w * elem; c++) {
    int gx = x * elem + c, gy = y + r;
    bool inside = gx >= 0 && gx < W * elem && gy >= 0 && gy < H;
    if (seen[r * w * elem + c] != (inside ? a[gy * pitch + gx] : 0)) badload++;
    int ox = sx * elem + c, oy = sy + r;
    if (ox >= 0 && ox < W * elem && oy >= 0 && oy < H) wo[oy * pitch + ox] = 100 + (r * w * elem + c) % 101;
  }
  for (int i = 0; i < (int)o.size(); i++) if (o[i] != wo[i]) {
    if (wo[i] == 7) { more++; if (firstmore < 0) firstmore = i % pitch; } else { less++; if (firstless < 0) firstless = i % pitch; }
  }
  if (mode == 1) printf(badload ? "%d bytes are wrong\n" : "as expected\n", badload);
  else if (less) printf("%d bytes are wrong\n", less);
  else printf(more ? "%d bytes too many, the first behind byte %d of a row\n" : "as expected\n", more, firstmore);
}
