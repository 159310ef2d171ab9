// The same for other operations than additions, all warps on one line: operation, element, pattern, blocks, threads of a block, and ns of one warp's atomic; see patterns.cu.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

enum Operation { ADD, MIN, MAX, AND, EXCH, CAS, OPERATIONS };
static const char *operations[] = {"add", "min", "max", "and", "exch", "cas"};
enum { DISTINCT, HALVES, TWO, FOUR, ONE, ONE_A_SECTOR, PATTERNS };
static const char *names[] = {"32 words", "16 words, each twice", "2 words in turn", "4 words in turn", "1 word", "4 words of four sectors, each eight times"};

__host__ __device__ inline unsigned wordOf(int pattern, unsigned lane) {
	switch (pattern) {
	case HALVES: return lane / 2;
	case TWO: return lane % 2;
	case FOUR: return lane % 4;
	case ONE: return 0;
	case ONE_A_SECTOR: return lane / 8 * 8;
	}
	return lane;
}

template <int OP, class T> __global__ void work(T *p, int pattern, int times, T *sink) {
	T *at = p + wordOf(pattern, threadIdx.x % 32), value = T(threadIdx.x + blockIdx.x), old = 0;
	for (int k = 0; k < times; k++, value += 7)
		switch (OP) {
		case ADD: atomicAdd(at, value); break;
		case MIN: atomicMin(at, value); break;
		case MAX: atomicMax(at, value); break;
		case AND: atomicAnd(at, value); break;
		case EXCH: old += atomicExch(at, value); break;
		case CAS: old += atomicCAS(at, old, value); break;
		}
	if (old == T(12345)) *sink = old;
}

template <int OP, class T> void each(const char *type, T *p, T *sink, bool quick, bool many_shapes = false) {
	const int2 all[] = {{8, 256}, {132, 256}, {1, 32}, {1, 256}, {1, 1024}, {2, 256}, {4, 256}, {8, 32}, {16, 256}, {33, 32}, {33, 256}, {66, 256}, {132, 32}, {132, 1024}, {264, 1024}}, *of = all;
	int shapes = many_shapes ? sizeof all / sizeof *all : 2;
	cudaEvent_t begin, end;
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int pattern = 0; pattern < PATTERNS; pattern++)
		for (int shape = 0; shape < shapes; shape++) {
			int blocks = of[shape].x, threads = of[shape].y;
			auto ms = [&](int times) {
				float best = 1e9, t;
				for (int i = 0; i < (quick ? 1 : 5); i++) {
					TRY(cudaEventRecord(begin));
					work<OP, T><<<blocks, threads>>>(p, pattern, times, sink);
					TRY(cudaEventRecord(end));
					TRY(cudaEventSynchronize(end));
					TRY(cudaEventElapsedTime(&t, begin, end));
					best = min(best, t);
				}
				return best;
			};
			int few = quick ? 4 : threads * blocks < 4096 ? 256 : 32, many = 2 * few;
			printf("%s,%s,\"%s\",%d,%d,%.3f\n", operations[OP], type, names[pattern], blocks, threads, (ms(many) - ms(few)) * 1e6 / (threads / 32.0 * blocks * few));
			fflush(stdout);
		}
}

template <class T> void all(const char *type, T *p, T *sink, bool quick) {
	if (sizeof(T) == 8) each<ADD, T>(type, p, sink, quick);
	each<MIN, T>(type, p, sink, quick);
	each<MAX, T>(type, p, sink, quick);
	each<EXCH, T>(type, p, sink, quick);
	each<CAS, T>(type, p, sink, quick);
}

int main(int argc, char **argv) {
	void *p, *sink;
	TRY(cudaMalloc(&p, 1 << 20));
	TRY(cudaMalloc(&sink, 8));
	TRY(cudaMemset(p, 0, 1 << 20));
	printf("operation,type,pattern,blocks,threads,ns\n");
	each<ADD, unsigned>("unsigned", (unsigned *)p, (unsigned *)sink, argc > 1, true);
	all<unsigned>("unsigned", (unsigned *)p, (unsigned *)sink, argc > 1);
	each<AND, unsigned>("unsigned", (unsigned *)p, (unsigned *)sink, argc > 1);
	each<MIN, int>("int", (int *)p, (int *)sink, argc > 1);
	all<unsigned long long>("unsigned long long", (unsigned long long *)p, (unsigned long long *)sink, argc > 1);
}
