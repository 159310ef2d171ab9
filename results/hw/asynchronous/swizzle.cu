// Where the words of a tile of 4,096 bytes lie in shared memory after a copy by a tensor map, with swizzles of 32, 64 and 128 bytes: the hardware's answer to what
// gpu.Swizzle32, Swizzle64 and Swizzle128 compute. A row of a tile has as many bytes as the swizzle. Prints "swizzle,offset,place" for each 16 bytes of the tile, and
// stops if the four words of such a chunk are apart. nvcc -arch=sm_90 swizzle.cu -lcuda
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

#define TRY(x) do { int e = (int)(x); if (e) { fprintf(stderr, "%s: error %d\n", #x, e); exit(1); } } while (0)

const int words = 1024;

__global__ void copy(const __grid_constant__ CUtensorMap map, unsigned *out) {
	__shared__ alignas(1024) unsigned tile[words];
	__shared__ alignas(8) unsigned long long barrier;
	unsigned b = __cvta_generic_to_shared(&barrier);
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b) : "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(b), "r"(4 * words) : "memory");
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
			:: "r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&map), "r"(0), "r"(0), "r"(b) : "memory");
	}
	__syncthreads();
	for (unsigned done = 0; !done;)
		asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b) : "memory");
	for (int i = threadIdx.x; i < words; i += blockDim.x)
		out[i] = tile[i];
}

int main() {
	unsigned *in, *out, host[words];
	TRY(cudaMalloc(&in, sizeof host));
	TRY(cudaMalloc(&out, sizeof host));
	for (int i = 0; i < words; i++)
		host[i] = i;
	TRY(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
	struct { int bytes; CUtensorMapSwizzle mode; } swizzles[] = {
		{32, CU_TENSOR_MAP_SWIZZLE_32B}, {64, CU_TENSOR_MAP_SWIZZLE_64B}, {128, CU_TENSOR_MAP_SWIZZLE_128B}};
	printf("swizzle,offset,place\n");
	for (auto s : swizzles) {
		CUtensorMap map;
		cuuint64_t size[] = {(cuuint64_t)s.bytes / 4, 4096ull / s.bytes}, pitch[] = {(cuuint64_t)s.bytes};
		cuuint32_t box[] = {(cuuint32_t)size[0], (cuuint32_t)size[1]}, step[] = {1, 1};
		TRY(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, in, size, pitch, box, step,
			CU_TENSOR_MAP_INTERLEAVE_NONE, s.mode, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
		copy<<<1, 128>>>(map, out);
		TRY(cudaDeviceSynchronize());
		TRY(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
		int place[words];
		for (int i = 0; i < words; i++)
			place[host[i]] = 4 * i;
		for (int i = 0; i < words; i += 4) {
			for (int k = 1; k < 4; k++)
				if (place[i + k] != place[i] + 4 * k) {
					fprintf(stderr, "swizzle %d: the words of bytes %d are apart\n", s.bytes, 4 * i);
					return 1;
				}
			printf("%d,%d,%d\n", s.bytes, 4 * i, place[i]);
		}
	}
}
