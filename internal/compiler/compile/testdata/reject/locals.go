package reject

import "github.com/weft-gpu/weft/gpu"

func Atomic(t gpu.Thread, a []uint32) {
	x := uint32(1)
	gpu.AtomicAdd(&x, 1)
	a[0] = x + gpu.Load(&x)
	var h [8]uint32
	gpu.AtomicAdd(&h[a[0]&7], 1)
	a[1] = h[0]
}

func Large(t gpu.Thread, a []uint32) {
	var big [5000]uint32
	big[a[0]] = 1
	a[1] = big[a[2]]
}

func Outlives(t gpu.Thread, a []uint32) {
	var last *uint32
	for i := range a {
		x := a[i]
		if last != nil {
			a[i] = *last
		}
		last = &x
	}
}

func Copied(t gpu.Thread, a []uint32) {
	big := gpu.Shared[[1000]uint32](t)
	mine := *big
	a[0] = mine[a[1]]
}
