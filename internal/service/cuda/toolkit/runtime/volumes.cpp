// Memory of three dimensions: slices of rows with a pitch.
#include "arrays.h"
#include <cuda_runtime_api.h>

namespace weft {

cudaError_t allocate(void **p, size_t size);
cudaError_t copyRows(char *dst, size_t dpitch, const char *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool wait);

// placed returns where in memory a position is, of which x is in bytes.
static char *placed(const cudaPitchedPtr &p, const cudaPos &pos) { return (char *)p.ptr + (pos.z * p.ysize + pos.y) * p.pitch + pos.x; }

static cudaPitchedPtr volumeOf(const cudaArray &a) { return {a.memory, a.pitch(), a.pitch(), a.rows()}; }

static cudaError_t copyVolume(const cudaMemcpy3DParms *p, cudaStream_t stream, bool wait) {
	if (!p)
		return fail(cudaErrorInvalidValue);
	// With an array, the width is in its texels, and so is x in it.
	const cudaArray *array = p->srcArray ? p->srcArray : p->dstArray;
	size_t width = p->extent.width * (array ? array->texel() : 1);
	cudaPitchedPtr src = p->srcArray ? volumeOf(*p->srcArray) : p->srcPtr, dst = p->dstArray ? volumeOf(*p->dstArray) : p->dstPtr;
	for (size_t z = 0; z < p->extent.depth; z++) {
		cudaPos to = {p->dstPos.x * (p->dstArray ? array->texel() : 1), p->dstPos.y, p->dstPos.z + z};
		cudaPos from = {p->srcPos.x * (p->srcArray ? array->texel() : 1), p->srcPos.y, p->srcPos.z + z};
		cudaError_t e = copyRows(placed(dst, to), dst.pitch, placed(src, from), src.pitch, width, p->extent.height, p->kind, stream, wait && z + 1 == p->extent.depth);
		if (e != cudaSuccess)
			return e;
	}
	return cudaSuccess;
}

} // namespace weft

using namespace weft;

extern "C" {

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent) {
	if (!p)
		return fail(cudaErrorInvalidValue);
	*p = {nullptr, (extent.width + 511) / 512 * 512, extent.width, extent.height};
	return allocate(&p->ptr, p->pitch * extent.height * extent.depth);
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return copyVolume(p, nullptr, true); }
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) { return copyVolume(p, stream, false); }
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent, cudaStream_t stream) {
	for (size_t z = 0; z < extent.depth; z++) {
		cudaError_t e = cudaMemset2DAsync(placed(p, {0, 0, z}), p.pitch, value, extent.width, extent.height, stream);
		if (e != cudaSuccess)
			return e;
	}
	return cudaSuccess;
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) { return cudaMemset3DAsync(p, value, extent, nullptr); }
}
