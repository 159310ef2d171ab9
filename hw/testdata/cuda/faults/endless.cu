// want: 3 kernel spins hangs: it exceeded its deadline of 2s
#include <cstdio>
__global__ void spins(volatile int *flag) {
	while (*flag == 0) {
	}
}
int main() {
	int *flag;
	cudaMalloc(&flag, 4);
	cudaMemset(flag, 0, 4);
	puts("waits");
	fflush(stdout);
	spins<<<1, 1>>>(flag);
	cudaDeviceSynchronize();
	puts("this is not printed");
}
