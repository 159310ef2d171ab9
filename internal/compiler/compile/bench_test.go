package compile

import "testing"

// BenchmarkKernel compiles all kernels of the project from scratch: parsing,
// type checking, go/ssa, lowering, optimising and register allocation. The goal
// is 10 ms per kernel.
func BenchmarkKernel(b *testing.B) {
	var n int
	for b.Loop() {
		c := own(b)
		names := composed()
		for _, name := range names {
			if _, err := c.Kernel(b.Context(), name, nil); err != nil {
				b.Fatal(err)
			}
		}
		n += len(names)
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(n), "ms/kernel")
}

// BenchmarkLower measures lowering alone.
func BenchmarkLower(b *testing.B) {
	c := own(b)
	e, err := c.find(b.Context(), "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, errs, err := c.lowerEntry(b.Context(), e, nil); err != nil || len(errs) > 0 {
			b.Fatal(err, errs)
		}
	}
}

// BenchmarkInstance compiles one instantiation that no package declares, with
// all its packages.
func BenchmarkInstance(b *testing.B) {
	for b.Loop() {
		if _, err := own(b).Kernel(b.Context(), "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", nil); err != nil {
			b.Fatal(err)
		}
	}
}
