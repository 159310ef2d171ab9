package cuda

import (
	"encoding/binary"
	"fmt"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// tensorRanks is how many dimensions the driver has.
const tensorRanks = 5

// tensorElements are the bytes of elements, by CUtensorMapDataType; 0 for those that a copy would change.
var tensorElements = [...]uint64{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 0, 0, 0}

// tensorTypes are the names of those that a copy would change, from the first on.
var tensorTypes = [...]string{"FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ"}

// tensorMapArgs are the arguments of cuTensorMapEncodeTiled, in elements and bytes as that has them; the first stride is 0.
type tensorMapArgs struct {
	number, rank, address, interleave, swizzle, promotion, fill uint64
	sizes, strides, box, steps                                  [tensorRanks]uint64
}

// doTensorMap encodes a tensor map.
func (s *session) doTensorMap(q *request) *reply {
	a := tensorMapArgs{number: q.A[0], rank: q.A[1], address: q.A[2], interleave: q.A[3], swizzle: q.A[4], promotion: q.A[5], fill: q.A[6]}
	lists := []*[tensorRanks]uint64{&a.sizes, &a.strides, &a.box, &a.steps}
	if len(q.data) != 8*tensorRanks*len(lists) {
		return &reply{code: invalidValue}
	}
	for i, list := range lists {
		for d := range list {
			list[d] = binary.LittleEndian.Uint64(q.data[8*(i*tensorRanks+d):])
		}
	}
	m, c, why := a.tensor()
	if c != success {
		return s.complain(c, "cuTensorMapEncodeTiled: %s", why)
	}
	if _, _, err := s.memory.part(a.address, m.Extent()); err != nil {
		return s.complain(invalidValue, "cuTensorMapEncodeTiled: %v", err)
	}
	if d := s.real(int(s.current)); d != nil {
		words, err := d.EncodeTensorMap(hw.TensorMap{Type: int(a.number), Elem: int(m.Elem), Address: a.address, Dims: m.Dims, Sizes: m.Sizes, Pitches: m.Pitches, Boxes: m.Box, Swizzle: int(m.Swizzle)})
		if err != nil {
			return s.complain(invalidValue, "cuTensorMapEncodeTiled: %v", err)
		}
		p := &reply{}
		for _, w := range words {
			p.data = binary.LittleEndian.AppendUint64(p.data, w)
		}
		return p
	}
	data := m.Encode(a.address)
	return &reply{data: data[:]}
}

// tensor returns what the arguments describe, or the error of the call: what no driver takes, or what is not supported.
func (a *tensorMapArgs) tensor() (m tensormap.Map, c code, why string) {
	bad := func(c code, format string, args ...any) (tensormap.Map, code, string) {
		return m, c, fmt.Sprintf(format, args...)
	}
	switch {
	case a.rank == 0 || a.rank > tensorRanks:
		return bad(invalidValue, "tensorRank is %d; want 1 to %d", a.rank, tensorRanks)
	case a.number >= uint64(len(tensorElements)) || a.interleave > 2 || a.swizzle > 3 || a.promotion > 3 || a.fill > 1:
		return bad(invalidValue, "a value of an enumeration that it does not have")
	case a.rank > tensormap.MaxDims:
		return bad(notSupported, "tensorRank is %d; at most %d are supported", a.rank, tensormap.MaxDims)
	case tensorElements[a.number] == 0:
		return bad(notSupported, "tensorDataType CU_TENSOR_MAP_DATA_TYPE_%s is not supported: its copies change what they copy; use one of 8 to 64 bits without FTZ", tensorTypes[a.number-10])
	case a.interleave != 0:
		return bad(notSupported, "interleave is not supported; use CU_TENSOR_MAP_INTERLEAVE_NONE")
	case a.fill != 0:
		return bad(notSupported, "oobFill is not supported; what is outside of a tensor is zeros (CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)")
	case a.address%16 != 0:
		return bad(invalidValue, "globalAddress is %#x; want a multiple of 16", a.address)
	}
	m = tensormap.New(int(a.rank), tensorElements[a.number])
	if a.swizzle > 0 {
		m.Swizzle = 16 << a.swizzle
	}
	for d := range m.Dims {
		switch stride := a.strides[d]; {
		case a.sizes[d] == 0 || a.sizes[d] > 1<<32:
			return bad(invalidValue, "globalDim[%d] is %d; want 1 to 2^32", d, a.sizes[d])
		case a.sizes[d] == 1<<32:
			return bad(notSupported, "globalDim[%d] is 2^32; at most 2^32-1 is supported", d)
		case a.box[d] == 0 || a.box[d] > 256:
			return bad(invalidValue, "boxDim[%d] is %d; want 1 to 256", d, a.box[d])
		case a.steps[d] == 0 || a.steps[d] > 8:
			return bad(invalidValue, "elementStrides[%d] is %d; want 1 to 8", d, a.steps[d])
		case a.steps[d] != 1:
			return bad(notSupported, "elementStrides[%d] is %d; boxes of every element alone are supported", d, a.steps[d])
		case d > 0 && (stride == 0 || stride%16 != 0 || stride >= 1<<40):
			return bad(invalidValue, "globalStrides[%d] is %d; want a multiple of 16 below 2^40", d-1, stride)
		case d == 2 && stride > tensormap.MaxPlane:
			return bad(notSupported, "globalStrides[%d] is %d; at most %d is supported", d-1, stride, uint64(tensormap.MaxPlane))
		}
		m.Sizes[d], m.Box[d] = a.sizes[d], a.box[d]
		if d > 0 {
			m.Pitches[d] = a.strides[d] / m.Elem
		}
	}
	switch row := m.Box[0] * m.Elem; {
	case row%16 != 0:
		return bad(invalidValue, "boxDim[0] is %d elements, %d bytes; want a multiple of 16 bytes", m.Box[0], row)
	case m.Swizzle != 0 && row > m.Swizzle:
		return bad(invalidValue, "boxDim[0] is %d bytes; with a swizzle of %d a row of a box has at most as many", row, m.Swizzle)
	case m.Swizzle != 0 && row < m.Swizzle: // what their layout is was not measured
		return bad(notSupported, "boxDim[0] is %d bytes; with a swizzle of %d only rows of as many bytes are supported", row, m.Swizzle)
	}
	return m, success, ""
}
