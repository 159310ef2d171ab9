// Sums of the rows of a matrix: a thread for each row, so that the loads of a warp are a row apart, and a warp for each row.
// The first is limited by uncoalesced loads, the second by the bandwidth of memory.
// 128 threads; 16, 64 and 132 blocks of the first, and 32 times as many of the second.
#include "check.h"

__global__ void byThread(const float *a, float *sums, int width) {
	int row = blockIdx.x * 128 + threadIdx.x;
	float sum = 0;
	for (int i = 0; i < width; i++)
		sum += a[row * width + i];
	sums[row] = sum;
}

__global__ void byWarp(const float *a, float *sums, int width) {
	int row = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32;
	float sum = 0;
	for (int i = lane; i < width; i += 32)
		sum += a[row * width + i];
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(~0u, sum, d);
	if (lane == 0)
		sums[row] = sum;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 16, 64, 132), rows = blocks * 128, width = pick(size, 64, 128, 256);
	std::vector<float> a(rows * width), want(rows);
	for (int i = 0; i < rows * width; i++)
		want[i / width] += a[i] = fraction(i);
	float *d = upload(a), *x = room<float>(rows), *y = room<float>(rows);
	launches(blocks, [&](dim3 grid) { byThread<<<grid, 128>>>(d, x, width); });
	launches(blocks * 32, [&](dim3 grid) { byWarp<<<grid, 128>>>(d, y, width); });
	same("by thread", download(x, rows), want, 1e-5);
	same("by warp", download(y, rows), want, 1e-5);
	puts("right");
}
