// The factors L and U of a matrix by blocks of 16 x 16: the block on the diagonal, those of its row and column, and all behind.
// The first is limited by the latency of one block, the second by few blocks, the third by shared memory.
// 16 threads in one block; 32 threads in 8, 16 and 32 blocks; 16 x 16 threads in 64, 256 and 1,024 blocks.
#include "check.h"

const int B = 16;

__global__ void diagonal(float *a, int n, int k) {
	__shared__ float s[B][B];
	int t = threadIdx.x;
	float *block = a + k * B * n + k * B;
	for (int i = 0; i < B; i++)
		s[i][t] = block[i * n + t];
	__syncthreads();
	for (int i = 0; i < B - 1; i++) {
		if (t > i) {
			s[t][i] /= s[i][i];
			for (int j = i + 1; j < B; j++)
				s[t][j] -= s[t][i] * s[i][j];
		}
		__syncthreads();
	}
	for (int i = 0; i < B; i++)
		block[i * n + t] = s[i][t];
}

// The first 16 threads compute a block of the row, the others one of the column.
__global__ void edges(float *a, int n, int k) {
	__shared__ float d[B][B], row[B][B], column[B][B];
	int other = blockIdx.x, t = threadIdx.x % B;
	if (other <= k)
		return;
	const float *from = a + k * B * n + k * B;
	float *right = a + k * B * n + other * B, *below = a + other * B * n + k * B;
	for (int i = threadIdx.x / B; i < B; i += 2) {
		d[i][t] = from[i * n + t];
		row[i][t] = right[i * n + t];
		column[i][t] = below[i * n + t];
	}
	__syncthreads();
	if (threadIdx.x < B) {
		for (int i = 1; i < B; i++)
			for (int j = 0; j < i; j++)
				row[i][t] -= d[i][j] * row[j][t];
	} else {
		for (int i = 0; i < B; i++) {
			for (int j = 0; j < i; j++)
				column[t][i] -= column[t][j] * d[j][i];
			column[t][i] /= d[i][i];
		}
	}
	__syncthreads();
	for (int i = threadIdx.x / B; i < B; i += 2) {
		right[i * n + t] = row[i][t];
		below[i * n + t] = column[i][t];
	}
}

__global__ void behind(float *a, int n, int k) {
	__shared__ float row[B][B], column[B][B];
	int x = threadIdx.x, y = threadIdx.y;
	if (blockIdx.x <= k || blockIdx.y <= k)
		return;
	row[y][x] = a[(k * B + y) * n + blockIdx.x * B + x];
	column[y][x] = a[(blockIdx.y * B + y) * n + k * B + x];
	__syncthreads();
	float sum = 0;
	for (int i = 0; i < B; i++)
		sum += column[y][i] * row[i][x];
	a[(blockIdx.y * B + y) * n + blockIdx.x * B + x] -= sum;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 128, 256, 512), blocks = n / B;
	std::vector<float> a(n * n);
	for (int i = 0; i < n * n; i++)
		a[i] = fraction(i) + (i / n == i % n ? n : 0);
	float *d = upload(a);
	for (int k = 0; k < blocks; k++) {
		diagonal<<<1, B>>>(d, n, k);
		if (k + 1 < blocks) {
			edges<<<blocks, 2 * B>>>(d, n, k);
			behind<<<dim3(blocks, blocks), dim3(B, B)>>>(d, n, k);
		}
	}
	WAIT();
	for (int k = 0; k < n; k++)
		for (int i = k + 1; i < n; i++) {
			a[i * n + k] /= a[k * n + k];
			for (int j = k + 1; j < n; j++)
				a[i * n + j] -= a[i * n + k] * a[k * n + j];
		}
	same("lu", download(d, n * n), a, 1e-4);
	puts("right");
}
