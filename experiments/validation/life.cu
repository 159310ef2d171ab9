// The game of life with 32 cells in each word: neighbours are counted for all of them at once, by the logic of adders.
// Limited by integer arithmetic and by loads of neighbouring words.
// 256 threads; 32, 512 and 4,096 blocks, one word for each thread; each generation is a launch.
#include "check.h"

// Adds three bits at each place.
__device__ __host__ inline void sum(unsigned a, unsigned b, unsigned c, unsigned &ones, unsigned &twos) {
	ones = a ^ b ^ c;
	twos = (a & b) | (c & (a ^ b));
}

// Next cells of the word in the middle of p[y][x]; the word to the right has the higher places.
__device__ __host__ inline unsigned next(const unsigned p[3][3]) {
	unsigned ones[3], twos[3], here = p[1][1];
	for (int y = 0; y < 3; y++) {
		unsigned left = p[y][1] << 1 | p[y][0] >> 31, right = p[y][1] >> 1 | p[y][2] << 31;
		sum(left, y == 1 ? 0 : p[y][1], right, ones[y], twos[y]);
	}
	unsigned one, carry, two, four;
	sum(ones[0], ones[1], ones[2], one, carry);
	sum(twos[0], twos[1], twos[2], two, four);
	unsigned both = two & carry;
	two ^= carry;
	return two & ~(four | both) & (one | here);
}

__device__ __host__ inline unsigned ofWord(const unsigned *in, int i, int w, int h) {
	int x = i % w, y = i / w;
	unsigned p[3][3];
	for (int dy = 0; dy < 3; dy++)
		for (int dx = 0; dx < 3; dx++)
			p[dy][dx] = in[(y + dy + h - 1) % h * w + (x + dx + w - 1) % w];
	return next(p);
}

__global__ void generation(const unsigned *in, unsigned *out, int w, int h) {
	int i = blockIdx.x * 256 + threadIdx.x;
	out[i] = ofWord(in, i, w, h);
}

// One cell after the other, for the first rows.
bool alive(const std::vector<unsigned> &cells, int x, int y, int w, int h) {
	auto at = [&](int x, int y) {
		x = (x + 32 * w) % (32 * w), y = (y + h) % h;
		return cells[y * w + x / 32] >> x % 32 & 1;
	};
	int count = 0;
	for (int d = 0; d < 9; d++)
		count += d == 4 ? 0 : at(x + d % 3 - 1, y + d / 3 - 1);
	return count == 3 || (count == 2 && at(x, y));
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 32, 512, 4096), w = pick(size, 64, 256, 512), n = blocks * 256, h = n / w;
	std::vector<unsigned> cells(n), after(n);
	for (int i = 0; i < n; i++)
		cells[i] = mix(i) & mix(i + n);
	unsigned *from = upload(cells), *to = room<unsigned>(n);
	launches(blocks, [&](dim3 grid) {
		generation<<<grid, 256>>>(from, to, w, h);
		if (grid.x > 1)
			std::swap(from, to);
	});
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < n; i++)
			after[i] = ofWord(cells.data(), i, w, h);
		for (int i = 0; i < 4 * w * 32; i++)
			same("cell", i, after[i / 32] >> i % 32 & 1, (unsigned)alive(cells, i % (32 * w), i / (32 * w), w, h));
		std::swap(cells, after);
	}
	same("cells", download(from, n), cells);
	puts("right");
}
