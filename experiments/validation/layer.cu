// A layer of a neural network with 16 outputs: the weighted sums of its inputs by tiles, and the change of its weights.
// The first is limited by barriers in shared memory, the second by the bandwidth of memory.
// 16 x 16 threads; 256, 2,048 and 8,192 blocks, one for each 16 inputs.
#include "check.h"

// The sums of a block for each output; they are added on the host.
__global__ void forward(const float *in, const float *weights, float *partial) {
	__shared__ float input[16], s[16][16];
	int x = threadIdx.x, y = threadIdx.y, row = blockIdx.x * 16 + y;
	if (x == 0)
		input[y] = in[row];
	__syncthreads();
	s[y][x] = weights[row * 16 + x] * input[y];
	__syncthreads();
	for (int d = 8; d > 0; d /= 2) {
		if (y < d)
			s[y][x] += s[y + d][x];
		__syncthreads();
	}
	if (y == 0)
		partial[blockIdx.x * 16 + x] = s[0][x];
}

__global__ void adjust(const float *in, const float *delta, const float *weights, const float *before, float *after, float *change) {
	int x = threadIdx.x, row = blockIdx.x * 16 + threadIdx.y, i = row * 16 + x;
	float c = 0.3f * delta[x] * in[row] + 0.3f * before[i];
	after[i] = weights[i] + c;
	change[i] = c;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 256, 2048, 8192), n = blocks * 16;
	std::vector<float> in(n), weights(n * 16), before(n * 16), delta(16), after(n * 16);
	std::vector<double> sums(16), got(16);
	for (int i = 0; i < 16; i++)
		delta[i] = fraction(~i) - 0.5f;
	for (int i = 0; i < n; i++)
		in[i] = fraction(i);
	for (int i = 0; i < n * 16; i++) {
		weights[i] = fraction(i + n) - 0.5f, before[i] = fraction(i + 17 * n) / 10;
		sums[i % 16] += (double)in[i / 16] * weights[i];
		after[i] = weights[i] + 0.3f * delta[i % 16] * in[i / 16] + 0.3f * before[i];
	}
	float *di = upload(in), *dw = upload(weights), *dd = upload(delta), *db = upload(before);
	float *partial = room<float>(n), *result = room<float>(n * 16), *change = room<float>(n * 16);
	launches(blocks, [&](dim3 grid) { forward<<<grid, dim3(16, 16)>>>(di, dw, partial); });
	launches(blocks, [&](dim3 grid) { adjust<<<grid, dim3(16, 16)>>>(di, dd, dw, db, result, change); });
	auto p = download(partial, n);
	for (int i = 0; i < n; i++)
		got[i % 16] += p[i];
	same("sums", got, sums, 1e-4);
	same("weights", download(result, n * 16), after, 1e-5);
	puts("right");
}
