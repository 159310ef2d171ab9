package reject

import "github.com/weft-gpu/weft/gpu"

type small interface{ ~uint8 | ~uint16 }

func least[T small](x, y T) T { return min(x, y) }

type pair[T gpu.Int] struct{ a, b T }

func Constraints(t gpu.Thread, f []float32, q []uint8, b []bool) {
	gpu.AtomicOr(&f[0], 1)
	gpu.AtomicXor[float64](nil, 1)
	gpu.AtomicAdd(&q[0], 1)
	gpu.AtomicCAS(&b[0], true, false)
	gpu.AtomicAnd(&f[0], gpu.AtomicAdd(&f[0], gpu.Load(&f[1])))
	gpu.Abs(q[0])
	gpu.Load4(b, 1)
	gpu.PopCount(f[0])
	f[1] = least(f[0], 1)
	var p pair[float32]
	gpu.Sqrt(p.a)
}
