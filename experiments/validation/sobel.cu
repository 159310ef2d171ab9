// Edges of an image of bytes: both filters of Sobel, with eight loads of one byte for each pixel.
// Limited by the number of loads of the L1 cache, and by integer arithmetic.
// 32 x 8 threads; 256, 2,048 and 8,192 blocks.
#include "check.h"

__device__ __host__ inline int edge(const unsigned char *p, int up, int down, int left, int right) {
	int a = p[up + left], b = p[up], c = p[up + right], d = p[left], e = p[right], f = p[down + left], g = p[down], h = p[down + right];
	int x = c + 2 * e + h - a - 2 * d - f, y = f + 2 * g + h - a - 2 * b - c;
	int sum = (x < 0 ? -x : x) + (y < 0 ? -y : y);
	return sum > 255 ? 255 : sum;
}

__device__ __host__ inline int ofPixel(const unsigned char *in, int x, int y, int w, int h) {
	return edge(in + y * w + x, y > 0 ? -w : 0, y < h - 1 ? w : 0, x > 0 ? -1 : 0, x < w - 1 ? 1 : 0);
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h) {
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
	out[y * w + x] = ofPixel(in, x, y, w, h);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), w = pick(size, 256, 1024, 2048), h = pick(size, 256, 512, 1024);
	std::vector<unsigned char> in(w * h), want(w * h);
	for (int i = 0; i < w * h; i++)
		in[i] = (i % w / 16 + i / w / 16) % 2 * 60 + mix(i) % 40;
	for (int i = 0; i < w * h; i++)
		want[i] = ofPixel(in.data(), i % w, i / w, w, h);
	unsigned char *a = upload(in), *b = room<unsigned char>(w * h);
	launches(dim3(w / 32, h / 8), [&](dim3 grid) { sobel<<<grid, dim3(32, 8)>>>(a, b, w, h); });
	same("out", download(b, w * h), want);
	puts("right");
}
