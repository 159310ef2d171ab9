// Components of a graph by union-find, an edge for each thread.
#include "check.h"

__device__ int find(int *parent, int v) {
	int p = atomicAdd(&parent[v], 0);
	while (p != v) {
		v = p;
		p = atomicAdd(&parent[v], 0);
	}
	return v;
}

__global__ void join(const int2 *edges, int n, int *parent) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int a = edges[i].x, b = edges[i].y;
	for (;;) {
		a = find(parent, a), b = find(parent, b);
		if (a == b)
			return;
		if (a < b) {
			int swap = a;
			a = b, b = swap;
		}
		if (atomicCAS(&parent[a], a, b) == a)
			return;
	}
}

int main() {
	const int n = 100;
	std::vector<int2> edges;
	std::vector<int> parent(n);
	for (int i = 0; i < n; i++)
		parent[i] = i;
	for (int i = 0; i + 4 < n; i++)
		edges.push_back(make_int2(i, i + 4));
	int2 *e = upload(edges);
	int *p = upload(parent);
	join<<<2, 64>>>(e, edges.size(), p);
	WAIT();
	auto got = download(p, n);
	for (int v = 0; v < n; v++) {
		int root = v;
		while (got[root] != root)
			root = got[root];
		CHECK(root == v % 4);
	}
	puts("ok");
}
