package kernels_test

import (
	"slices"
	"testing"

	"example.com/outside/kernels"
	"github.com/weft-gpu/weft/gpu"
)

// The kernels as plain Go: no device, a debugger works, and so does go test -cover.

func TestMatMul(t *testing.T) {
	const n = 19
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = float32(i%7), float32(i%5)-1
	}
	const blocks = (n + kernels.Tile - 1) / kernels.Tile
	err := gpu.LaunchDim(gpu.Dim{X: blocks, Y: blocks}, gpu.Dim{X: kernels.Tile, Y: kernels.Tile}, func(th gpu.Thread) {
		kernels.MatMul(th, a, b, c, n)
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := kernels.Product(a, b, n); !slices.Equal(c, want) {
		t.Errorf("got %v, want %v", c, want)
	}
}

func TestHistogram(t *testing.T) {
	data := []uint8("a kernel is a Go function")
	bins := make([]uint32, kernels.Bins)
	if err := gpu.Launch(2, 64, func(th gpu.Thread) { kernels.Histogram(th, data, bins) }); err != nil {
		t.Fatal(err)
	}
	if bins['n'] != 3 || bins['G'] != 1 || bins['z'] != 0 {
		t.Errorf("n %d, G %d, z %d times", bins['n'], bins['G'], bins['z'])
	}
}

func TestSum(t *testing.T) {
	x := make([]int64, 1000)
	for i := range x {
		x[i] = int64(i)
	}
	for block := 1; block <= gpu.MaxBlock; block += 1 + block/9*3 { // also sizes that are no multiple of a warp
		var total int64
		if err := gpu.Launch(3, block, func(th gpu.Thread) { kernels.Sum(th, x, &total) }); err != nil {
			t.Fatal(err)
		}
		if total != 499500 {
			t.Errorf("sum %d, with blocks of %d threads", total, block)
		}
	}
}
