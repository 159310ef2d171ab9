// The runtime API for C++: pointers of any type, symbols and kernels by name.
#pragma once

// Allocations tell weft in which line they are, by which reports name the memory.
#define __WEFT_AT const char *__file = __builtin_FILE(), unsigned __line = __builtin_LINE()
// A program may take the address of one, as Thrust does: that of the form without a place. In a call clang prefers the other form, since it has a condition.
#if defined(__has_attribute) && __has_attribute(enable_if)
#define __WEFT_PREFERRED __attribute__((enable_if(true, "")))
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t size) { return __weft_cudaMalloc((void **)p, size); }
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream) { return __weft_cudaMallocAsync((void **)p, size, stream); }
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t size, unsigned flags) { return __weft_cudaMallocManaged((void **)p, size, flags); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t size) { return __weft_cudaMallocHost((void **)p, size); }
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned flags) { return __weft_cudaHostAlloc((void **)p, size, flags); }
#else
#define __WEFT_PREFERRED
#endif
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t size, __WEFT_AT) __WEFT_PREFERRED { return __weftSite(__file, __line), __weft_cudaMalloc((void **)p, size); }
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream, __WEFT_AT) __WEFT_PREFERRED { return __weftSite(__file, __line), __weft_cudaMallocAsync((void **)p, size, stream); }
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t size, unsigned flags = cudaMemAttachGlobal, __WEFT_AT) __WEFT_PREFERRED { return __weftSite(__file, __line), __weft_cudaMallocManaged((void **)p, size, flags); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned flags = 0, __WEFT_AT) __WEFT_PREFERRED { return __weftSite(__file, __line), __weft_cudaHostAlloc((void **)p, size, flags); }
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned flags, __WEFT_AT) __WEFT_PREFERRED { return __weftSite(__file, __line), __weft_cudaHostAlloc((void **)p, size, flags); }
template <class T> static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height, __WEFT_AT) __WEFT_PREFERRED { return __weftSite(__file, __line), __weft_cudaMallocPitch((void **)p, pitch, width, height); }
#undef __WEFT_AT
#undef __WEFT_PREFERRED
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream) { return cudaMallocFromPoolAsync((void **)p, size, pool, stream); }
template <class T> static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream) { return cudaMallocFromPoolAsync((void **)p, size, pool, stream); }
// As CUDA 13 has them, by the names of before.
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, cudaMemLocation location, unsigned flags, cudaStream_t stream = 0) { return cudaMemPrefetchAsync_v2(p, count, location, flags, stream); }
static inline cudaError_t cudaMemAdvise(const void *p, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) { return cudaMemAdvise_v2(p, count, advice, location); }
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) { return cudaHostGetDevicePointer((void **)device, host, flags); }
template <class T> static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0, unsigned flags = cudaMemAttachSingle) { return cudaStreamAttachMemAsync(stream, (void *)p, length, flags); }
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }

template <class T> static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
	return cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T> static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
	return cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
	return cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T> static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
	return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) { return cudaGetSymbolAddress(p, (const void *)&symbol); }
template <class P, class T> static inline cudaError_t cudaGetSymbolAddress(P **p, const T &symbol) { return cudaGetSymbolAddress((void **)p, (const void *)&symbol); }
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) { return cudaGetSymbolSize(size, (const void *)&symbol); }

#ifdef __CUDA__
// Errors on a device, where no call of the runtime can make one.
extern "C" {
static __device__ __inline__ cudaError_t cudaGetLastError(void) { return cudaSuccess; }
static __device__ __inline__ cudaError_t cudaPeekAtLastError(void) { return cudaSuccess; }
static __device__ __inline__ const char *cudaGetErrorName(cudaError_t e) { return e == cudaSuccess ? "cudaSuccess" : "cudaErrorUnknown"; }
static __device__ __inline__ const char *cudaGetErrorString(cudaError_t e) { return e == cudaSuccess ? "no error" : "unknown error"; }
}
// Launches by kernels, which weft has not: sources that leave them out where __CUDACC_RDC__ is missing still name them.
extern "C" {
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ void *cudaGetParameterBufferV2(void *func, dim3 grid, dim3 block, unsigned shared);
__device__ cudaError_t cudaLaunchDevice(void *func, void *arguments, dim3 grid, dim3 block, unsigned shared, cudaStream_t stream);
__device__ cudaError_t cudaLaunchDeviceV2(void *arguments, cudaStream_t stream);
}
#endif

template <class T> static inline cudaError_t cudaLaunchKernel(T *func, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0) {
	return cudaLaunchKernel((const void *)func, grid, block, args, shared, stream);
}
template <class T> static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0) {
	return cudaLaunchCooperativeKernel((const void *)func, grid, block, args, shared, stream);
}
template <class... P, class... A> static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*func)(P...), A &&...args) {
	return [&](P... values) {
		void *list[] = {(void *)&values..., nullptr};
		return cudaLaunchKernelExC(config, (const void *)func, list);
	}(static_cast<P>(args)...);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *func) { return cudaFuncGetAttributes(attr, (const void *)func); }
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attr, int value) { return cudaFuncSetAttribute((const void *)func, attr, value); }
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache config) { return cudaFuncSetCacheConfig((const void *)func, config); }
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, enum cudaSharedMemConfig config) { return cudaFuncSetSharedMemConfig((const void *)func, config); }

template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T func, int threads, size_t shared) {
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)func, threads, shared);
}
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T func, int threads, size_t shared, unsigned flags) {
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)func, threads, shared, flags);
}
template <class T> static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T func, int blocks, int threads) {
	return cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)func, blocks, threads);
}

// The block with which most threads are resident, the largest of those, and the smallest grid that fills the device.
template <class F, class T> static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T func, F shared, int limit = 0) {
	cudaFuncAttributes a;
	int device, sms, best = 0;
	cudaError_t e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaFuncGetAttributes(&a, (const void *)func);
	if (e != cudaSuccess)
		return e;
	int most = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
	for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
		int size = threads < most ? threads : most, blocks = 0;
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)func, size, shared(size));
		if (e != cudaSuccess)
			return e;
		if (blocks * size > best)
			best = blocks * size, *block = size, *grid = blocks * sms;
	}
	return cudaSuccess;
}
template <class T> static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T func, size_t shared = 0, int limit = 0) {
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, func, [=](int) { return shared; }, limit);
}

static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t xsize, size_t ysize) { return {p, pitch, xsize, ysize}; }
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
