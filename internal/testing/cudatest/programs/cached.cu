// Loads and stores with hints for the caches, of all sizes.
// bug 1: bounds on func
// bug 2: uninitialised on func
#include "check.h"

template <class T> __global__ void rotate(const T *in, T *out, int n) {
	int i = threadIdx.x;
	T v;
	switch (i % 5) {
	case 0: v = __ldca(in + (i + 1) % n); break;
	case 1: v = __ldcg(in + (i + 1) % n); break;
	case 2: v = __ldcs(in + (i + 1) % n); break;
	case 3: v = __ldlu(in + (i + 1) % n); break;
	default: v = __ldcv(in + (i + 1) % n); break;
	}
	switch (i % 4) {
	case 0: __stwb(out + i, v); break;
	case 1: __stcg(out + i, v); break;
	case 2: __stcs(out + i, v); break;
	default: __stwt(out + i + (BUG == 1 ? 1 : 0), v); break; // BUG 1
	}
}

template <class T> __global__ void read(const T *out, int n, int *equal, T want) {
	for (int i = 0; i < n; i++) {
		T v = __ldcg(out + i); // BUG 2
		const unsigned char *a = (const unsigned char *)&v, *b = (const unsigned char *)&want;
		for (int k = 0; k < (int)sizeof(T); k++)
			*equal += a[k] == b[k];
	}
}

template <class T> void check(T value) {
	const int n = 64;
	T host[n], *in, *out;
	int *equal, got;
	for (int i = 0; i < n; i++)
		host[i] = value;
	TRY(cudaMalloc(&in, sizeof host));
	TRY(cudaMalloc(&out, sizeof host));
	TRY(cudaMalloc(&equal, sizeof *equal));
	TRY(cudaMemset(equal, 0, sizeof *equal));
	TRY(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
	rotate<<<1, BUG == 2 ? n - 1 : n>>>(in, out, n);
	read<<<1, 1>>>(out, n, equal, value);
	TRY(cudaMemcpy(&got, equal, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == int(n * sizeof(T)));
}

int main() {
	check<signed char>(-3);
	check<unsigned short>(50000);
	check<int>(-70000);
	check<float>(1.5f);
	check<double>(-2.25);
	check<unsigned long long>(1ull << 40);
	check<char4>(make_char4(1, -2, 3, -4));
	check<float2>(make_float2(0.5f, -0.5f));
	check<int4>(make_int4(1, 2, 3, 4));
	check<double2>(make_double2(1e10, -1e-10));
	puts("ok");
}
