package gpu_test

import (
	"testing"

	"github.com/weft-gpu/weft/gpu"
)

// steps reports how many times per second a thread was resumed.
func steps(b *testing.B, grid, block, pauses int, kernel func(t gpu.Thread)) {
	b.ReportAllocs()
	for b.Loop() {
		if err := gpu.Launch(grid, block, kernel); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(grid*block*pauses)/b.Elapsed().Seconds(), "steps/s")
}

func BenchmarkAtomics(b *testing.B) {
	var n uint32
	steps(b, 4, 256, 101, func(t gpu.Thread) {
		for range 100 {
			gpu.AtomicAdd(&n, 1)
		}
	})
}

func BenchmarkBarriers(b *testing.B) {
	steps(b, 4, 256, 101, func(t gpu.Thread) {
		for range 100 {
			t.Sync()
		}
	})
}

func BenchmarkShuffles(b *testing.B) {
	steps(b, 4, 256, 101, func(t gpu.Thread) {
		v := t.Lane()
		for range 100 {
			v = gpu.ShflXor(t, gpu.FullMask, v, 1)
		}
	})
}

func BenchmarkShared(b *testing.B) {
	steps(b, 4, 256, 101, func(t gpu.Thread) {
		for range 100 {
			s := gpu.Shared[[256]uint32](t)
			s[t.Idx()]++
			gpu.Fence()
		}
	})
}

// Threads that never pause share one coroutine.
func BenchmarkStraight(b *testing.B) {
	out := make([]uint32, 1024*1024)
	steps(b, 1024, 1024, 1, func(t gpu.Thread) { out[t.Global()]++ })
}
