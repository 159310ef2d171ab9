// Textures of linear memory; arrays.cpp has those of rows.
#include "arrays.h"
#include <cuda_runtime_api.h>

namespace weft {

cudaError_t textureOf(const cudaResourceDesc &resource, const cudaTextureDesc &texture, uint64_t *object);
void unbind(const textureReference *reference);
bool symbol(const void *shadow, uint64_t *address, uint64_t *size);

unsigned formatOf(const cudaChannelFormatDesc &d, int mode) {
	int bits[] = {d.x, d.y, d.z, d.w}, channels = 0;
	while (channels < 4 && bits[channels] == d.x && d.x)
		channels++;
	for (int i = channels; i < 4; i++)
		if (bits[i])
			return 0;
	if (channels == 0 || channels == 3 || (d.x != 8 && d.x != 16 && d.x != 32) || d.f < cudaChannelFormatKindSigned || d.f > cudaChannelFormatKindFloat)
		return 0;
	if (d.f == cudaChannelFormatKindFloat && d.x == 8)
		return 0;
	unsigned format = WEFT_BOUND | (d.x == 32 ? 2 : d.x / 8 - 1) | WEFT_CHANNELS * (channels == 4 ? 2 : channels - 1);
	if (d.f != cudaChannelFormatKindUnsigned)
		format |= d.f == cudaChannelFormatKindSigned ? WEFT_SIGNED : WEFT_FLOAT;
	if (mode == cudaReadModeNormalizedFloat && d.f != cudaChannelFormatKindFloat) {
		if (d.x == 32) // has no fractions
			return 0;
		format |= WEFT_NORMALIZED;
	}
	return format;
}

// bind gives a texture its memory: that of a variable, or a new one.
static cudaError_t bind(uint64_t variable, const void *p, const cudaChannelFormatDesc *desc, size_t size, int mode, uint64_t *texture) {
	if (!p || !desc)
		return fail(cudaErrorInvalidValue);
	unsigned format = formatOf(*desc, mode);
	if (!format)
		return fail(cudaErrorInvalidChannelDescriptor);
	Call c(WEFT_TEXTURE, variable, (uint64_t)p, size, format);
	cudaError_t e = c.run();
	if (e == cudaSuccess && texture)
		*texture = c.value(0);
	return e;
}

} // namespace weft

using namespace weft;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *) {
	if (!object || !resource || !texture)
		return fail(cudaErrorInvalidValue);
	uint64_t made = 0;
	cudaError_t e;
	switch (resource->resType) {
	case cudaResourceTypeLinear:
		e = bind(0, resource->res.linear.devPtr, &resource->res.linear.desc, resource->res.linear.sizeInBytes, texture->readMode, &made);
		break;
	case cudaResourceTypeMipmappedArray:
		missing("cudaCreateTextureObject of a mipmapped array");
	default:
		e = textureOf(*resource, *texture, &made);
	}
	if (e == cudaSuccess)
		*object = made;
	return e;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return object ? cudaFree((void *)object) : cudaSuccess; }
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) { return {x, y, z, w, f}; }

cudaError_t __weftBindTexture(size_t *offset, const struct textureReference *reference, const void *p, const struct cudaChannelFormatDesc *desc, size_t size, int mode) {
	uint64_t address, bytes;
	if (!symbol(reference, &address, &bytes))
		return fail(cudaErrorInvalidTexture);
	if (offset)
		*offset = 0; // any address will do
	unbind(reference);
	return bind(address, p, desc, size, mode, nullptr);
}
// Without the type of the reference nothing says that reads are normalised: programs built by nvcc, whose templates call this, are read
// as they are if they do not.
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *reference, const void *p, const struct cudaChannelFormatDesc *desc, size_t size) {
	return __weftBindTexture(offset, reference, p, desc, size, cudaReadModeElementType);
}
cudaError_t cudaUnbindTexture(const struct textureReference *reference) {
	uint64_t address, bytes;
	if (!symbol(reference, &address, &bytes))
		return fail(cudaErrorInvalidTexture);
	unbind(reference);
	return Call(WEFT_TEXTURE, address).run();
}
}
