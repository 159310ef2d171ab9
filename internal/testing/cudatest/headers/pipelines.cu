// Copies to shared memory by <cuda_pipeline.h>, cooperative groups, cuda::barrier and cuda::pipeline: tiles that are doubled and turned around, from a ring of stages.
// -DNO_WAIT, -DNO_RELEASE and -DNO_COMMIT leave out what orders them; with -DNO_DROP and -DNO_QUIT threads leave and are waited for.
#include "../programs/check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <utility>
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#include <cuda/pipeline>
#endif
namespace cg = cooperative_groups;
const int N = 1024, T = 128, S = 3;

__global__ void primitives(const int *in, int *out) {
	__shared__ int a[2][T];
	int tiles = N / T;
	__pipeline_memcpy_async(&a[0][threadIdx.x], &in[threadIdx.x], 4);
	__pipeline_commit();
	for (int i = 0; i < tiles; i++) {
		if (i + 1 < tiles)
			__pipeline_memcpy_async(&a[(i + 1) % 2][threadIdx.x], &in[(i + 1) * T + threadIdx.x], 4);
		__pipeline_commit();
#ifndef NO_WAIT
		__pipeline_wait_prior(1);
#endif
		__syncthreads();
		out[i * T + threadIdx.x] = a[i % 2][T - 1 - threadIdx.x] * 2;
		__syncthreads();
	}
}

// Of 16 bytes, 4, 8 or 12 are copied, and the others become zero.
__global__ void filled(const int *in, int *out) {
	__shared__ __align__(16) int a[T][4];
	unsigned have = 1 + threadIdx.x % 3;
	for (int i = 0; i < N / T; i++) {
		__pipeline_memcpy_async(a[threadIdx.x], &in[(i * T + threadIdx.x) / 4 * 4], 16, 16 - 4 * have);
		__pipeline_commit();
		__pipeline_wait_prior(0);
		int *v = a[threadIdx.x], wrong = 0;
		for (unsigned k = 0; k < 4; k++)
			wrong |= v[k] != (k < have ? in[(i * T + threadIdx.x) / 4 * 4 + k] : 0);
		out[i * T + threadIdx.x] = wrong ? 0 : 2 * in[i * T + T - 1 - threadIdx.x];
	}
}

__global__ void groups(const int *in, int *out) {
	__shared__ __align__(16) int a[T];
	auto block = cg::this_thread_block();
	for (int i = 0; i < N / T; i++) {
		cg::memcpy_async(block, a, in + i * T, sizeof(int) * T);
		cg::wait(block);
		out[i * T + threadIdx.x] = a[T - 1 - threadIdx.x] * 2;
		block.sync();
	}
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void barriers(const int *in, int *out) {
	__shared__ __align__(16) int a[T];
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	auto block = cg::this_thread_block();
	if (block.thread_rank() == 0)
		init(&barrier, block.size());
	block.sync();
	for (int i = 0; i < N / T; i++) {
		cuda::memcpy_async(block, a, in + i * T, cuda::aligned_size_t<16>(sizeof(int) * T), barrier);
		barrier.arrive_and_wait();
		out[i * T + threadIdx.x] = a[T - 1 - threadIdx.x] * 2;
		barrier.arrive_and_wait();
	}
}

// Each thread brings and uses.
__global__ void pipelines(const int *in, int *out) {
	__shared__ __align__(16) int a[S][T];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> state;
	auto block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	int tiles = N / T;
	for (int i = 0, next = 0; i < tiles; i++) {
		for (; next < tiles && next < i + S; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, a[next % S], in + next * T, sizeof(int) * T, pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		out[i * T + threadIdx.x] = a[i % S][T - 1 - threadIdx.x] * 2;
#ifndef NO_RELEASE
		pipe.consumer_release();
#endif
	}
}

// A warp brings, three use; the second time the number of producers says so.
template <bool counted> __global__ void roles(const int *in, int *out) {
	__shared__ __align__(16) int a[S][T];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> state;
	auto block = cg::this_thread_block();
	bool producer = threadIdx.x < 32;
	auto pipe = counted ? cuda::make_pipeline(block, &state, 32) : cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
	auto warp = cg::tiled_partition<32>(block);
	for (int i = 0; i < N / T; i++) {
		if (producer) {
			pipe.producer_acquire();
			cuda::memcpy_async(warp, a[i % S], in + i * T, sizeof(int) * T, pipe);
			pipe.producer_commit();
		} else {
			pipe.consumer_wait();
			for (int k = threadIdx.x - 32; k < T; k += T - 32)
				out[i * T + k] = a[i % S][T - 1 - k] * 2;
			pipe.consumer_release();
		}
	}
	pipe.quit();
}

// A warp leaves after every second tile; the others bring and use what is left.
__global__ void drops(const int *in, int *out) {
	__shared__ int a[T];
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	if (threadIdx.x == 0)
		init(&barrier, T);
	__syncthreads();
	for (int i = 0; i < N / T; i++) {
		int gone = 32 * (i / 2);
		for (int k = threadIdx.x - gone; k < T; k += T - gone)
			a[k] = in[i * T + k];
		barrier.arrive_and_wait();
		for (int k = threadIdx.x - gone; k < T; k += T - gone)
			out[i * T + k] = a[T - 1 - k] * 2;
		if (i % 2 && threadIdx.x / 32 == i / 2) {
#ifndef NO_DROP
			barrier.arrive_and_drop();
#endif
			return;
		}
		barrier.arrive_and_wait();
	}
}

// The same with stages; the last thread that quits writes the last number.
__global__ void quits(const int *in, int *out) {
	__shared__ int a[S][T];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> state;
	auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
	for (int i = 0; i < N / T; i++) {
		int gone = 32 * (i / 2);
		pipe.producer_acquire();
		for (int k = threadIdx.x - gone; k < T; k += T - gone)
			cuda::memcpy_async(&a[i % S][k], &in[i * T + k], sizeof(int), pipe);
		pipe.producer_commit();
		pipe.consumer_wait();
		for (int k = threadIdx.x - gone; k < T; k += T - gone)
			if (i * T + k != N - 1)
				out[i * T + k] = a[i % S][T - 1 - k] * 2;
		int first = a[i % S][0];
		pipe.consumer_release();
		if (i % 2 && threadIdx.x / 32 == i / 2) {
#ifndef NO_QUIT
			if (pipe.quit())
				out[N - 1] = 2 * first;
#endif
			return;
		}
	}
}

// The pipeline of a thread: groups of its copies.
__global__ void alone(const int *in, int *out) {
	__shared__ int a[2][T];
	auto pipe = cuda::make_pipeline();
	int tiles = N / T;
	for (int i = 0, next = 0; i < tiles; i++) {
		for (; next < tiles && next < i + 2; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(&a[next % 2][threadIdx.x], &in[next * T + threadIdx.x], sizeof(int), pipe);
#ifndef NO_COMMIT
			pipe.producer_commit();
#endif
		}
		pipe.consumer_wait();
		__syncthreads();
		out[i * T + threadIdx.x] = a[i % 2][T - 1 - threadIdx.x] * 2;
		__syncthreads();
		pipe.consumer_release();
	}
	if (!pipe.quit())
		out[0] = 0;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
__global__ void bulk(const int *, int *) {}
#else
// One thread copies in bulk and says how many bytes come.
__global__ void bulk(const int *in, int *out) {
	__shared__ __align__(16) int a[T];
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	if (threadIdx.x == 0)
		init(&barrier, T);
	__syncthreads();
	for (int i = 0; i < N / T; i++) {
		cuda::barrier<cuda::thread_scope_block>::arrival_token token;
		if (threadIdx.x == 0) {
#ifdef __CUDA_ARCH__
			cuda::device::memcpy_async_tx(a, in + i * T, cuda::aligned_size_t<16>(sizeof(int) * T), barrier);
			token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(int) * T);
#endif
		} else {
			token = barrier.arrive();
		}
		barrier.wait(std::move(token));
		out[i * T + threadIdx.x] = a[T - 1 - threadIdx.x] * 2;
		__syncthreads();
	}
}
#endif
#else
__global__ void barriers(const int *, int *) {}
__global__ void pipelines(const int *, int *) {}
template <bool> __global__ void roles(const int *, int *) {}
__global__ void alone(const int *, int *) {}
__global__ void drops(const int *, int *) {}
__global__ void quits(const int *, int *) {}
__global__ void bulk(const int *, int *) {}
#endif

int main() {
	std::vector<int> in(N), zeros(N);
	for (int i = 0; i < N; i++)
		in[i] = i * 7 + 1;
	int *device_in = upload(in), *device_out = upload(zeros);
	cudaFuncAttributes of;
	cudaFuncGetAttributes(&of, primitives);
	std::vector<void (*)(const int *, int *)> kernels = {primitives, filled, groups};
	if (of.ptxVersion >= 80)
		kernels.insert(kernels.end(), {barriers, pipelines, roles<false>, roles<true>, alone, drops, quits});
	if (of.ptxVersion >= 90)
		kernels.push_back(bulk);
	for (size_t k = 0; k < kernels.size(); k++) {
		cudaMemcpy(device_out, zeros.data(), N * sizeof(int), cudaMemcpyHostToDevice);
		kernels[k]<<<1, T>>>(device_in, device_out);
		std::vector<int> out = download(device_out, N);
		for (int i = 0; i < N; i++)
			if (out[i] != 2 * in[i / T * T + T - 1 - i % T]) {
				printf("kernel %d: wrong at %d\n", (int)k, i);
				return 1;
			}
	}
	printf("ok\n");
}
