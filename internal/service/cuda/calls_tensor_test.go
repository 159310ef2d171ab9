package cuda

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/tensormap"
)

// TestTensorMapArgs says which arguments of cuTensorMapEncodeTiled are wrong, and which are not supported.
func TestTensorMapArgs(t *testing.T) {
	good := tensorMapArgs{number: 6, rank: 3, address: 0x1000, sizes: [5]uint64{100, 50, 7}, strides: [5]uint64{0, 208, 208 * 50}, box: [5]uint64{64, 8, 2}, steps: [5]uint64{1, 1, 1}, swizzle: 3}
	m, c, why := good.tensor()
	require.Empty(t, why)
	assert.Equal(t, success, c)
	assert.Equal(t, tensormap.Map{Dims: 3, Elem: 2, Sizes: [3]uint64{100, 50, 7}, Pitches: [3]uint64{1, 104, 104 * 50}, Box: [3]uint64{64, 8, 2}, Swizzle: 128}, m)
	for _, test := range []struct {
		change func(a *tensorMapArgs)
		code   code
		why    string
	}{
		{func(a *tensorMapArgs) { a.rank = 0 }, invalidValue, "tensorRank is 0; want 1 to 5"},
		{func(a *tensorMapArgs) { a.rank = 4 }, notSupported, "tensorRank is 4; at most 3 are supported"},
		{func(a *tensorMapArgs) { a.number = 13 }, invalidValue, "a value of an enumeration that it does not have"},
		{func(a *tensorMapArgs) { a.number = 11 }, notSupported, "tensorDataType CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 is not supported: its copies change what they copy; use one of 8 to 64 bits without FTZ"},
		{func(a *tensorMapArgs) { a.interleave = 1 }, notSupported, "interleave is not supported; use CU_TENSOR_MAP_INTERLEAVE_NONE"},
		{func(a *tensorMapArgs) { a.fill = 1 }, notSupported, "oobFill is not supported; what is outside of a tensor is zeros (CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)"},
		{func(a *tensorMapArgs) { a.address = 0x1008 }, invalidValue, "globalAddress is 0x1008; want a multiple of 16"},
		{func(a *tensorMapArgs) { a.sizes[1] = 0 }, invalidValue, "globalDim[1] is 0; want 1 to 2^32"},
		{func(a *tensorMapArgs) { a.sizes[0] = 1 << 32 }, notSupported, "globalDim[0] is 2^32; at most 2^32-1 is supported"},
		{func(a *tensorMapArgs) { a.box[2] = 257 }, invalidValue, "boxDim[2] is 257; want 1 to 256"},
		{func(a *tensorMapArgs) { a.steps[0] = 9 }, invalidValue, "elementStrides[0] is 9; want 1 to 8"},
		{func(a *tensorMapArgs) { a.steps[1] = 2 }, notSupported, "elementStrides[1] is 2; boxes of every element alone are supported"},
		{func(a *tensorMapArgs) { a.strides[1] = 200 }, invalidValue, "globalStrides[0] is 200; want a multiple of 16 below 2^40"},
		{func(a *tensorMapArgs) { a.strides[2] = 1 << 33 }, notSupported, "globalStrides[1] is 8589934592; at most 4294967280 is supported"},
		{func(a *tensorMapArgs) { a.box[0] = 60 }, invalidValue, "boxDim[0] is 60 elements, 120 bytes; want a multiple of 16 bytes"},
		{func(a *tensorMapArgs) { a.swizzle = 2 }, invalidValue, "boxDim[0] is 128 bytes; with a swizzle of 64 a row of a box has at most as many"},
		{func(a *tensorMapArgs) { a.box[0] = 32 }, notSupported, "boxDim[0] is 64 bytes; with a swizzle of 128 only rows of as many bytes are supported"},
	} {
		a := good
		test.change(&a)
		_, c, why := a.tensor()
		assert.Equal(t, test.why, why)
		assert.Equal(t, test.code, c, why)
	}
}
