// want: 1 asserts: cudaErrorAssert
#include <cassert>
#include <cstdio>
__global__ void check(int n) { assert(n == 3); }
int main() {
	check<<<1, 32>>>(4);
	printf("asserts: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
