// Atomics on numbers of 16 bits, of which two share a word: threads of several blocks add whole numbers, so that each order has the same sum.
#include "../programs/check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Sums {
	half one, beside;
	half2 two;
	__nv_bfloat16 b, c;
	__nv_bfloat162 pair;
	unsigned short taken, free;
};

__global__ void add(Sums *s) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(i % 2 ? &s->one : &s->beside, half(1));
	atomicAdd(&s->two, half2(1, -2));
	atomicAdd(&s->two.x, half(1)); // one of the pair, and the pair, are atomic to each other
	atomicAdd(i % 2 ? &s->b : &s->c, __nv_bfloat16(1));
	atomicAdd(&s->pair, __nv_bfloat162(1, -1));
	if (atomicCAS(&s->taken, (unsigned short)0, (unsigned short)(i + 1)) == 0)
		atomicCAS(&s->free, (unsigned short)7, (unsigned short)9);
}

int main() {
	Sums start = {half(0), half(8), half2(0, 0), __nv_bfloat16(0), __nv_bfloat16(2), __nv_bfloat162(0, 0), 0, 7};
	Sums *s = upload(std::vector<Sums>(1, start));
	add<<<4, 64>>>(s);
	WAIT();
	Sums got = download(s, 1)[0];
	CHECK((float)got.one == 128 && (float)got.beside == 136);
	CHECK((float)got.two.x == 512 && (float)got.two.y == -512);
	CHECK((float)got.b == 128 && (float)got.c == 130);
	CHECK((float)got.pair.x == 256 && (float)got.pair.y == -256);
	CHECK(got.taken >= 1 && got.taken <= 256 && got.free == 9);
	puts("ok");
}
