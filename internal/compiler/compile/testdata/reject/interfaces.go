package reject

import "github.com/weft-gpu/weft/gpu"

type shape interface{ area() uint32 }

type square struct{ a uint32 }
type circle struct{ r uint32 }

func (s square) area() uint32 { return s.a * s.a }
func (c circle) area() uint32 { return 3 * c.r * c.r }

func Dynamic(t gpu.Thread, a []uint32) {
	var s shape = square{a[0]}
	if a[1] > 1 {
		s = circle{a[0]}
	}
	a[2] = s.area()
}

func Nil(t gpu.Thread, a []uint32) {
	var s shape
	a[0] = s.area()
}

func Compare(t gpu.Thread, a []uint32) {
	var s, u shape = square{1}, square{2}
	if s == u {
		a[0] = 1
	}
}

func Asserts(t gpu.Thread, a []uint32) {
	var s shape = square{a[0]}
	if a[1] > 1 {
		s = circle{a[0]}
	}
	a[0] = s.(square).a
	var c any = circle{1}
	a[1] = c.(square).a
}

func Table(t gpu.Thread, a []uint32) {
	shapes := [2]shape{square{1}, circle{2}}
	a[0] = shapes[a[1]&1].area()
}
