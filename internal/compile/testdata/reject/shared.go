package reject

import "github.com/weft-gpu/weft/gpu"

type node struct{ next *node }

func OneLine(t gpu.Thread, a []uint32) {
	p, q := gpu.Shared[uint32](t), gpu.Shared[uint32](t)
	a[0] = *p + *q
}

func scratch(t gpu.Thread) *uint32 {
	return gpu.Shared[uint32](t)
}

func TwoCalls(t gpu.Thread, a []uint32) { a[0] = *scratch(t) + *scratch(t) }

func Pointers(t gpu.Thread, a []uint32) {
	n := gpu.Shared[node](t)
	s := gpu.Shared[[]uint32](t)
	a[0] = (*s)[0]
	if n.next == nil {
		a[0] = 1
	}
}
