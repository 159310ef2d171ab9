// Products of matrices by fragments (mma.h) of the types that came after f16: integers of 8 bits, bf16, tf32 and double.
// needs compute capability 8.0
// bug 1: bounds on func
// bug 2: misaligned on func
#include "fragments.h"

// Floats are rounded to tf32 when they are in fragments.
__global__ void rounded(const float *a, const float *b, float *c) {
	wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> x;
	wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> y;
	wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
	wmma::load_matrix_sync(x, a + (BUG == 2 ? 2 : 0), 8); // BUG 2
	wmma::load_matrix_sync(y, b, 8);
	for (int i = 0; i < x.num_elements; i++)
		x.x[i] = wmma::__float_to_tf32(x.x[i]);
	for (int i = 0; i < y.num_elements; i++)
		y.x[i] = wmma::__float_to_tf32(y.x[i]);
	wmma::fill_fragment(sum, 0.5f);
	wmma::mma_sync(sum, x, y, sum);
	wmma::store_matrix_sync(c, sum, BUG == 1 ? 20 : 16, wmma::mem_col_major); // BUG 1
}

// Numbers with one bit more than tf32 keeps, which rounds them away from zero: 1 + 2^-11 to 1 + 2^-10.
void tryRounding() {
	std::vector<float> a(16 * 8, 1 + 1 / 2048.0f), b(8 * 16, 3.0f);
	float *da = upload(a), *db = upload(b), *dc;
	TRY(cudaMalloc(&dc, 16 * 16 * sizeof(float)));
	rounded<<<1, 32>>>(da, db, dc);
	WAIT();
	for (float v : download(dc, 16 * 16))
		CHECK(v == 0.5f + 8 * 3 * (1 + 1 / 1024.0f));
}

int main() {
	tryShapes<signed char, int, int>(-5);
	tryShapes<unsigned char, int, int>(200);
	tryShapes<unsigned char, int, int>(200, 2147483630.0, true);
	tryShapes<__nv_bfloat16, float, float>(-4);
	tryOne<16, 16, 8, wmma::precision::tf32, float, float, float, wmma::row_major, wmma::row_major>(wmma::mem_row_major, -4, 3);
	tryOne<16, 16, 8, wmma::precision::tf32, float, float, float, wmma::col_major, wmma::col_major>(wmma::mem_col_major, -4, 3);
	tryOne<8, 8, 4, double, double, double, double, wmma::row_major, wmma::row_major>(wmma::mem_col_major, -4, 3);
	tryOne<8, 8, 4, double, double, double, double, wmma::col_major, wmma::col_major>(wmma::mem_row_major, -4, 3);
	tryRounding();
	puts("ok");
}
