// A product of fragments (mma.h) of any shape and types by one warp, checked against the host.
#pragma once
#include "check.h"
#include <mma.h>

using namespace nvcuda;

// d = a * b + c. Factors are stored as layouts say, sums by rows or by columns.
template <int M, int N, int K, class T, class S, class C, class D, class LA, class LB> __global__ void single(const S *a, const S *b, const C *c, D *d, int lda, int ldb, int ldc, wmma::layout_t layout, bool saturates) {
	wmma::fragment<wmma::matrix_a, M, N, K, T, LA> x;
	wmma::fragment<wmma::matrix_b, M, N, K, T, LB> y;
	wmma::fragment<wmma::accumulator, M, N, K, C> sum;
	wmma::fragment<wmma::accumulator, M, N, K, D> to;
	wmma::load_matrix_sync(x, a, lda);
	wmma::load_matrix_sync(y, b, ldb);
	wmma::load_matrix_sync(sum, c, ldc, layout);
	wmma::mma_sync(to, x, y, sum, saturates);
	wmma::store_matrix_sync(d, to, ldc, layout);
}

template <class L> bool byRows() { return false; }
template <> bool byRows<wmma::row_major>() { return true; }

template <int M, int N, int K, class T, class S, class C, class D, class LA, class LB> void tryOne(wmma::layout_t layout, int lowest, double first, bool saturates = false) {
	bool rowA = byRows<LA>(), rowB = byRows<LB>(), rowC = layout == wmma::mem_row_major;
	int lda = rowA ? K : M, ldb = rowB ? N : K, ldc = rowC ? N : M;
	std::vector<S> a(M * K), b(K * N);
	std::vector<C> c(M * N);
	for (int i = 0; i < M * K; i++)
		a[i] = S(float(lowest + i * 7 % 11));
	for (int i = 0; i < K * N; i++)
		b[i] = S(float(lowest + i * 5 % 9));
	for (int i = 0; i < M * N; i++)
		c[i] = C(first + i % 13);
	S *da = upload(a), *db = upload(b);
	C *dc = upload(c);
	D *dd;
	TRY(cudaMalloc(&dd, M * N * sizeof(D)));
	single<M, N, K, T, S, C, D, LA, LB><<<1, 32>>>(da, db, dc, dd, lda, ldb, ldc, layout, saturates);
	WAIT();
	auto d = download(dd, M * N);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			int at = rowC ? i * ldc + j : j * ldc + i;
			double want = double(c[at]); // exact, since all are whole numbers that D holds
			for (int l = 0; l < K; l++)
				want += double(a[rowA ? i * lda + l : l * lda + i]) * double(b[rowB ? l * ldb + j : j * ldb + l]);
			if (saturates && want > 2147483647.0)
				want = 2147483647.0;
			CHECK(double(d[at]) == want);
		}
	TRY(cudaFree(da));
	TRY(cudaFree(db));
	TRY(cudaFree(dc));
	TRY(cudaFree(dd));
}

// The three shapes, each with other layouts.
template <class T, class C, class D> void tryShapes(int lowest, double first = -5, bool saturates = false) {
	tryOne<16, 16, 16, T, T, C, D, wmma::row_major, wmma::col_major>(wmma::mem_row_major, lowest, first, saturates);
	tryOne<32, 8, 16, T, T, C, D, wmma::col_major, wmma::row_major>(wmma::mem_col_major, lowest, first, saturates);
	tryOne<8, 32, 16, T, T, C, D, wmma::row_major, wmma::row_major>(wmma::mem_row_major, lowest, first, saturates);
	tryOne<8, 32, 16, T, T, C, D, wmma::col_major, wmma::col_major>(wmma::mem_col_major, lowest, first, saturates);
}
