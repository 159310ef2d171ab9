// The kernels of twins.go in CUDA C++. Their PTX, twins.ptx, is what clang-19 makes of them:
//
//	go test ./internal/testing/cudatest/twins -run TestPTX -update
#include <cuda/atomic>

#define GLOBAL (blockIdx.x * blockDim.x + threadIdx.x)
#define STRIDE (gridDim.x * blockDim.x)

extern "C" __global__ void Axpy(float a, const float *x, float *y, unsigned n) {
	for (unsigned i = GLOBAL; i < n; i += STRIDE)
		y[i] = fmaf(a, x[i], y[i]);
}

extern "C" __global__ void Dot(const float *x, const float *y, float *sum, unsigned n) {
	float part = 0;
	for (unsigned i = GLOBAL; i < n; i += STRIDE)
		part = fmaf(x[i], y[i], part);
	for (unsigned d = 16; d > 0; d /= 2)
		part += __shfl_down_sync(~0u, part, d);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, part);
}

extern "C" __global__ void Reduce(const unsigned *in, unsigned *out) {
	__shared__ unsigned s[256];
	unsigned i = threadIdx.x;
	s[i] = in[blockIdx.x * 256 + i];
	__syncthreads();
	for (unsigned d = 128; d > 0; d /= 2) {
		if (i < d)
			s[i] += s[i + d];
		__syncthreads();
	}
	if (i == 0)
		out[blockIdx.x] = s[0];
}

extern "C" __global__ void Histogram(const unsigned *in, unsigned *out, unsigned n) {
	__shared__ unsigned bins[256];
	bins[threadIdx.x] = 0;
	__syncthreads();
	for (unsigned i = GLOBAL; i < n; i += STRIDE)
		atomicAdd_block(&bins[in[i] & 255], 1);
	__syncthreads();
	atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void Step(const unsigned *row, const unsigned *col, unsigned *level, unsigned depth, unsigned *changed, unsigned n) {
	for (unsigned u = GLOBAL; u < n; u += STRIDE) {
		if (cuda::atomic_ref<unsigned, cuda::thread_scope_device>(level[u]).load(cuda::memory_order_relaxed) != depth)
			continue;
		for (unsigned e = row[u]; e < row[u + 1]; e++)
			if (atomicCAS(&level[col[e]], ~0u, depth + 1) == ~0u)
				cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*changed).store(1, cuda::memory_order_relaxed);
	}
}

extern "C" __global__ void Product(const float *a, const float *b, float *c, unsigned n) {
	__shared__ float left[16 * 16], right[16 * 16];
	unsigned column = threadIdx.x, row = threadIdx.y, x = blockIdx.x * 16 + column, y = blockIdx.y * 16 + row;
	float sum = 0;
	for (unsigned k = 0; k < n; k += 16) {
		left[row * 16 + column] = a[y * n + k + column];
		right[row * 16 + column] = b[(k + row) * n + x];
		__syncthreads();
		for (unsigned j = 0; j < 16; j++)
			sum = fmaf(left[row * 16 + j], right[j * 16 + column], sum);
		__syncthreads();
	}
	c[y * n + x] = sum;
}

extern "C" __global__ void Rank(const unsigned *row, const unsigned *col, const float *share, float *rank, unsigned n) {
	for (unsigned u = GLOBAL; u < n; u += STRIDE) {
		float sum = 0;
		unsigned end = row[u + 1];
		for (unsigned e = row[u]; e < end; e++)
			sum += share[col[e]];
		rank[u] = fmaf(0.85f, sum, 0.15f);
	}
}

extern "C" __global__ void Scan(unsigned *data) {
	__shared__ unsigned s[256];
	unsigned i = threadIdx.x;
	s[i] = data[blockIdx.x * 256 + i];
	__syncthreads();
	for (unsigned d = 1; d < 256; d *= 2) {
		unsigned add = 0;
		if (i >= d)
			add = s[i - d];
		__syncthreads();
		s[i] += add;
		__syncthreads();
	}
	data[blockIdx.x * 256 + i] = s[i];
}

extern "C" __global__ void Transpose(const float *in, float *out, unsigned n) {
	__shared__ float tile[32 * 33];
	unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
	for (unsigned j = 0; j < 32; j += 8)
		tile[(threadIdx.y + j) * 33 + threadIdx.x] = in[(y + j) * n + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
	for (unsigned j = 0; j < 32; j += 8)
		out[(y + j) * n + x] = tile[threadIdx.x * 33 + threadIdx.y + j];
}

extern "C" __global__ void Mix(unsigned *out) {
	unsigned x = GLOBAL + 1;
	for (int i = 0; i < 256; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
	}
	out[GLOBAL] = x;
}
