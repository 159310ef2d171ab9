//go:build cgo && linux

package cuda

/*
#include <stdlib.h>
*/
import "C"

import (
	"unsafe"

	"github.com/weft-gpu/weft/internal/tensormap"
)

// What else a tensor map says (CUtensorMapL2promotion): that the L2 fetches no more than is asked for. There is no interleaving, and what is
// outside of a tensor is zeros.
const noPromotion = 0

// TensorMap makes the driver encode a tensor map of numbers of a CUtensorMapDataType at an address (CUDA Driver API,
// cuTensorMapEncodeTiled).
func (c *Context) TensorMap(m *tensormap.Map, number int, address uint64) (out [16]uint64, err error) {
	const align = 64
	raw := C.calloc(1, 128+align)
	defer C.free(raw)
	at := (uintptr(raw) + align - 1) &^ (align - 1)
	list := (*struct {
		sizes, pitches   [tensormap.MaxDims]uint64
		box, consecutive [tensormap.MaxDims]uint32
	})(C.calloc(1, 128))
	defer C.free(unsafe.Pointer(list))
	for d := range m.Dims {
		list.sizes[d], list.box[d], list.consecutive[d] = m.Sizes[d], uint32(m.Box[d]), 1
		if d > 0 {
			list.pitches[d-1] = m.Pitches[d] * m.Elem
		}
	}
	word := func(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
	swizzle := map[uint64]uint64{0: 0, 32: 1, 64: 2, 128: 3}[m.Swizzle]
	err = c.call("cuTensorMapEncodeTiled", uint64(at), uint64(number), uint64(m.Dims), address, word(unsafe.Pointer(&list.sizes)), word(unsafe.Pointer(&list.pitches)),
		word(unsafe.Pointer(&list.box)), word(unsafe.Pointer(&list.consecutive)), 0, swizzle, noPromotion, 0)
	if err == nil {
		out = *(*[16]uint64)(unsafe.Add(raw, at-uintptr(raw)))
	}
	return out, err
}
