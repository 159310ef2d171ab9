// A kernel that calls functions of another file and reads its variables. Both have static ones of the same names.
#include "../../programs/check.h"
#include "parts.h"

static __device__ int secret = 1;
static __device__ int half2(int x) { return x + secret; }

__global__ void use(float *f, int *n) {
	f[threadIdx.x] = scaled(10, threadIdx.x);
	n[threadIdx.x] = half(threadIdx.x) + half2(1000) + squared(threadIdx.x);
	f[threadIdx.x] += table[threadIdx.x];
	__syncthreads();
	if (threadIdx.x == 0)
		printf("main %d %d\n", secret, calls);
}

int launchOwn();

int main() {
	float *f;
	int *n;
	TRY(cudaMalloc(&f, 4 * sizeof *f));
	TRY(cudaMalloc(&n, 4 * sizeof *n));
	use<<<1, 4>>>(f, n);
	WAIT();
	auto x = download(f, 4);
	auto y = download(n, 4);
	const float factors[] = {1, 0.5f, 4, 8};
	for (int i = 0; i < 4; i++) {
		CHECK(x[i] == 11 * factors[i]);
		CHECK(y[i] == i / 2 + 49 + 1001 + i * i);
	}
	CHECK(launchOwn() == 5 + 49 + 7); // it sees the calls that main.cu has made
	puts("ok");
}
