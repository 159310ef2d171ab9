// What the programs of this folder share.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../../internal/testing/cudatest/programs/check.h" // TRY, WAIT, upload, download

// The size class: 1, 2 or 3.
inline int sizeClass(int argc, char **argv) {
	int size = argc == 2 ? atoi(argv[1]) : 0;
	if (size < 1 || size > 3) {
		printf("usage: %s 1|2|3\n", argv[0]);
		exit(2);
	}
	return size;
}
template <class T> T pick(int size, T small, T medium, T large) { return size == 1 ? small : size == 2 ? medium : large; }

// A number without pattern for each x, and one from 0 to 1.
__host__ __device__ inline uint32_t mix(uint32_t x) {
	x = (x ^ x >> 17) * 0x9e3779b1u;
	x = (x ^ x >> 14) * 0xc2b2ae35u;
	return x ^ x >> 15;
}
inline float fraction(uint32_t x) { return (mix(x) >> 8) / 16777216.0f; }

template <class T> T *room(size_t n) {
	T *p;
	TRY(cudaMalloc(&p, n * sizeof(T)));
	return p;
}

// Launches a kernel with one block, since a GPU takes longer for the first launch, and then three times with the grid.
template <class F> void launches(dim3 grid, F launch) {
	launch(dim3(1));
	WAIT();
	for (int i = 0; i < 3; i++) {
		launch(grid);
		WAIT();
	}
}

// Ends the program unless got is want, to within a part of want or, if want is small, of 1.
template <class T> void same(const char *what, size_t i, T got, T want, double tolerance = 0) {
	double error = std::fabs((double)got - (double)want), scale = std::max(1.0, std::fabs((double)want));
	if (!(error <= tolerance * scale)) {
		printf("%s[%zu] is %.9g, not %.9g\n", what, i, (double)got, (double)want);
		exit(1);
	}
}
template <class T> void same(const char *what, const std::vector<T> &got, const std::vector<T> &want, double tolerance = 0) {
	for (size_t i = 0; i < want.size(); i++)
		same(what, i, got[i], want[i], tolerance);
}
