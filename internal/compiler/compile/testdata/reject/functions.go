package reject

import "github.com/weft-gpu/weft/gpu"

func inc(x uint32) uint32 { return x + 1 }
func dec(x uint32) uint32 { return x - 1 }

func Choose(t gpu.Thread, a []uint32) {
	f := inc
	if a[0] > 1 {
		f = dec
	}
	a[1] = f(a[2])
}

func Table(t gpu.Thread, a []uint32) {
	fs := [2]func(uint32) uint32{inc, dec}
	a[0] = fs[a[1]&1](a[2])
}

func Nil(t gpu.Thread, a []uint32) {
	var f func(uint32) uint32
	a[0] = f(1)
}

func Loop(t gpu.Thread, a []uint32) {
	f := inc
	for i := range a {
		a[i] = f(a[i])
		f = dec
	}
}

func Captured(t gpu.Thread, a []uint32) {
	f := inc
	set := func(on bool) {
		if on {
			f = dec
		}
	}
	set(a[0] == 1)
	a[1] = f(a[2])
}
