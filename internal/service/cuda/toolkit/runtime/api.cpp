// Devices, kernels and errors.
#include "runtime.h"
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

namespace weft {
uint64_t function(const void *stub);
cudaError_t reset();
cudaError_t launch(const void *stub, dim3 grid, dim3 block, void **args, size_t shared, uint64_t stream, bool cooperative, unsigned cluster);

static cudaError_t properties(int device, uint64_t *p, char *name) {
	Call c(WEFT_DEVICE, device);
	cudaError_t e = c.run();
	if (e != cudaSuccess)
		return e;
	memcpy(p, c.rest, WEFT_PROPERTIES * sizeof *p);
	if (name)
		snprintf(name, 256, "%s", c.rest + WEFT_PROPERTIES * sizeof *p);
	return e;
}

// An attribute of a device; -1 for one that is 0 on all of them.
static long attribute(const uint64_t *p, cudaDeviceAttr a) {
	switch (a) {
	case cudaDevAttrMaxThreadsPerBlock:
	case cudaDevAttrMaxBlockDimX:
	case cudaDevAttrMaxBlockDimY: return 1024;
	case cudaDevAttrMaxBlockDimZ: return 64;
	case cudaDevAttrMaxGridDimX: return 2147483647;
	case cudaDevAttrMaxGridDimY:
	case cudaDevAttrMaxGridDimZ: return 65535;
	case cudaDevAttrMaxSharedMemoryPerBlock: return (long)p[WEFT_SHARED_PER_BLOCK];
	case cudaDevAttrTotalConstantMemory: return 65536;
	case cudaDevAttrWarpSize: return 32;
	case cudaDevAttrMaxPitch: return 2147483647;
	case cudaDevAttrMaxRegistersPerBlock:
	case cudaDevAttrMaxRegistersPerMultiprocessor: return (long)p[WEFT_REGISTERS_PER_SM];
	case cudaDevAttrClockRate: return (long)p[WEFT_CLOCK_KHZ];
	case cudaDevAttrTextureAlignment: return 512;
	case cudaDevAttrTexturePitchAlignment: return 32;
	case cudaDevAttrMaxTexture1DLinearWidth: return 134217728;
	case cudaDevAttrMultiProcessorCount: return (long)p[WEFT_SMS];
	case cudaDevAttrMemoryClockRate: return (long)p[WEFT_MEMORY_CLOCK_KHZ];
	case cudaDevAttrGlobalMemoryBusWidth: return (long)p[WEFT_BUS_BITS];
	case cudaDevAttrL2CacheSize: return (long)p[WEFT_L2_BYTES];
	case cudaDevAttrMaxThreadsPerMultiProcessor: return (long)p[WEFT_THREADS_PER_SM];
	case cudaDevAttrComputeCapabilityMajor: return (long)p[WEFT_MAJOR];
	case cudaDevAttrComputeCapabilityMinor: return (long)p[WEFT_MINOR];
	case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return (long)p[WEFT_SHARED_PER_SM];
	case cudaDevAttrMaxSharedMemoryPerBlockOptin: return (long)p[WEFT_SHARED_OPTIN];
	case cudaDevAttrMaxBlocksPerMultiprocessor: return (long)p[WEFT_BLOCKS_PER_SM];
	case cudaDevAttrGpuOverlap:
	case cudaDevAttrAsyncEngineCount:
	case cudaDevAttrCanMapHostMemory:
	case cudaDevAttrConcurrentKernels:
	case cudaDevAttrUnifiedAddressing:
	case cudaDevAttrGlobalL1CacheSupported:
	case cudaDevAttrLocalL1CacheSupported:
	case cudaDevAttrManagedMemory:
	case cudaDevAttrMemoryPoolsSupported:
	case cudaDevAttrConcurrentManagedAccess:
	case cudaDevAttrCooperativeLaunch: return 1;
	case cudaDevAttrClusterLaunch: return p[WEFT_MAJOR] >= 9;
	case cudaDevAttrSingleToDoublePrecisionPerfRatio: return 2;
	case cudaDevAttrMaxTimelineSemaphoreInteropSupported: return 0;
	default: return a > 0 && a < cudaDevAttrMax ? 0 : -1;
	}
}
} // namespace weft

using namespace weft;


extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
	Call c(WEFT_DEVICE, 0);
	cudaError_t e = c.run();
	if (e == cudaSuccess)
		*count = (int)c.value(0);
	return e;
}
cudaError_t cudaSetDevice(int d) {
	int count;
	cudaError_t e = cudaGetDeviceCount(&count);
	if (e != cudaSuccess)
		return e;
	if (d < 0 || d >= count)
		return fail(cudaErrorInvalidDevice);
	device() = (uint32_t)d;
	return cudaSuccess;
}
cudaError_t cudaInitDevice(int d, unsigned, unsigned) { return cudaSetDevice(d); }
cudaError_t cudaSetValidDevices(int *, int) { return cudaSuccess; }
cudaError_t cudaGetDevice(int *d) {
	*d = (int)device();
	return cudaSuccess;
}
cudaError_t cudaChooseDevice(int *d, const struct cudaDeviceProp *) {
	*d = 0;
	return cudaSuccess;
}
static unsigned flagsOfDevice;
cudaError_t cudaSetDeviceFlags(unsigned flags) {
	flagsOfDevice = flags;
	return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
	*flags = flagsOfDevice;
	return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int d) {
	uint64_t p[WEFT_PROPERTIES];
	if (!value)
		return fail(cudaErrorInvalidValue);
	cudaError_t e = properties(d, p, nullptr);
	if (e != cudaSuccess)
		return e;
	long v = attribute(p, attr);
	if (v < 0)
		return fail(cudaErrorInvalidValue);
	*value = (int)v;
	return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int d) {
	uint64_t p[WEFT_PROPERTIES];
	if (!prop)
		return fail(cudaErrorInvalidValue);
	memset(prop, 0, sizeof *prop);
	cudaError_t e = properties(d, p, prop->name);
	if (e != cudaSuccess)
		return e;
	auto get = [&](cudaDeviceAttr a) { return (int)attribute(p, a); };
	prop->totalGlobalMem = p[WEFT_MEMORY_BYTES];
	prop->sharedMemPerBlock = p[WEFT_SHARED_PER_BLOCK];
	prop->regsPerBlock = prop->regsPerMultiprocessor = get(cudaDevAttrMaxRegistersPerBlock);
	prop->warpSize = 32;
	prop->memPitch = (size_t)get(cudaDevAttrMaxPitch);
	prop->maxThreadsPerBlock = prop->maxThreadsDim[0] = prop->maxThreadsDim[1] = 1024;
	prop->maxThreadsDim[2] = 64;
	prop->maxGridSize[0] = 2147483647;
	prop->maxGridSize[1] = prop->maxGridSize[2] = 65535;
	prop->clockRate = get(cudaDevAttrClockRate);
	prop->totalConstMem = 65536;
	prop->major = get(cudaDevAttrComputeCapabilityMajor), prop->minor = get(cudaDevAttrComputeCapabilityMinor);
	prop->textureAlignment = 512, prop->texturePitchAlignment = 32, prop->maxTexture1DLinear = 134217728;
	prop->deviceOverlap = prop->canMapHostMemory = prop->concurrentKernels = prop->asyncEngineCount = prop->unifiedAddressing = 1;
	prop->multiProcessorCount = get(cudaDevAttrMultiProcessorCount);
	prop->memoryClockRate = get(cudaDevAttrMemoryClockRate), prop->memoryBusWidth = get(cudaDevAttrGlobalMemoryBusWidth);
	prop->l2CacheSize = get(cudaDevAttrL2CacheSize);
	prop->maxThreadsPerMultiProcessor = get(cudaDevAttrMaxThreadsPerMultiProcessor);
	prop->globalL1CacheSupported = prop->localL1CacheSupported = prop->managedMemory = prop->concurrentManagedAccess = prop->cooperativeLaunch = prop->memoryPoolsSupported = 1;
	prop->clusterLaunch = get(cudaDevAttrClusterLaunch);
	prop->singleToDoublePrecisionPerfRatio = 2;
	prop->sharedMemPerMultiprocessor = p[WEFT_SHARED_PER_SM], prop->sharedMemPerBlockOptin = p[WEFT_SHARED_OPTIN];
	prop->maxBlocksPerMultiProcessor = get(cudaDevAttrMaxBlocksPerMultiprocessor);
	prop->pciBusID = d + 1;
	return cudaSuccess;
}
#undef cudaGetDeviceProperties
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int d) { return cudaGetDeviceProperties_v2(prop, d); }
cudaError_t cudaDriverGetVersion(int *version) {
	*version = CUDART_VERSION;
	return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
	*version = CUDART_VERSION;
	return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int d) {
	snprintf(id, (size_t)len, "0000:%02x:00.0", d + 1);
	return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *d, const char *id) {
	unsigned domain, bus;
	int count;
	cudaError_t e = cudaGetDeviceCount(&count);
	if (e != cudaSuccess)
		return e;
	if (sscanf(id, "%x:%x", &domain, &bus) != 2 || bus < 1 || (int)bus > count)
		return fail(cudaErrorInvalidDevice);
	*d = (int)bus - 1;
	return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) { return Call(WEFT_SYNCHRONIZE, 0).run(); }
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset(void) { return reset(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

// Limits and preferences have no effect; a program reads what it set.
static size_t limits[16] = {1024, 1 << 20, 8 << 20};
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
	if ((unsigned)limit >= 16)
		return fail(cudaErrorUnsupportedLimit);
	limits[limit] = value;
	return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
	if ((unsigned)limit >= 16)
		return fail(cudaErrorUnsupportedLimit);
	*value = limits[limit];
	return cudaSuccess;
}
static cudaFuncCache cache;
static cudaSharedMemConfig banks;
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
	*config = cache;
	return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
	cache = config;
	return cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
	*config = banks;
	return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
	banks = config;
	return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void *, enum cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncSetSharedMemConfig(const void *, enum cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
	*least = *greatest = 0;
	return cudaSuccess;
}

static cudaError_t peer(int what, int from, int to, int *answer) {
	Call c(WEFT_PEER, what, from, to);
	cudaError_t e = c.run();
	if (e == cudaSuccess && answer)
		*answer = (int)c.value(0);
	return e;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int d, int other) { return peer(0, d, other, can); }
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) { return peer(1, (int)device(), other, nullptr); }
cudaError_t cudaDeviceDisablePeerAccess(int other) { return peer(2, (int)device(), other, nullptr); }
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr, int src, int dst) { return peer(0, src, dst, value); }

cudaError_t cudaGetLastError(void) {
	cudaError_t e = lastError();
	lastError() = cudaSuccess;
	return e;
}
cudaError_t cudaPeekAtLastError(void) { return lastError(); }

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	return launch(func, grid, block, args, shared, (uint64_t)stream, false, 0);
}
cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	return launch(func, grid, block, args, shared, (uint64_t)stream, true, 0);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
	bool cooperative = false;
	unsigned cluster = 0;
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttribute &a = config->attrs[i];
		if (a.id == cudaLaunchAttributeCooperative)
			cooperative = a.val.cooperative;
		else if (a.id == cudaLaunchAttributeClusterDimension) {
			auto byte = [](unsigned n) { return n < 255 ? n : 255; };
			cluster = byte(a.val.clusterDim.x) | byte(a.val.clusterDim.y) << 8 | byte(a.val.clusterDim.z) << 16;
		}
	}
	return launch(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, (uint64_t)config->stream, cooperative, cluster);
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
	uint64_t id = function(func), a[WEFT_ATTRIBUTE_COUNT];
	if (!id)
		return lastError();
	cudaError_t e = Call(WEFT_ATTRIBUTES, id).run(a, sizeof a);
	if (e != cudaSuccess)
		return e;
	memset(attr, 0, sizeof *attr);
	attr->sharedSizeBytes = a[WEFT_STATIC_SHARED], attr->constSizeBytes = a[WEFT_CONSTANT], attr->localSizeBytes = a[WEFT_LOCAL];
	attr->maxThreadsPerBlock = (int)a[WEFT_MAX_THREADS], attr->numRegs = (int)a[WEFT_REGISTERS];
	attr->ptxVersion = (int)a[WEFT_PTX_VERSION], attr->binaryVersion = (int)a[WEFT_BINARY_VERSION];
	attr->maxDynamicSharedSizeBytes = (int)a[WEFT_DYNAMIC_SHARED];
	attr->preferredShmemCarveout = -1;
	return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
	uint64_t id = function(func);
	return id ? Call(WEFT_SET_ATTRIBUTE, id, attr, (uint64_t)(int64_t)value).run() : lastError();
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads, size_t shared, unsigned) {
	uint64_t id = function(func);
	if (!id)
		return lastError();
	Call c(WEFT_OCCUPANCY, id, threads, shared);
	cudaError_t e = c.run();
	if (e == cudaSuccess)
		*blocks = (int)c.value(0);
	return e;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads, size_t shared) {
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared, 0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *func, int blocks, int threads) {
	uint64_t p[WEFT_PROPERTIES];
	cudaError_t e = properties((int)device(), p, nullptr);
	*shared = 0;
	// The most with which so many blocks fit, by bisection.
	for (size_t low = 0, high = p[WEFT_SHARED_PER_SM]; e == cudaSuccess && low <= high;) {
		size_t middle = (low + high) / 2;
		int fit;
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, func, threads, middle);
		if (fit >= blocks)
			*shared = middle, low = middle + 1;
		else if (middle == 0)
			break;
		else
			high = middle - 1;
	}
	return e;
}

const char *cudaGetErrorName(cudaError_t e) {
	switch (e) {
#define WEFT_ERROR(name, text) case name: return #name;
#include "errors.h"
#undef WEFT_ERROR
	default: return "unrecognized error code";
	}
}
const char *cudaGetErrorString(cudaError_t e) {
	switch (e) {
#define WEFT_ERROR(name, text) case name: return text;
#include "errors.h"
#undef WEFT_ERROR
	default: return "unrecognized error code";
	}
}
}
