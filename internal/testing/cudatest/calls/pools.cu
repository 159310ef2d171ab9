// Pools of memory, and prefetches and advice that name a place.
#include "../programs/check.h"

__global__ void fill(int *p, int n, int value) {
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = value;
}

static uint64_t get(cudaMemPool_t pool, cudaMemPoolAttr attr) {
	uint64_t v;
	TRY(cudaMemPoolGetAttribute(pool, attr, &v));
	return v;
}

int main() {
	int supported;
	cudaDeviceProp prop;
	cudaMemPool_t usual, current, mine;
	cudaStream_t s;
	TRY(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
	TRY(cudaGetDeviceProperties(&prop, 0));
	CHECK(supported == 1 && prop.memoryPoolsSupported == 1);
	TRY(cudaStreamCreate(&s));
	TRY(cudaDeviceGetDefaultMemPool(&usual, 0));
	TRY(cudaDeviceGetMemPool(&current, 0));
	CHECK(usual == current);

	// What the pool keeps is between what is used and the threshold.
	uint64_t threshold = 5000;
	TRY(cudaMemPoolSetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &threshold));
	int *a, *b;
	TRY(cudaMallocAsync(&a, 4000, s));
	TRY(cudaMallocAsync(&b, 8000, s));
	CHECK(get(usual, cudaMemPoolAttrUsedMemCurrent) == 12000 && get(usual, cudaMemPoolAttrReservedMemCurrent) == 12000);
	fill<<<1, 64, 0, s>>>(a, 1000, 7);
	TRY(cudaFreeAsync(b, s));
	CHECK(get(usual, cudaMemPoolAttrUsedMemCurrent) == 4000 && get(usual, cudaMemPoolAttrReservedMemCurrent) == 5000);
	CHECK(get(usual, cudaMemPoolAttrUsedMemHigh) == 12000);
	uint64_t zero = 0;
	TRY(cudaMemPoolSetAttribute(usual, cudaMemPoolAttrUsedMemHigh, &zero));
	CHECK(get(usual, cudaMemPoolAttrUsedMemHigh) == 4000);
	TRY(cudaMemPoolTrimTo(usual, 0));
	CHECK(get(usual, cudaMemPoolAttrReservedMemCurrent) == 4000);
	CHECK(download(a, 1000)[999] == 7);
	TRY(cudaFree(a));
	CHECK(get(usual, cudaMemPoolAttrUsedMemCurrent) == 0);
	int reuse = 0;
	TRY(cudaMemPoolSetAttribute(usual, cudaMemPoolReuseAllowOpportunistic, &reuse));
	reuse = 1;
	TRY(cudaMemPoolGetAttribute(usual, cudaMemPoolReuseAllowOpportunistic, &reuse));
	CHECK(reuse == 0);

	// A pool of the program's own.
	cudaMemPoolProps p = {};
	p.allocType = cudaMemAllocationTypePinned, p.location = {cudaMemLocationTypeDevice, 0};
	TRY(cudaMemPoolCreate(&mine, &p));
	TRY(cudaMallocFromPoolAsync(&a, 400, mine, s));
	TRY(cudaMallocAsync(&b, 400, mine, s));
	CHECK(get(mine, cudaMemPoolAttrUsedMemCurrent) == 800 && get(usual, cudaMemPoolAttrUsedMemCurrent) == 0);
	fill<<<1, 64, 0, s>>>(b, 100, 9);
	CHECK(download(b, 100)[99] == 9);
	cudaMemAccessFlags flags;
	cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
	TRY(cudaMemPoolSetAccess(mine, &access, 1));
	TRY(cudaMemPoolGetAccess(&flags, mine, &access.location));
	CHECK(flags == cudaMemAccessFlagsProtReadWrite);
	TRY(cudaDeviceSetMemPool(0, mine));
	int *c;
	TRY(cudaMallocAsync(&c, 100, s));
	CHECK(get(mine, cudaMemPoolAttrUsedMemCurrent) == 900);
	TRY(cudaMemPoolDestroy(mine));
	TRY(cudaDeviceGetMemPool(&current, 0));
	CHECK(current == usual);
	TRY(cudaFreeAsync(a, s));
	TRY(cudaFreeAsync(b, s));
	TRY(cudaFreeAsync(c, s));
	CHECK(cudaMemPoolDestroy(usual) == cudaErrorInvalidValue);
	p.handleTypes = cudaMemHandleTypePosixFileDescriptor;
	CHECK(cudaMemPoolCreate(&mine, &p) == cudaErrorNotSupported);
	CHECK(cudaDeviceGetDefaultMemPool(&mine, 1) == cudaErrorInvalidDevice);

	TRY(cudaMallocManaged(&a, 4000));
	cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0}, nowhere = {};
	TRY(cudaMemPrefetchAsync(a, 4000, device, 0, s));
	TRY(cudaMemAdvise(a, 4000, cudaMemAdviseSetPreferredLocation, host));
	TRY(cudaMemPrefetchAsync_v2(a, 4000, host, 0));
	CHECK(cudaMemAdvise_v2(a, 4000, cudaMemAdviseSetReadMostly, nowhere) == cudaErrorInvalidValue);
	CHECK(cudaMemPrefetchAsync(a, 4000, nowhere, 0u, s) == cudaErrorInvalidValue);
	puts("ok");
}
