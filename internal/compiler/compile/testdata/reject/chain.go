package reject

import "github.com/weft-gpu/weft/gpu"

type walker struct{ a []uint32 }

func (w walker) each(f func(i int)) {
	for i := range w.a {
		f(i)
	}
}

func grow(s []uint32) []uint32 {
	return append(s, 1)
}

func Chain(t gpu.Thread, a []uint32) {
	walker{a}.each(func(i int) {
		a[i] = grow(a)[0]
	})
}

func Again(t gpu.Thread, a []uint32) {
	a[0] = grow(a)[0]
}

func Generic[T gpu.Num](t gpu.Thread, a []T) {
	b := make([]T, 2)
	a[0] = b[0]
}

var Instance = Generic[uint32]
