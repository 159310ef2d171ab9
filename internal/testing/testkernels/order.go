package testkernels

import "github.com/weft-gpu/weft/gpu"

// FloatOrder brings every number of in to the least and largest in memory,
// global and shared: f and d hold a pair, and a pair for each block behind it.
func FloatOrder(t gpu.Thread, in, f []float32, d []float64) {
	q := gpu.Shared[[2]float32](t)
	p := gpu.Shared[[2]float64](t)
	if t.Idx() == 0 {
		q[0], q[1] = f[0], f[1]
		p[0], p[1] = d[0], d[1]
	}
	t.Sync()
	for i := t.Global(); i < gpu.Len(in); i += t.Stride() {
		v := in[i]
		gpu.AtomicMin(&f[0], v)
		gpu.AtomicMax(&f[1], v, gpu.SystemScope)
		gpu.AtomicMin(&d[0], float64(v))
		gpu.AtomicMax(&d[1], float64(v))
		gpu.AtomicMin(&q[0], v, gpu.BlockScope)
		gpu.AtomicMax(&q[1], v)
		gpu.AtomicMin(&p[0], float64(v))
		gpu.AtomicMax(&p[1], float64(v))
	}
	t.Sync()
	if t.Idx() < 2 {
		f[2+2*t.Block()+t.Idx()] = q[t.Idx()]
		d[2+2*t.Block()+t.Idx()] = p[t.Idx()]
	}
}
