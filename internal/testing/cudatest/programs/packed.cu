// Records in a buffer of bytes: a header, and then numbers of eight bytes.
// bug 1: misaligned on func
// bug 2: uninitialised on func
#include "check.h"

__global__ void fill(char *bytes, int records) {
	int i = threadIdx.x;
	if (i >= records - (BUG == 2))
		return;
	char *record = bytes + i * (BUG == 1 ? 20 : 24);
	*(int *)record = i;
	*(double *)(record + 8) = i * 0.25; // BUG 1
	*(long long *)(record + 16) = -i;
}

__global__ void sum(const char *bytes, int records, double *out) {
	double s = 0;
	for (int i = 0; i < records; i++) {
		const char *record = bytes + i * 24;
		s += *(const int *)record + *(const double *)(record + 8) + *(const long long *)(record + 16); // BUG 2
	}
	*out = s;
}

int main() {
	char *bytes;
	double *out;
	TRY(cudaMalloc(&bytes, 24 * 32));
	TRY(cudaMalloc(&out, sizeof *out));
	fill<<<1, 32>>>(bytes, 32);
	sum<<<1, 1>>>(bytes, 32, out);
	WAIT();
	CHECK(download(out, 1)[0] == 31 * 32 / 2 * 0.25);
	puts("ok");
}
