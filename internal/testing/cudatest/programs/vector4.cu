// Vectors of four floats.
// bug 1: misaligned on func
// bug 2: bounds on func
#include "check.h"

__global__ void scale(float *x, float f, int n) {
	float4 *v = (float4 *)(x + (BUG == 1));
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n + (BUG == 2)) {
		float4 a = v[i]; // BUG 1 2
		v[i] = make_float4(a.x * f, a.y * f, a.z * f, a.w * f);
	}
}

int main() {
	std::vector<float> x(400);
	for (int i = 0; i < 400; i++)
		x[i] = i;
	float *d = upload(x);
	scale<<<2, 64>>>(d, 0.5f, 100);
	WAIT();
	auto got = download(d, 400);
	for (int i = 0; i < 400; i++)
		CHECK(got[i] == i * 0.5f);
	puts("ok");
}
