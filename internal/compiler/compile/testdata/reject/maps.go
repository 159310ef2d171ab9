package reject

import "github.com/weft-gpu/weft/gpu"

func Map(t gpu.Thread, a []uint32) {
	m := map[uint32]uint32{}
	m[1] = a[0]
	a[1] = m[2]
	for k := range m {
		a[k] = 1
	}
	delete(m, 1)
}

func MapParam(t gpu.Thread, m map[uint32]uint32, a []uint32) { a[0] = m[0] }
