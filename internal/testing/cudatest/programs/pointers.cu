// Calls by address: tables of functions, a pointer that the host has read, virtual functions with and without others in them, and an object
// made by an earlier kernel.
// bug 1: bounds on func
#include "check.h"

#ifndef BUG
#define BUG 0
#endif

typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ Op table[4] = {add, mul, sub};
__constant__ Op pair[2] = {sub, add};

__global__ void byTable(int *out, int n) {
	int i = threadIdx.x;
	out[i] = table[i % (BUG == 1 ? 4 : 3)](i, n) + pair[i & 1](i, 2 * n); // BUG 1
}

__global__ void byArgument(int *out, Op op) { out[threadIdx.x] = op(out[threadIdx.x], 3); }

struct Shape {
	__device__ virtual int area(int s) const = 0;
	__device__ virtual ~Shape() {}
};
struct Square : Shape {
	int k;
	__device__ Square(int k) : k(k) {}
	__device__ int area(int s) const override { return k * s * s; }
};
struct Disc : Shape {
	__device__ int area(int s) const override { return 3 * s * s; }
};
struct Twice : Shape {
	const Shape *of;
	__device__ Twice(const Shape *of) : of(of) {}
	__device__ int area(int s) const override { return 2 * of->area(s + 1); }
};

__global__ void make(Square *a, Disc *b) { new (a) Square(5), new (b) Disc; }

__global__ void areas(int *out, const Shape *a, const Shape *b) {
	int i = threadIdx.x;
	Twice twice(i % 2 ? a : b);
	const Shape *of[3] = {a, b, &twice};
	out[i] = of[i % 3]->area(i);
}

int main() {
	std::vector<int> zero(64);
	int *d = upload(zero);
	byTable<<<1, 64>>>(d, 7);
	WAIT();
	auto got = download(d, 64);
	for (int i = 0; i < 64; i++) {
		int first = i % 3 == 0 ? i + 7 : i % 3 == 1 ? i * 7 : i - 7;
		CHECK(got[i] == first + (i & 1 ? i + 14 : i - 14));
	}
	Op ops[4];
	TRY(cudaMemcpyFromSymbol(ops, table, sizeof ops));
	CHECK(ops[0] && ops[1] && ops[2] && !ops[3] && ops[0] != ops[1]);
	byArgument<<<1, 64>>>(d, ops[1]);
	WAIT();
	auto again = download(d, 64);
	for (int i = 0; i < 64; i++)
		CHECK(again[i] == 3 * got[i]);
	Square *a;
	Disc *b;
	TRY(cudaMalloc(&a, sizeof(Square)));
	TRY(cudaMalloc(&b, sizeof(Disc)));
	make<<<1, 1>>>(a, b);
	areas<<<1, 64>>>(d, a, b);
	WAIT();
	got = download(d, 64);
	for (int i = 0; i < 64; i++) {
		int square = 5 * i * i, disc = 3 * i * i, next = (i + 1) * (i + 1);
		CHECK(got[i] == (i % 3 == 0 ? square : i % 3 == 1 ? disc : 2 * (i % 2 ? 5 : 3) * next));
	}
	puts("ok");
}
