// A filter of 7 x 7 over an image, its weights in constant memory, the tile of a block and its border in shared memory.
// Limited by shared memory and single precision.
// 32 x 8 threads; 64, 512 and 2,048 blocks.
#include "check.h"

const int R = 3;
__constant__ float weights[49];

__global__ void filter(const float *in, float *out, int w, int h) {
	__shared__ float tile[8 + 2 * R][32 + 2 * R];
	int x = blockIdx.x * 32, y = blockIdx.y * 8;
	for (int i = threadIdx.y; i < 8 + 2 * R; i += 8)
		for (int j = threadIdx.x; j < 32 + 2 * R; j += 32)
			tile[i][j] = in[min(max(y + i - R, 0), h - 1) * w + min(max(x + j - R, 0), w - 1)];
	__syncthreads();
	float sum = 0;
#pragma unroll
	for (int i = 0; i < 7; i++)
#pragma unroll
		for (int j = 0; j < 7; j++)
			sum += weights[i * 7 + j] * tile[threadIdx.y + i][threadIdx.x + j];
	out[(y + threadIdx.y) * w + x + threadIdx.x] = sum;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), w = pick(size, 128, 512, 1024), h = pick(size, 128, 256, 512);
	std::vector<float> in(w * h), want(w * h);
	float k[49];
	for (int i = 0; i < 49; i++)
		k[i] = fraction(~i) / 24;
	for (int i = 0; i < w * h; i++)
		in[i] = fraction(i);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			for (int i = 0; i < 7; i++)
				for (int j = 0; j < 7; j++)
					want[y * w + x] += k[i * 7 + j] * in[std::min(std::max(y + i - R, 0), h - 1) * w + std::min(std::max(x + j - R, 0), w - 1)];
	TRY(cudaMemcpyToSymbol(weights, k, sizeof k));
	float *a = upload(in), *b = room<float>(w * h);
	launches(dim3(w / 32, h / 8), [&](dim3 grid) { filter<<<grid, dim3(32, 8)>>>(a, b, w, h); });
	same("out", download(b, w * h), want, 1e-5);
	puts("right");
}
