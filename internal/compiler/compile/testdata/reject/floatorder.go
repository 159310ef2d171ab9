package reject

import "github.com/weft-gpu/weft/gpu"

func FloatOrder(t gpu.Thread, a []float32, s gpu.Scope) {
	var x float32
	gpu.AtomicMin(&x, a[0])
	gpu.AtomicMax(&a[0], 1, s)
	a[1] = x
}
