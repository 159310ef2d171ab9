// A picture with a pitch: copies of rectangles, and a stencil.
// bug 1: bounds on func
// bug 2: misaligned on sim:tiny
#include "check.h"

__global__ void blur(const char *in, size_t pitch, char *out, int w, int h) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x >= w)
		return;
	const float *row = (const float *)(in + y * pitch + (BUG == 2 && y == 3 ? 2 : 0));
	int left = BUG == 1 ? x - 1 : max(x - 1, 0), right = min(x + 1, w - 1);
	*(float *)(out + y * pitch + x * 4) = (row[left] + row[x] + row[right]) / 3; // BUG 1 2
}

int main() {
	const int w = 50, h = 6;
	std::vector<float> in(w * h), got(w * h);
	for (int i = 0; i < w * h; i++)
		in[i] = i;
	char *a, *b;
	size_t pitch;
	TRY(cudaMallocPitch(&a, &pitch, w * sizeof(float), h));
	TRY(cudaMallocPitch(&b, &pitch, w * sizeof(float), h));
	TRY(cudaMemcpy2D(a, pitch, in.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
	blur<<<dim3(2, h), 32>>>(a, pitch, b, w, h);
	WAIT();
	TRY(cudaMemcpy2D(got.data(), w * sizeof(float), b, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost));
	CHECK(got[0] == 1.0f / 3 && got[10] == 10 && got[w + 1] == w + 1);
	puts("ok");
}
