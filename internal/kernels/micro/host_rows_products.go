//go:build !kernel

package micro

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// productRows measures kernels whose blocks load the same data at about the same time: the counters show how many of
// these loads become one on the way to the L2.
func productRows() []Row {
	var rows []Row
	for _, p := range []struct {
		name, kernel string
		n            int
		tile, block  int // results of a block and its threads
		heavy        bool
	}{
		{"matrix product", "Product", 256, 256, 256, false},
		{"matrix product by tiles", "TiledProduct", 256, 1024, 1024, false},
		{"matrix product by tiles", "TiledProduct", 512, 1024, 1024, true},
	} {
		rows = append(rows, Row{"programs", fmt.Sprintf("%s, %d rows", p.name, p.n), "us", p.heavy, func(r *Runner) (float64, error) {
			args := []any{nil, nil, nil, p.n}
			for i, name := range []string{"a", "b", "c"} {
				b, err := alloc(r, name, device.F32, p.n*p.n, func(i int) float32 { return float32(i % 7) })
				if err != nil {
					return 0, err
				}
				args[i] = b
			}
			s, err := r.timed(p.kernel, nil, p.n*p.n/p.tile, p.block, args...)
			return s * 1e6, err
		}})
	}
	for _, p := range []struct {
		name, kernel string
		block        int
	}{{"n-body", "NBody", 1024}, {"n-body by tiles", "TiledNBody", 256}} {
		const n = 2048
		rows = append(rows, Row{"programs", p.name + ", 2,048 bodies", "us", false, func(r *Runner) (float64, error) {
			bodies, err := alloc(r, "bodies", device.F32, 4*n, func(i int) float32 { return float32(hash(uint32(i)) % 1024) })
			if err != nil {
				return 0, err
			}
			potential, err := alloc[float32](r, "potential", device.F32, n, nil)
			if err != nil {
				return 0, err
			}
			s, err := r.timed(p.kernel, nil, n/p.block, p.block, bodies, potential)
			return s * 1e6, err
		}})
	}
	return rows
}
