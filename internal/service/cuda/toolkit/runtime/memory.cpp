// Memory: of the device, which only weft holds, and shared memory, which lies at the same addresses in the program.
#include "graphs.h"
#include "runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cuda_runtime_api.h>

namespace weft {

static thread_local Site at = {"", 0};
Site &site() { return at; }

Site siteOnce() {
	Site s = at;
	at = {"", 0};
	return s;
}

cudaError_t map(uint64_t address, uint64_t bytes, const char *path) {
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return fail(cudaErrorOperatingSystem);
	void *p = mmap((void *)address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	close(fd);
	if (p != (void *)address) {
		if (p != MAP_FAILED)
			munmap(p, bytes);
		fprintf(stderr, "weft: the program has memory of its own at %#lx, where memory that it shares with the GPU has to be\n", (unsigned long)address);
		return fail(cudaErrorOperatingSystem);
	}
	return cudaSuccess;
}

cudaError_t share(void **p, size_t size, int kind) {
	Site s = siteOnce();
	if (!p)
		return fail(cudaErrorInvalidValue);
	*p = nullptr;
	if (size == 0)
		return kind == WEFT_MANAGED ? fail(cudaErrorInvalidValue) : cudaSuccess;
	Call c(WEFT_SHARE, size, kind, s.line);
	c.add(s.file, strlen(s.file));
	cudaError_t e = c.run();
	if (e != cudaSuccess || (e = map(c.value(0), c.value(1), c.rest)) != cudaSuccess)
		return e;
	*p = (void *)c.value(0);
	return cudaSuccess;
}

cudaError_t allocate(void **p, size_t size) {
	Site s = siteOnce();
	if (!p)
		return fail(cudaErrorInvalidValue);
	*p = nullptr;
	if (size == 0)
		return cudaSuccess;
	Call c(WEFT_MALLOC, size, s.line);
	c.add(s.file, strlen(s.file));
	cudaError_t e = c.run();
	if (e == cudaSuccess)
		*p = (void *)c.value(0);
	return e;
}

void released(void *p);

cudaError_t release(void *p) {
	if (!p)
		return cudaSuccess;
	Call c(WEFT_FREE, (uint64_t)p);
	cudaError_t e = c.run();
	if (e != cudaSuccess)
		return e;
	released(p);
	if (c.value(0))
		munmap(p, c.value(0));
	return e;
}

void forget();
void resetPools();

// reset gives up all memory, also what the program has at the same addresses, and code, which is loaded again when it is used.
cudaError_t reset() {
	Call c(WEFT_RESET);
	cudaError_t e = c.run();
	if (e != cudaSuccess)
		return e;
	const uint64_t *at = (const uint64_t *)c.rest;
	for (uint64_t i = 0; i < c.value(0); i++, at += 2)
		munmap((void *)at[0], at[1]);
	forget();
	resetPools();
	return e;
}

static bool onDevice(const void *p) {
	Call c(WEFT_POINTER, (uint64_t)p);
	return c.run() == cudaSuccess && c.value(0) != WEFT_UNKNOWN;
}

// direction finds out what cudaMemcpyDefault stands for.
static cudaMemcpyKind direction(const void *dst, const void *src, cudaMemcpyKind kind) {
	if (kind != cudaMemcpyDefault)
		return kind;
	bool to = onDevice(dst), from = onDevice(src);
	return to ? (from ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice) : (from ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
}

cudaError_t copy(void *dst, const void *src, size_t n, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
	if (n == 0)
		return cudaSuccess;
	if (!dst || !src)
		return fail(cudaErrorInvalidValue);
	switch (direction(dst, src, kind)) {
	case cudaMemcpyHostToDevice: {
		Call c(WEFT_WRITE, (uint64_t)dst, (uint64_t)stream, wait);
		c.add(src, n);
		return c.run();
	}
	case cudaMemcpyDeviceToHost:
		return Call(WEFT_READ, (uint64_t)src, n, (uint64_t)stream, (uint64_t)dst, wait).run();
	case cudaMemcpyDeviceToDevice:
		return Call(WEFT_COPY, (uint64_t)dst, (uint64_t)src, n, (uint64_t)stream).run();
	case cudaMemcpyHostToHost: {
		if (recording(stream))
			missing("a copy within the host in a graph");
		cudaError_t e = Call(WEFT_SYNCHRONIZE, 1, (uint64_t)stream).run();
		if (e == cudaSuccess)
			memmove(dst, src, n);
		return e;
	}
	default:
		return fail(cudaErrorInvalidMemcpyDirection);
	}
}

cudaError_t copyRows(char *dst, size_t dpitch, const char *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
	if (width > dpitch || width > spitch)
		return fail(cudaErrorInvalidPitchValue);
	for (size_t y = 0; y < height; y++) {
		cudaError_t e = copy(dst + y * dpitch, src + y * spitch, width, kind, stream, wait && y + 1 == height);
		if (e != cudaSuccess)
			return e;
	}
	return cudaSuccess;
}

bool symbol(const void *shadow, uint64_t *address, uint64_t *size);

// within returns where in a symbol an offset is; null if the range is not in it.
static void *within(const void *shadow, size_t offset, size_t count) {
	uint64_t address, size;
	if (!symbol(shadow, &address, &size))
		return nullptr;
	if (offset > size || count > size - offset) {
		fail(cudaErrorInvalidValue);
		return nullptr;
	}
	return (void *)(address + offset);
}

} // namespace weft

using namespace weft;

extern "C" {

void __weftSite(const char *file, unsigned line) { site() = {file, line}; }

cudaError_t cudaMalloc(void **p, size_t size) { return allocate(p, size); }
cudaError_t cudaMallocManaged(void **p, size_t size, unsigned flags) {
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return fail(cudaErrorInvalidValue);
	return share(p, size, WEFT_MANAGED);
}
cudaError_t cudaMallocHost(void **p, size_t size) { return share(p, size, WEFT_HOST); }
cudaError_t cudaHostAlloc(void **p, size_t size, unsigned) { return share(p, size, WEFT_HOST); }
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
	if (!pitch)
		return fail(cudaErrorInvalidValue);
	*pitch = (width + 511) / 512 * 512;
	return allocate(p, *pitch * height);
}
cudaError_t cudaFree(void *p) { return release(p); }
cudaError_t cudaFreeHost(void *p) { return release(p); }

// Memory of the program's own stays where it is, so that a device cannot have it at the same address: only the request for
// pinned memory succeeds, by which copies become faster.
cudaError_t cudaHostRegister(void *p, size_t size, unsigned flags) {
	if (!p || !size)
		return fail(cudaErrorInvalidValue);
	if (flags & cudaHostRegisterMapped)
		return fail(cudaErrorNotSupported);
	return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *p) { return p ? cudaSuccess : fail(cudaErrorInvalidValue); }
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned) {
	Call c(WEFT_POINTER, (uint64_t)host);
	cudaError_t e = c.run();
	if (e == cudaSuccess && c.value(0) != WEFT_HOST && c.value(0) != WEFT_MANAGED)
		e = fail(cudaErrorInvalidValue);
	*device = e == cudaSuccess ? host : nullptr;
	return e;
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *) {
	*flags = cudaHostAllocMapped;
	return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
	Call c(WEFT_MEMORY);
	cudaError_t e = c.run();
	if (e == cudaSuccess)
		*free = c.value(0), *total = c.value(1);
	return e;
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attr, const void *p) {
	Call c(WEFT_POINTER, (uint64_t)p);
	cudaError_t e = c.run();
	if (e != cudaSuccess)
		return e;
	static const cudaMemoryType types[] = {cudaMemoryTypeUnregistered, cudaMemoryTypeDevice, cudaMemoryTypeHost, cudaMemoryTypeManaged};
	uint64_t kind = c.value(0);
	attr->type = types[kind];
	attr->device = kind == WEFT_UNKNOWN ? -2 : (int)c.value(1);
	attr->devicePointer = kind == WEFT_UNKNOWN ? nullptr : (void *)p;
	attr->hostPointer = kind == WEFT_GLOBAL ? nullptr : (void *)p;
	return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, cudaMemcpyKind kind) { return copy(dst, src, count, kind, nullptr, true); }
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) { return copy(dst, src, count, kind, stream, false); }
cudaError_t cudaMemcpyPeer(void *dst, int, const void *src, int, size_t count) { return copy(dst, src, count, cudaMemcpyDeviceToDevice, nullptr, true); }
cudaError_t cudaMemcpyPeerAsync(void *dst, int, const void *src, int, size_t count, cudaStream_t stream) { return copy(dst, src, count, cudaMemcpyDeviceToDevice, stream, false); }
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind) {
	return copyRows((char *)dst, dpitch, (const char *)src, spitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
	return copyRows((char *)dst, dpitch, (const char *)src, spitch, width, height, kind, stream, false);
}
cudaError_t cudaMemcpyToSymbol(const void *shadow, const void *src, size_t count, size_t offset, cudaMemcpyKind kind) {
	void *to = within(shadow, offset, count);
	return to ? copy(to, src, count, kind, nullptr, true) : lastError();
}
cudaError_t cudaMemcpyToSymbolAsync(const void *shadow, const void *src, size_t count, size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
	void *to = within(shadow, offset, count);
	return to ? copy(to, src, count, kind, stream, false) : lastError();
}
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *shadow, size_t count, size_t offset, cudaMemcpyKind kind) {
	void *from = within(shadow, offset, count);
	return from ? copy(dst, from, count, kind, nullptr, true) : lastError();
}
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *shadow, size_t count, size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
	void *from = within(shadow, offset, count);
	return from ? copy(dst, from, count, kind, stream, false) : lastError();
}
cudaError_t cudaGetSymbolAddress(void **p, const void *shadow) {
	uint64_t address, size;
	if (!symbol(shadow, &address, &size))
		return lastError();
	*p = (void *)address;
	return cudaSuccess;
}
cudaError_t cudaGetSymbolSize(size_t *p, const void *shadow) {
	uint64_t address, size;
	if (!symbol(shadow, &address, &size))
		return lastError();
	*p = size;
	return cudaSuccess;
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
	if (width == 0 || height == 0)
		return cudaSuccess;
	return Call(WEFT_SET, (uint64_t)p, (uint8_t)value, width, height, pitch, (uint64_t)stream).run();
}
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) { return cudaMemset2DAsync(p, pitch, value, width, height, nullptr); }
cudaError_t cudaMemsetAsync(void *p, int value, size_t count, cudaStream_t stream) { return cudaMemset2DAsync(p, count, value, count, 1, stream); }
cudaError_t cudaMemset(void *p, int value, size_t count) { return cudaMemset2DAsync(p, count, value, count, 1, nullptr); }

// Shared memory is where both sides use it: nothing moves, and advice changes nothing.
cudaError_t cudaMemPrefetchAsync(const void *p, size_t, int, cudaStream_t) { return onDevice(p) ? cudaSuccess : fail(cudaErrorInvalidValue); }
cudaError_t cudaMemAdvise(const void *p, size_t, cudaMemoryAdvise, int) { return onDevice(p) ? cudaSuccess : fail(cudaErrorInvalidValue); }
static bool isPlace(const struct cudaMemLocation &l) { return l.type >= cudaMemLocationTypeDevice && l.type <= cudaMemLocationTypeHostNumaCurrent; }
cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t count, struct cudaMemLocation location, unsigned flags, cudaStream_t stream) {
	return isPlace(location) && !flags ? cudaMemPrefetchAsync(p, count, location.id, stream) : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemAdvise_v2(const void *p, size_t count, cudaMemoryAdvise advice, struct cudaMemLocation location) {
	return isPlace(location) ? cudaMemAdvise(p, count, advice, location.id) : fail(cudaErrorInvalidValue);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned) { return cudaSuccess; }
}
