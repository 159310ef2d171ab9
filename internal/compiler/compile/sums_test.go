package compile

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestWhichSum compiles accesses to sums of a warpgroup: which one it is, the optimiser has to find out, by unrolling loops over them.
func TestWhichSum(t *testing.T) {
	c := New()
	c.Mount(Module+"/sums", fstest.MapFS{"sums.go": {Data: []byte(`package sums

import "github.com/weft-gpu/weft/gpu"

func Loop(t gpu.Thread, rows uint32, out []float32) {
	var sums gpu.FloatSums[[128]float32]
	for s := range sums.Len() / 4 {
		for i := range uint32(4) {
			if t.Idx()+s < rows {
				out[t.Idx()*128+4*s+i] = sums.At(4*s + i)
			}
		}
	}
}

func Lane(t gpu.Thread, out []float32) {
	var sums gpu.FloatSums[[8]float32]
	out[t.Idx()] = sums.At(t.Lane() % 8)
}

func Many(t gpu.Thread, n uint32, out []float32) {
	var sums gpu.FloatSums[[8]float32]
	for i := range n {
		out[t.Idx()*8+i] = sums.At(i)
	}
}
`)}})
	k := kernel(t, c, "sums.Loop", nil)
	read := map[uint64]bool{}
	for i := range k.Program.Code {
		if in := &k.Program.Code[i]; in.Op == ir.OpSumsGet {
			require.Less(t, in.Src[0], ir.Operand(0), "a constant")
			read[k.Program.Uniforms[^in.Src[0]].Bits] = true
		}
	}
	require.Len(t, read, 128)
	require.Equal(t, 128, k.Program.SumWords)
	for _, name := range []string{"Lane", "Many"} {
		_, err := c.Kernel(t.Context(), "sums."+name, nil)
		require.ErrorContains(t, err, "kernel sums."+name+": which of the sums this is must be known at compile time: use a constant, or the counter of a loop with a constant number of iterations that is left only at its end")
	}
}
