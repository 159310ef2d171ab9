// Breadth-first search of a ring with chords, a thread for each vertex, until no level changes.
// bug 1: bounds on func
// bug 2: uninitialised on func
#include "check.h"

struct Graph {
	const int *row, *col;
	int n;
};

__global__ void step(Graph g, int *level, int now, int *changed) {
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= g.n + (BUG == 1) || atomicAdd(&level[v], 0) != now) // BUG 1 2
		return;
	for (int e = g.row[v]; e < g.row[v + 1]; e++)
		if (atomicCAS(&level[g.col[e]], -1, now + 1) == -1)
			atomicExch(changed, 1);
}

int main() {
	const int n = 256;
	std::vector<int> row, col;
	for (int v = 0; v < n; v++) {
		row.push_back(col.size());
		col.push_back((v + 1) % n), col.push_back((v + n - 1) % n);
		if (v % 16 == 0)
			col.push_back((v + 16) % n);
	}
	row.push_back(col.size());
	Graph g = {upload(row), upload(col), n};
	int *level, *changed, zero = 0, go = 1;
	TRY(cudaMalloc(&level, n * sizeof(int)));
	TRY(cudaMalloc(&changed, sizeof(int)));
	if (BUG != 2)
		TRY(cudaMemset(level, -1, n * sizeof(int)));
	TRY(cudaMemcpy(level, &zero, sizeof zero, cudaMemcpyHostToDevice));
	for (int now = 0; go; now++) {
		TRY(cudaMemset(changed, 0, sizeof(int)));
		step<<<3, 100>>>(g, level, now, changed);
		WAIT();
		TRY(cudaMemcpy(&go, changed, sizeof go, cudaMemcpyDeviceToHost));
	}
	auto got = download(level, n);
	CHECK(got[1] == 1 && got[255] == 1 && got[16] == 1 && got[32] == 2 && got[24] == 9 && got[128] == 8);
	puts("ok");
}
