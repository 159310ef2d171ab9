package reject

import "github.com/weft-gpu/weft/gpu"

type handler struct {
	n uint32
	f func(uint32) uint32
}

type visitor interface{ visit(uint32) }

type sum struct{ n uint32 }

func (s *sum) visit(x uint32) { s.n += x }

func id(x uint32) uint32 { return x }

func Wait(t gpu.Thread, a []uint32) {
	select {}
}

func FuncFields(t gpu.Thread, a []uint32) {
	h := handler{a[0], id}
	hs := [3]handler{h, h, h}
	a[1] = hs[a[2]%3].f(1)
}

func Stored(t gpu.Thread, a []uint32) {
	vs := gpu.Shared[[4]visitor](t)
	vs[0] = &sum{}
	p := gpu.Shared[*uint32](t)
	*p = &a[0]
}

func Labels(t gpu.Thread, a []uint32) {
	var e error
	switch e.(type) {
	case visitor:
		a[0] = 1
	}
	panic(e)
}
