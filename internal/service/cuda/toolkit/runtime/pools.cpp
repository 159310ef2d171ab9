// Pools of memory. Memory goes back to the device when it is freed; what a pool would keep is a number that a program can ask for.
#include "graphs.h"
#include "list.h"
#include "runtime.h"
#include <cuda_runtime_api.h>

struct CUmemPoolHandle_st {
	int device;
	int reuse[3]; // attributes 1 to 3, which change nothing
	uint64_t threshold, used, usedHigh, reserved, reservedHigh;
};

namespace weft {

cudaError_t allocate(void **p, size_t size);
cudaError_t release(void *p);

struct Pooled {
	void *p;
	size_t size;
	cudaMemPool_t pool;
};
static List<Pooled> allocations;
static List<CUmemPoolHandle_st *> defaults, chosen; // by device

static cudaMemPool_t newPool(int device) { return new CUmemPoolHandle_st{device, {1, 1, 1}, 0, 0, 0, 0, 0}; }

static cudaError_t known(int device) {
	int count;
	cudaError_t e = cudaGetDeviceCount(&count);
	if (e != cudaSuccess)
		return e;
	if (device < 0 || device >= count)
		return fail(cudaErrorInvalidDevice);
	while (defaults.count < (size_t)count)
		chosen.add(defaults.add(newPool((int)defaults.count)));
	return cudaSuccess;
}

static void keepAtMost(cudaMemPool_t pool, uint64_t bytes) {
	if (pool->reserved > bytes)
		pool->reserved = bytes > pool->used ? bytes : pool->used;
}

static cudaError_t allocateFrom(cudaMemPool_t pool, void **p, size_t size) {
	cudaError_t e = allocate(p, size);
	if (e != cudaSuccess || !*p)
		return e;
	allocations.add({*p, size, pool});
	pool->used += size;
	if (pool->used > pool->usedHigh)
		pool->usedHigh = pool->used;
	if (pool->used > pool->reserved)
		pool->reserved = pool->used;
	if (pool->reserved > pool->reservedHigh)
		pool->reservedHigh = pool->reserved;
	return e;
}

// released takes memory out of its pool, if it is of one.
void released(void *p) {
	for (size_t i = 0; i < allocations.count; i++) {
		Pooled &a = allocations.items[i];
		if (a.p != p)
			continue;
		a.pool->used -= a.size;
		keepAtMost(a.pool, a.pool->threshold);
		allocations.remove(i);
		return;
	}
}

// resetPools forgets them all, with the memory.
void resetPools() {
	allocations.clear();
	defaults.clear();
	chosen.clear();
}

} // namespace weft

using namespace weft;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
	cudaError_t e = known(device);
	if (e == cudaSuccess)
		*pool = defaults.items[device];
	return e;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
	cudaError_t e = known(device);
	if (e == cudaSuccess)
		*pool = chosen.items[device];
	return e;
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
	cudaError_t e = known(device);
	if (e == cudaSuccess && (!pool || pool->device != device))
		e = fail(cudaErrorInvalidValue);
	if (e == cudaSuccess)
		chosen.items[device] = pool;
	return e;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
	if (!pool || !props || props->allocType != cudaMemAllocationTypePinned || props->location.type != cudaMemLocationTypeDevice)
		return fail(cudaErrorInvalidValue);
	if (props->handleTypes != cudaMemHandleTypeNone) // of other processes
		return fail(cudaErrorNotSupported);
	cudaError_t e = known(props->location.id);
	if (e == cudaSuccess)
		*pool = newPool(props->location.id);
	return e;
}
// A pool that is destroyed stays until its memory is freed; its device goes back to the default one.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
	if (!pool || known(pool->device) != cudaSuccess || defaults.items[pool->device] == pool)
		return fail(cudaErrorInvalidValue);
	if (chosen.items[pool->device] == pool)
		chosen.items[pool->device] = defaults.items[pool->device];
	return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
	if (!pool || !value)
		return fail(cudaErrorInvalidValue);
	switch (attr) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies: pool->reuse[attr - 1] = *(int *)value; return cudaSuccess;
	case cudaMemPoolAttrReleaseThreshold: pool->threshold = *(uint64_t *)value; return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh:
		if (*(uint64_t *)value != 0) // only a reset
			return fail(cudaErrorInvalidValue);
		(attr == cudaMemPoolAttrUsedMemHigh ? pool->usedHigh : pool->reservedHigh) = attr == cudaMemPoolAttrUsedMemHigh ? pool->used : pool->reserved;
		return cudaSuccess;
	default: return fail(cudaErrorInvalidValue);
	}
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
	if (!pool || !value)
		return fail(cudaErrorInvalidValue);
	switch (attr) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies: *(int *)value = pool->reuse[attr - 1]; return cudaSuccess;
	case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->threshold; return cudaSuccess;
	case cudaMemPoolAttrReservedMemCurrent: *(uint64_t *)value = pool->reserved; return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh: *(uint64_t *)value = pool->reservedHigh; return cudaSuccess;
	case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; return cudaSuccess;
	case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->usedHigh; return cudaSuccess;
	default: return fail(cudaErrorInvalidValue);
	}
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
	if (!pool)
		return fail(cudaErrorInvalidValue);
	keepAtMost(pool, keep);
	return cudaSuccess;
}
// A GPU reaches the memory of another one if it can at all, whatever a pool says.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count) {
	if (!pool || !access)
		return fail(cudaErrorInvalidValue);
	for (size_t i = 0; i < count; i++) {
		int can = 1, other = access[i].location.id;
		if (access[i].location.type != cudaMemLocationTypeDevice)
			return fail(cudaErrorInvalidValue);
		cudaError_t e = other == pool->device ? cudaSuccess : cudaDeviceCanAccessPeer(&can, other, pool->device);
		if (e != cudaSuccess || !can)
			return fail(cudaErrorInvalidDevice);
	}
	return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location) {
	int can = 1;
	cudaError_t e = location->id == pool->device ? cudaSuccess : cudaDeviceCanAccessPeer(&can, location->id, pool->device);
	*flags = e == cudaSuccess && can ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
	return e;
}

cudaError_t cudaMallocFromPoolAsync(void **p, size_t size, cudaMemPool_t pool, cudaStream_t) {
	if (!p || !pool)
		return fail(cudaErrorInvalidValue);
	return allocateFrom(pool, p, size);
}
cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t) {
	cudaError_t e = p ? known((int)device()) : fail(cudaErrorInvalidValue);
	return e == cudaSuccess ? allocateFrom(chosen.items[device()], p, size) : e;
}
// What a captured stream frees stays, since the graph may be launched again.
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) { return capturing(stream) ? cudaSuccess : release(p); }
}
