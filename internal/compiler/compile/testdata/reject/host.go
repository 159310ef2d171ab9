package reject

import "github.com/weft-gpu/weft/gpu"

var sums []uint32

func Late(t gpu.Thread, a []uint32) {
	for _, f := range []func(uint32) uint32{func(x uint32) uint32 { return x }, func(x uint32) uint32 { return x + 1 }} {
		a[0] = f(a[0])
	}
	if len(sums) > 0 {
		a[1] = 1
	}
	s := append([]uint32{}, a...)
	a[2] = s[0] + s[1] // not reported again
}

func Asleep(t gpu.Thread, a []string) {
	t.Sleep(uint32(len(a)))
}
