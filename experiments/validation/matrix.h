// A sparse matrix in rows, whose lengths differ: most have 4 to 11 entries, and one of 64 has 128.
#pragma once
#include "check.h"

struct Matrix {
	int n, longest = 0;
	std::vector<int> first{0}, column;
	std::vector<float> value, x, want;

	Matrix(int n, bool even) : n(n) {
		for (int row = 0; row < n; row++) {
			int length = even ? 8 + mix(row) % 4 : mix(row) % 64 == 0 ? 128 : 4 + mix(row + n) % 8;
			longest = std::max(longest, length);
			x.push_back(fraction(row));
			for (int i = 0; i < length; i++) {
				uint32_t k = row * 131 + i;
				// Half of the entries are near the diagonal.
				column.push_back(mix(k) % 2 ? mix(k + 7) % n : (row + mix(k + 7) % 64) % n);
				value.push_back(fraction(k + 9));
			}
			first.push_back(column.size());
		}
		for (int row = 0; row < n; row++) {
			double sum = 0;
			for (int i = first[row]; i < first[row + 1]; i++)
				sum += (double)value[i] * x[column[i]];
			want.push_back(sum);
		}
	}
};
