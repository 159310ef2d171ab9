// A thread stores to shared memory and arrives at an mbarrier; another one waits for it and reads. -DRELAXED leaves out the release, without which nothing orders the two.
#include "../programs/check.h"

__global__ void tell(int *out) {
	__shared__ unsigned long long barrier;
	__shared__ int data;
	unsigned b = (unsigned)__cvta_generic_to_shared(&barrier);
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		data = 5;
#ifdef RELAXED
		asm volatile("{.reg .b64 s; mbarrier.arrive.relaxed.cta.shared.b64 s, [%0];}" ::"r"(b) : "memory");
#else
		asm volatile("{.reg .b64 s; mbarrier.arrive.release.cta.shared.b64 s, [%0];}" ::"r"(b) : "memory");
#endif
	} else if (threadIdx.x == 32) {
		unsigned done;
		do
			asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b) : "memory");
		while (!done);
		out[0] = data;
	}
}

int main() {
	int *out = upload(std::vector<int>(1));
	tell<<<1, 64>>>(out);
	WAIT();
	CHECK(download(out, 1)[0] == 5);
	puts("ok");
}
