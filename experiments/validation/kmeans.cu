// A step of k-means: each point finds the nearest of 16 centres in shared memory, and then the points of each centre are added by
// atomics in shared memory. Limited by integer arithmetic, and by atomics on the same words.
// 256 threads; 64, 512 and 2,048 blocks, one point of eight coordinates for each thread.
#include "check.h"

const int K = 16, D = 8;

__device__ __host__ inline int nearest(const int *point, int stride, const int *centres) {
	int best = 0, least = 1 << 30;
	for (int k = 0; k < K; k++) {
		int sum = 0;
		for (int d = 0; d < D; d++) {
			int x = point[d * stride] - centres[k * D + d];
			sum += x * x;
		}
		if (sum < least)
			best = k, least = sum;
	}
	return best;
}

__global__ void assign(const int *points, int n, const int *centres, int *of) {
	__shared__ int s[K * D];
	int i = blockIdx.x * 256 + threadIdx.x;
	if (threadIdx.x < K * D)
		s[threadIdx.x] = centres[threadIdx.x];
	__syncthreads();
	of[i] = nearest(points + i, n, s);
}

__global__ void add(const int *points, int n, const int *of, int *sums) {
	__shared__ int s[K * (D + 1)];
	int i = blockIdx.x * 256 + threadIdx.x;
	if (threadIdx.x < K * (D + 1))
		s[threadIdx.x] = 0;
	__syncthreads();
	int k = of[i];
	for (int d = 0; d < D; d++)
		atomicAdd(&s[k * (D + 1) + d], points[d * n + i]);
	atomicAdd(&s[k * (D + 1) + D], 1);
	__syncthreads();
	if (threadIdx.x < K * (D + 1))
		atomicAdd(&sums[threadIdx.x], s[threadIdx.x]);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 512, 2048), n = blocks * 256;
	std::vector<int> points(n * D), centres(K * D), of(n), sums(K * (D + 1));
	for (int i = 0; i < n * D; i++)
		points[i] = mix(i) % 1000;
	for (int i = 0; i < K * D; i++)
		centres[i] = mix(~i) % 1000;
	for (int i = 0; i < n; i++) {
		int k = of[i] = nearest(&points[i], n, centres.data());
		for (int d = 0; d < D; d++)
			sums[k * (D + 1) + d] += points[d * n + i];
		sums[k * (D + 1) + D]++;
	}
	int *p = upload(points), *c = upload(centres), *o = room<int>(n), *s = room<int>(sums.size());
	launches(blocks, [&](dim3 grid) { assign<<<grid, 256>>>(p, n, c, o); });
	launches(blocks, [&](dim3 grid) {
		TRY(cudaMemset(s, 0, sums.size() * sizeof *s));
		add<<<grid, 256>>>(p, n, o, s);
	});
	same("of", download(o, n), of);
	same("sums", download(s, sums.size()), sums);
	puts("right");
}
