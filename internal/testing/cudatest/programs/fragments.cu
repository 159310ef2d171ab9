// Products of matrices in f16 by fragments (mma.h): tiles by way of shared memory, and one product of each shape and type of sums.
// needs compute capability 7.0
// bug 1: missing barrier on func --race
// bug 2: misaligned on func
// bug 3: uninitialised on func
// bug 4: bounds on func
// bug 5: divergence on func
#include "fragments.h"

// A block of four warps computes 32 rows and 32 columns, 16 of each by a warp. Rows of tiles are 8 halves longer than they must be, so that they begin
// in different banks.
const int TILE = 32, K = 16, PAD = 8;

__global__ void product(const half *a, const half *b, float *c, int n, int k) {
	__shared__ __align__(32) half as[TILE][K + PAD], bs[K][TILE + PAD];
	int warp = threadIdx.x / 32, row = blockIdx.y * TILE, col = blockIdx.x * TILE;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
	wmma::fill_fragment(sum, 0.0f);
	for (int from = 0; from < k; from += K) {
		for (int i = threadIdx.x; i < TILE * K; i += blockDim.x) {
			as[i / K][i % K] = a[(row + i / K) * k + from + i % K]; // BUG 1
			if (BUG != 3 || i % TILE < 31)
				bs[i / TILE][i % TILE] = b[(from + i / TILE) * n + col + i % TILE]; // BUG 1
		}
		__syncthreads();
		wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
		wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
		wmma::load_matrix_sync(x, &as[warp / 2 * 16][0], K + PAD);
		wmma::load_matrix_sync(y, &bs[0][warp % 2 * 16 + (BUG == 2 ? 8 : 0)], TILE + PAD); // BUG 2 3
		if (BUG != 5 || threadIdx.x != 40)
			wmma::mma_sync(sum, x, y, sum); // BUG 5
		if (BUG != 1)
			__syncthreads();
	}
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] = sum.x[i] * 2 + 1;
	float *to = c + (row + warp / 2 * 16) * n + col + warp % 2 * 16;
	wmma::store_matrix_sync(to, sum, BUG == 4 ? n + 4 : n, wmma::mem_row_major); // BUG 4
}

void tryTiles() {
	const int m = 64, n = 96, k = 48;
	std::vector<half> a(m * k), b(k * n);
	for (int i = 0; i < m * k; i++)
		a[i] = __float2half(i % 11 - 5);
	for (int i = 0; i < k * n; i++)
		b[i] = __float2half(i % 7 * 0.25f);
	half *da = upload(a), *db = upload(b);
	float *dc;
	TRY(cudaMalloc(&dc, m * n * sizeof(float)));
	product<<<dim3(n / TILE, m / TILE), 128>>>(da, db, dc, n, k);
	WAIT();
	auto c = download(dc, m * n);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float want = 0; // exact, since all are multiples of a quarter
			for (int l = 0; l < k; l++)
				want += __half2float(a[i * k + l]) * __half2float(b[l * n + j]);
			CHECK(c[i * n + j] == want * 2 + 1);
		}
}

int main() {
	tryTiles();
	tryShapes<half, float, float>(-4);
	tryShapes<half, half, half>(-4);
	tryShapes<half, half, float>(-4);
	tryShapes<half, float, half>(-4);
	puts("ok");
}
