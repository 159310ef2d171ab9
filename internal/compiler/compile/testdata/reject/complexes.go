package reject

import "github.com/weft-gpu/weft/gpu"

func Complex(t gpu.Thread, a []float64) {
	z := complex(a[0], a[1])
	z *= z
	a[2] = real(z)
}

func ComplexParam(t gpu.Thread, z complex64, a []complex128) {}
