// Ranks of vertices by pulling, in double precision, with a sum by atomics.
// needs compute capability 6.0
#include "check.h"
#include <cmath>

__global__ void pull(const int *row, const int *col, const int *degree, const double *rank, double *next, double *change, int n) {
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		double sum = 0;
		for (int e = row[v]; e < row[v + 1]; e++)
			sum += rank[col[e]] / degree[col[e]];
		next[v] = 0.15 / n + 0.85 * sum;
		atomicAdd(change, fabs(next[v] - rank[v]));
	}
}

int main() {
	const int n = 50;
	std::vector<int> row, col, degree(n);
	for (int v = 0; v < n; v++) {
		row.push_back(col.size());
		for (int d = 1; d <= 1 + v % 3; d++)
			col.push_back((v + d * d) % n), degree[(v + d * d) % n]++;
	}
	row.push_back(col.size());
	for (int &d : degree)
		if (d == 0)
			d = 1;
	std::vector<double> rank(n, 1.0 / n);
	int *drow = upload(row), *dcol = upload(col), *ddegree = upload(degree);
	double *a = upload(rank), *b = upload(rank), *change;
	TRY(cudaMalloc(&change, sizeof *change));
	for (int i = 0; i < 30; i++) {
		TRY(cudaMemset(change, 0, sizeof *change));
		pull<<<2, 32>>>(drow, dcol, ddegree, a, b, change, n);
		WAIT();
		std::vector<double> next(n);
		double want = 0;
		for (int v = 0; v < n; v++) {
			double sum = 0;
			for (int e = row[v]; e < row[v + 1]; e++)
				sum += rank[col[e]] / degree[col[e]];
			next[v] = 0.15 / n + 0.85 * sum;
			want += std::fabs(next[v] - rank[v]);
		}
		rank = next;
		std::swap(a, b);
		CHECK(std::fabs(download(change, 1)[0] - want) < 1e-12);
	}
	auto got = download(a, n);
	for (int v = 0; v < n; v++)
		CHECK(std::fabs(got[v] - rank[v]) < 1e-14);
	puts("ok");
}
