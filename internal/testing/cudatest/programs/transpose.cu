// A matrix transposed by tiles, with two dimensions of blocks and threads.
// bug 1: missing barrier on func --race
// bug 2: bounds on func
#include "check.h"

__global__ void transpose(const float *in, float *out, int w, int h) {
	__shared__ float tile[16][17];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	if (BUG == 2 || (x < w && y < h))
		tile[threadIdx.y][threadIdx.x] = in[y * w + x]; // BUG 1 2
	if (BUG != 1)
		__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
	if (x < h && y < w)
		out[y * h + x] = tile[threadIdx.x][threadIdx.y]; // BUG 1
}

int main() {
	const int w = 37, h = 50;
	std::vector<float> in(w * h);
	for (int i = 0; i < w * h; i++)
		in[i] = i;
	float *a = upload(in), *b;
	TRY(cudaMalloc(&b, w * h * sizeof *b));
	transpose<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, w, h);
	WAIT();
	auto got = download(b, w * h);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			CHECK(got[x * h + y] == in[y * w + x]);
	puts("ok");
}
