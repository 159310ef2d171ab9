// Arrays, and textures and surfaces of rows.
#include "arrays.h"
#include "list.h"
#include <cuda_runtime_api.h>
#include <string.h>

namespace weft {

cudaError_t allocate(void **p, size_t size);
cudaError_t copy(void *dst, const void *src, size_t n, cudaMemcpyKind kind, cudaStream_t stream, bool wait);
cudaError_t copyRows(char *dst, size_t dpitch, const char *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool wait);
bool symbol(const void *shadow, uint64_t *address, uint64_t *size);

__weft_image imageOf(const cudaArray &a, int mode) {
	__weft_image m = {};
	m.texels = a.memory, m.format = formatOf(a.desc, mode);
	m.width = (unsigned)a.extent.width, m.height = (unsigned)a.rows(), m.depth = (unsigned)a.slices();
	m.pitch = (unsigned)a.pitch(), m.slice = a.pitch() * a.rows();
	return m;
}

cudaError_t describe(const __weft_image &image, uint64_t *object) {
	void *p;
	cudaError_t e = image.format ? allocate(&p, sizeof image) : fail(cudaErrorInvalidChannelDescriptor);
	if (e == cudaSuccess)
		e = copy(p, &image, sizeof image, cudaMemcpyHostToDevice, nullptr, true);
	if (e == cudaSuccess)
		*object = (uint64_t)p;
	return e;
}

// modeOf returns what a fetch does outside and between texels. Without normalised coordinates all outside is the edge, or the border.
static unsigned modeOf(const cudaTextureAddressMode *outside, bool linear, bool normalized) {
	unsigned mode = (linear ? WEFT_IMAGE_LINEAR : 0) | (normalized ? WEFT_IMAGE_NORMALIZED : 0);
	for (int i = 0; i < 3; i++)
		mode |= (normalized || outside[i] == cudaAddressModeBorder ? outside[i] : cudaAddressModeClamp) << 2 * i;
	return mode;
}

// textureOf describes a texture of an array or of rows with a pitch.
cudaError_t textureOf(const cudaResourceDesc &r, const cudaTextureDesc &t, uint64_t *object) {
	__weft_image m;
	if (r.resType == cudaResourceTypeArray) {
		if (!r.res.array.array)
			return fail(cudaErrorInvalidValue);
		m = imageOf(*r.res.array.array, t.readMode);
	} else {
		cudaArray rows = {(char *)r.res.pitch2D.devPtr, r.res.pitch2D.desc, {r.res.pitch2D.width, r.res.pitch2D.height, 0}, 0};
		m = imageOf(rows, t.readMode);
		m.pitch = (unsigned)r.res.pitch2D.pitchInBytes;
	}
	// Only numbers that are read as floats are mixed.
	if (t.filterMode == cudaFilterModeLinear && !(m.format & (WEFT_FLOAT | WEFT_NORMALIZED)))
		return fail(cudaErrorInvalidFilterSetting);
	m.mode = modeOf(t.addressMode, t.filterMode == cudaFilterModeLinear, t.normalizedCoords);
	memcpy(m.border, t.borderColor, sizeof m.border);
	return describe(m, object);
}

struct Bound {
	const textureReference *reference;
	uint64_t object;
};
static List<Bound> bound; // references, with their descriptions
void unbind(const textureReference *reference) {
	for (size_t i = 0; i < bound.count; i++)
		if (bound.items[i].reference == reference) {
			cudaFree((void *)bound.items[i].object);
			bound.remove(i);
			return;
		}
}

} // namespace weft

using namespace weft;

extern "C" {

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags) {
	if (!array || !desc || !extent.width)
		return fail(cudaErrorInvalidValue);
	if (flags & cudaArrayCubemap)
		missing("cudaMalloc3DArray of cube maps");
	if (!formatOf(*desc, cudaReadModeElementType))
		return fail(cudaErrorInvalidChannelDescriptor);
	cudaArray a = {nullptr, *desc, extent, flags};
	cudaError_t e = allocate((void **)&a.memory, a.pitch() * a.rows() * a.slices());
	if (e == cudaSuccess)
		*array = new cudaArray(a);
	return e;
}
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned flags) {
	return cudaMalloc3DArray(array, desc, {width, height, 0}, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
	if (!array)
		return cudaSuccess;
	cudaError_t e = cudaFree(array->memory);
	delete array;
	return e;
}
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags, cudaArray_t array) {
	if (!array)
		return fail(cudaErrorInvalidResourceHandle);
	if (desc)
		*desc = array->desc;
	if (extent)
		*extent = array->extent;
	if (flags)
		*flags = array->flags;
	return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) { return cudaArrayGetInfo(desc, nullptr, nullptr, (cudaArray_t)array); }

// Rows follow each other without a gap, so that a range of bytes goes on in the next row.
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
	return copy(dst->at(x, y), src, count, kind, stream, false);
}
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
	return copy(dst, src->at(x, y), count, kind, stream, false);
}
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count, enum cudaMemcpyKind kind) { return copy(dst->at(x, y), src, count, kind, nullptr, true); }
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind) { return copy(dst, src->at(x, y), count, kind, nullptr, true); }
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
	return copyRows(dst->at(x, y), dst->pitch(), (const char *)src, pitch, width, height, kind, stream, false);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
	return copyRows(dst->at(x, y), dst->pitch(), (const char *)src, pitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
	return copyRows((char *)dst, pitch, src->at(x, y), src->pitch(), width, height, kind, stream, false);
}
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
	return copyRows((char *)dst, pitch, src->at(x, y), src->pitch(), width, height, kind, nullptr, true);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource) {
	if (!object || !resource || resource->resType != cudaResourceTypeArray || !resource->res.array.array)
		return fail(cudaErrorInvalidValue);
	uint64_t made = 0;
	cudaError_t e = describe(imageOf(*resource->res.array.array, cudaReadModeElementType), &made);
	*object = made;
	return e;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return object ? cudaFree((void *)object) : cudaSuccess; }

// The variable of the reference says where the description is.
cudaError_t __weftBindImage(const struct textureReference *reference, cudaArray_const_t array, const void *p, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch, int mode) {
	uint64_t address, bytes, object;
	if (!symbol(reference, &address, &bytes))
		return fail(cudaErrorInvalidTexture);
	cudaResourceDesc r = {};
	if (array) {
		r.resType = cudaResourceTypeArray, r.res.array.array = (cudaArray_t)array;
	} else {
		r.resType = cudaResourceTypePitch2D;
		r.res.pitch2D.devPtr = (void *)p, r.res.pitch2D.desc = *desc, r.res.pitch2D.width = width, r.res.pitch2D.height = height, r.res.pitch2D.pitchInBytes = pitch;
	}
	cudaTextureDesc t = {};
	memcpy(t.addressMode, reference->addressMode, sizeof t.addressMode);
	t.filterMode = reference->filterMode, t.normalizedCoords = reference->normalized, t.readMode = (cudaTextureReadMode)mode;
	unbind(reference);
	cudaError_t e = textureOf(r, t, &object);
	if (e != cudaSuccess)
		return e;
	bound.add({reference, object});
	struct { uint64_t at; unsigned count, format; } head = {object, 0, WEFT_IMAGE_REFERENCE};
	return copy((void *)address, &head, sizeof head, cudaMemcpyHostToDevice, nullptr, true);
}
}
