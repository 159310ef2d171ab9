// Boxes of tensors by tensor maps, by inline PTX: a block brings a box of a matrix of f16 and of a vector to shared memory, adds the vector to each row, and
// stores the box; planes of bytes are copied by boxes of three dimensions.
// needs compute capability 9.0
// bug 1: race on func --race
// bug 2: missing barrier on func --race
// bug 3: livelock on func
// bug 4: misaligned on func
// bug 5: race on func --race
#include "check.h"
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_fp16.h>

const int WIDE = 64, HIGH = 8; // of a box: its rows have 128 bytes

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void init(unsigned long long *full) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(here(full)) : "memory"); }

__device__ void expect(unsigned long long *full, unsigned bytes) {
	asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;\n}" ::"r"(here(full)), "r"(bytes) : "memory"); // BUG 3
}

__device__ void wait(unsigned long long *full, unsigned parity) {
	unsigned done;
	do
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(here(full)), "r"(parity) : "memory"); // BUG 3
	while (!done);
}

__device__ void bring(void *to, const CUtensorMap *map, int x, unsigned long long *full) {
	asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(here(to)), "l"(map), "r"(x), "r"(here(full)) : "memory");
}
__device__ void bring(void *to, const CUtensorMap *map, int x, int y, unsigned long long *full) {
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(here(to)), "l"(map), "r"(x), "r"(y), "r"(here(full)) : "memory"); // BUG 4 5
}
__device__ void bring(void *to, const CUtensorMap *map, int x, int y, int z, unsigned long long *full) {
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(here(to)), "l"(map), "r"(x), "r"(y), "r"(z), "r"(here(full)) : "memory");
}

// Where an element lies in a box with a swizzle of 128 bytes.
__device__ int place(int row, int column) { return row * WIDE + ((column / 8 ^ row % 8) * 8 | column % 8); }

__global__ void add(const __grid_constant__ CUtensorMap matrix, const __grid_constant__ CUtensorMap vector, const __grid_constant__ CUtensorMap to) {
	__shared__ __align__(1024) __half tile[HIGH * WIDE];
	__shared__ __align__(128) float more[WIDE];
	__shared__ unsigned long long full;
	int x = blockIdx.x * WIDE, y = blockIdx.y * HIGH;
	if (threadIdx.x == 0) {
		asm volatile("prefetch.tensormap [%0];" ::"l"(&matrix) : "memory");
		init(&full);
		expect(&full, sizeof tile + sizeof more * (BUG == 3 ? 2 : 1));
		bring(tile, &matrix, x + (BUG == 4 ? 4 : 0), y, &full);
		bring(more, &vector, x, &full);
	}
	__syncthreads();
	if (BUG != 5)
		wait(&full, 0);
	for (int i = threadIdx.x; i < HIGH * WIDE; i += blockDim.x) {
		__half *h = &tile[place(i / WIDE, i % WIDE)];
		*h = __float2half(__half2float(*h) + more[i % WIDE]); // BUG 1 2 5
	}
	if (BUG != 1)
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	if (BUG != 2)
		__syncthreads();
	if (BUG == 5)
		wait(&full, 0);
	if (threadIdx.x == 0) {
		asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(x), "r"(y), "r"(here(tile)) : "memory"); // BUG 1 2
		asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
	}
}

__global__ void planes(const __grid_constant__ CUtensorMap from, unsigned char *out) {
	__shared__ __align__(128) unsigned char box[2 * 4 * 32];
	__shared__ unsigned long long full;
	if (threadIdx.x == 0) {
		init(&full);
		expect(&full, sizeof box);
		bring(box, &from, -16, 1, 2, &full); // half of it is outside
	}
	__syncthreads();
	wait(&full, 0);
	for (int i = threadIdx.x; i < (int)sizeof box; i += blockDim.x)
		out[i] = box[i];
}

PFN_cuTensorMapEncodeTiled encode;

CUtensorMap mapOf(CUtensorMapDataType type, int bytes, const void *p, std::vector<cuuint64_t> sizes, std::vector<cuuint64_t> pitches, std::vector<cuuint32_t> box, CUtensorMapSwizzle swizzle) {
	CUtensorMap map;
	std::vector<cuuint32_t> one(sizes.size(), 1);
	for (auto &pitch : pitches)
		pitch *= bytes;
	CHECK(encode(&map, type, sizes.size(), const_cast<void *>(p), sizes.data(), pitches.data(), box.data(), one.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
		CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
	return map;
}

int main() {
	cudaDriverEntryPointQueryResult found;
	void *function;
	TRY(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
	CHECK(found == cudaDriverEntryPointSuccess);
	encode = (PFN_cuTensorMapEncodeTiled)function;
	const int wide = 200, pitch = 208, high = 20; // boxes reach beyond both edges
	std::vector<__half> a(pitch * high);
	std::vector<float> v(wide);
	for (int i = 0; i < pitch * high; i++)
		a[i] = __float2half(i % 37);
	for (int i = 0; i < wide; i++)
		v[i] = i % 5;
	__half *da = upload(a), *to = upload(a);
	float *dv = upload(v);
	CUtensorMap matrix = mapOf(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, da, {wide, high}, {pitch}, {WIDE, HIGH}, CU_TENSOR_MAP_SWIZZLE_128B);
	CUtensorMap vector = mapOf(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, dv, {wide}, {}, {WIDE}, CU_TENSOR_MAP_SWIZZLE_NONE);
	CUtensorMap out = mapOf(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, to, {wide, high}, {pitch}, {WIDE, HIGH}, CU_TENSOR_MAP_SWIZZLE_128B);
	add<<<dim3((wide + WIDE - 1) / WIDE, (high + HIGH - 1) / HIGH), 96>>>(matrix, vector, out);
	WAIT();
	auto got = download(to, pitch * high);
	for (int i = 0; i < pitch * high; i++)
		CHECK(__half2float(got[i]) == __half2float(a[i]) + (i % pitch < wide ? v[i % pitch] : 0));
	std::vector<unsigned char> bytes(48 * 6 * 4);
	for (size_t i = 0; i < bytes.size(); i++)
		bytes[i] = i * 7 + 1;
	unsigned char *db = upload(bytes), *box;
	TRY(cudaMalloc(&box, 2 * 4 * 32));
	planes<<<1, 64>>>(mapOf(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, db, {48, 6, 3}, {48, 48 * 6}, {32, 4, 2}, CU_TENSOR_MAP_SWIZZLE_NONE), box);
	WAIT();
	auto seen = download(box, 2 * 4 * 32);
	for (int i = 0; i < 2 * 4 * 32; i++) {
		int x = i % 32 - 16, y = i / 32 % 4 + 1, z = i / 128 + 2;
		CHECK(seen[i] == (x >= 0 && z < 3 ? bytes[x + 48 * (y + 6 * z)] : 0));
	}
	puts("ok");
}
