// A hash table with lists, whose buckets have locks.
// bug 1: lock within a warp on sim:k40
// bug 2: use after free on func
#include "check.h"
#include <cuda/atomic>

struct Entry {
	int key, next;
};
struct Table {
	cuda::atomic<int, cuda::thread_scope_device> *locks;
	int *first;
	Entry *entries;
};

__global__ void insert(Table t, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int lane = 0; lane < 32; lane++) {
		if ((BUG != 1 && threadIdx.x % 32 != lane) || (BUG == 1 && lane > 0) || i >= n)
			continue;
		int bucket = i * 7 % 5;
		while (t.locks[bucket].exchange(1, cuda::memory_order_acquire)) { // BUG 1
		}
		t.entries[i] = {i, t.first[bucket]}; // BUG 2
		t.first[bucket] = i; // BUG 2
		t.locks[bucket].store(0, cuda::memory_order_release);
	}
}

int main() {
	const int n = 70;
	std::vector<int> minus(5, -1);
	Table t;
	t.first = upload(minus);
	TRY(cudaMalloc(&t.locks, 5 * sizeof *t.locks));
	TRY(cudaMemset(t.locks, 0, 5 * sizeof *t.locks));
	TRY(cudaMalloc(&t.entries, n * sizeof(Entry)));
	if (BUG == 2)
		TRY(cudaFree(t.entries));
	insert<<<2, 64>>>(t, n);
	WAIT();
	auto entries = download(t.entries, n);
	int count = 0;
	for (int first : download(t.first, 5))
		for (int e = first; e >= 0; e = entries[e].next)
			count++;
	CHECK(count == n);
	puts("ok");
}
