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

type flags struct {
	N  uint32
	On [2]bool
}

func DynamicPointers(t gpu.Thread, a []uint32) {
	d := gpu.DynamicShared[*uint32](t)
	a[0] = *d[0]
}

func DynamicBools(t gpu.Thread, a []uint32) {
	f := gpu.DynamicShared[flags](t)
	a[0] = f[0].N
	if gpu.DynamicSharedAt[bool](t, 4)[0] {
		a[1] = 1
	}
}

func DynamicNothing(t gpu.Thread, a []uint32) {
	a[0] = gpu.Len(gpu.DynamicShared[struct{}](t))
}

func DynamicOffset(t gpu.Thread, a []uint32) {
	d := gpu.DynamicSharedAt[[2]uint64](t, 12)
	a[0] = uint32(d[0][1])
}
