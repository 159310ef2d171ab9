// The best alignment of two sequences: a table whose entries depend on three neighbours, by tiles of 16 x 16 along its diagonals.
// Limited by barriers with few threads, and by launches of few blocks: each diagonal of tiles is a launch.
// 16 threads; 8, 32 and 64 blocks, of which those outside the table end at once.
#include "check.h"

const int gap = 2;

__device__ __host__ inline int best(int corner, int up, int left, bool equal) { 
	int across = up > left ? up - gap : left - gap, along = corner + (equal ? 3 : -1);
	return along > across ? along : across;
}

// The table has a border; tile (x, y) has x + y = diagonal.
__global__ void tiles(const char *a, const char *b, int *table, int n, int diagonal) {
	int bx = blockIdx.x, by = diagonal - bx, t = threadIdx.x, width = n + 1;
	if (by < 0 || by >= n / 16)
		return;
	__shared__ int s[17][17];
	__shared__ char as[16], bs[16];
	int *corner = table + by * 16 * width + bx * 16;
	as[t] = a[by * 16 + t], bs[t] = b[bx * 16 + t];
	s[0][t + 1] = corner[t + 1];
	s[t + 1][0] = corner[(t + 1) * width];
	if (t == 0)
		s[0][0] = *corner;
	__syncthreads();
	for (int d = 0; d < 31; d++) {
		int x = t, y = d - t;
		if (y >= 0 && y < 16)
			s[y + 1][x + 1] = best(s[y][x], s[y][x + 1], s[y + 1][x], as[y] == bs[x]);
		__syncthreads();
	}
	for (int y = 1; y <= 16; y++)
		corner[y * width + t + 1] = s[y][t + 1];
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 128, 512, 1024), width = n + 1;
	std::vector<char> a(n), b(n);
	std::vector<int> table(width * width);
	for (int i = 0; i < n; i++)
		a[i] = mix(i) % 4, b[i] = mix(i) % 8 == 7 ? 0 : mix(i + i / 50) % 4;
	for (int i = 0; i <= n; i++)
		table[i] = table[i * width] = -gap * i;
	int *d = upload(table);
	char *da = upload(a), *db = upload(b);
	tiles<<<1, 16>>>(da, db, d, n, 0);
	for (int i = 0; i < 2 * (n / 16) - 1; i++)
		tiles<<<n / 16, 16>>>(da, db, d, n, i);
	WAIT();
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			table[(y + 1) * width + x + 1] = best(table[y * width + x], table[y * width + x + 1], table[(y + 1) * width + x], a[y] == b[x]);
	same("table", download(d, table.size()), table);
	puts("right");
}
