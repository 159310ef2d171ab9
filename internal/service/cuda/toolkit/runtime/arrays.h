// Arrays, which are rows in memory of the device.
#pragma once
#include "runtime.h"
#include <__weft_image.h>

struct cudaArray {
	char *memory;
	cudaChannelFormatDesc desc;
	cudaExtent extent; // as it was asked for: 0 for a dimension that the array has not
	unsigned flags;

	size_t texel() const { return (size_t)(desc.x + desc.y + desc.z + desc.w) / 8; }
	size_t pitch() const { return extent.width * texel(); }
	size_t rows() const { return extent.height ? extent.height : 1; }
	size_t slices() const { return extent.depth ? extent.depth : 1; }
	// at returns where a place is, of which x is in bytes.
	char *at(size_t x, size_t y) const { return memory + y * pitch() + x; }
};

namespace weft {

// formatOf returns the format of texels; 0 if there is none of this kind.
unsigned formatOf(const cudaChannelFormatDesc &desc, int mode);
// imageOf describes the rows of an array; its format is 0 if it has none.
__weft_image imageOf(const cudaArray &array, int mode);
// describe writes a description to new memory of the device.
cudaError_t describe(const __weft_image &image, uint64_t *object);

} // namespace weft
