package reject

import "github.com/weft-gpu/weft/gpu"

func ByteMin(t gpu.Thread, a []uint8) { gpu.AtomicMin(&a[0], 1) }

func Undefined(t gpu.Thread, a []uint32) {
	a[0] = b
	var unused int
	a[1] = "x"
}

func Zero(t gpu.Thread, a []uint32) { a[0] = a[1] / 0 }

func Narrow(t gpu.Thread, a []uint8) { gpu.AtomicAdd(&a[0], 1) }

func Host(t gpu.Thread, a []uint32) {
	gpu.Launch(1, 32, func(t gpu.Thread) {})
}

func Vector(t gpu.Thread, a []uint32, f []float64) {
	gpu.Load4(f, 0)
}
