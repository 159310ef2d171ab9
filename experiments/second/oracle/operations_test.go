package oracle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/second/host"
	"github.com/weft-gpu/weft/internal/function"
)

// words returns operands: edge values of integers and floats of both widths in all pairs, and random ones.
func words() (list []uint64) {
	edges := []uint64{0, 1, 2, 3, 31, 32, 33, 63, 64, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64, 0xFFFFFFFF80000000}
	for _, f := range []float64{0, 0.5, 1, 1.5, -2.5, 100.25, 1 << 24, 1<<31 - 1, 1 << 31, -1 << 31, 1 << 32, 1 << 63, -1 << 63, 1 << 64, 1e-40, 3e38, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1)} {
		edges = append(edges, math.Float64bits(f), uint64(math.Float32bits(float32(f))))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i, x := range edges {
		for _, y := range edges {
			list = append(list, x, y, edges[(i*7+len(list))%len(edges)])
		}
	}
	for range 3000 {
		list = append(list, r.Uint64(), r.Uint64()>>r.IntN(64), uint64(math.Float32bits(float32(r.NormFloat64()*100))))
	}
	return list
}

// Each operation on each kind has the same result on clang as on device func.
func TestOperations(t *testing.T) {
	list := Operations()
	assert.Len(t, list, 234)
	kernel, err := OperationsKernel(list)
	require.NoError(t, err)
	in := words()
	const block = 128
	grid := len(in) / Operands / block
	var out [2][]uint64
	for i, d := range []device.Device{function.New(function.Options{}), clang(t, host.Options{})} {
		a, err := d.Alloc("in", device.U64, len(in))
		require.NoError(t, err)
		b, err := d.Alloc("out", device.U64, grid*block*len(list))
		require.NoError(t, err)
		out[i] = make([]uint64, b.Len)
		require.NoError(t, d.Write(a, in))
		require.NoError(t, d.Write(b, out[i]))
		_, err = d.Launch(t.Context(), device.Launch{Kernel: kernel.ForHost(), Grid: grid, Block: block, Args: []any{a, b}})
		require.NoError(t, err)
		require.NoError(t, d.Read(b, out[i]))
	}
	wrong := map[string]int{}
	for i := range out[0] {
		if o := list[i%len(list)]; !o.Agree(out[0][i], out[1][i]) {
			if wrong[o.String()]++; wrong[o.String()] == 1 {
				x := in[i/len(list)*Operands:]
				t.Errorf("%v of %#x, %#x, %#x: func %#x, clang %#x", o, x[0], x[1], x[2], out[0][i], out[1][i])
			}
		}
	}
	assert.Empty(t, wrong)
}
