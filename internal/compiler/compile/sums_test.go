package compile

import (
	"slices"
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

// TestSumsBehindBranch compiles a loop over sums that begins where the ways of branches meet.
func TestSumsBehindBranch(t *testing.T) {
	c := New()
	c.Mount(Module+"/behind", fstest.MapFS{"behind.go": {Data: []byte(`package behind

import "github.com/weft-gpu/weft/gpu"

func Most(t gpu.Thread, n uint32, out []float32) {
	var sums gpu.FloatSums[[8]float32]
	most := out[0]
	if n > 1 {
		for s := range sums.Len() {
			if s+t.Idx() > n {
				sums.Set(s, 3)
			}
		}
		for s := range sums.Len() {
			if s+t.Idx() > n+1 {
				sums.Set(s, 4)
			}
		}
	}
	for s := range sums.Len() {
		most = max(most, sums.At(s))
	}
	out[t.Idx()] = most
}
`)}})
	k := kernel(t, c, "behind.Most", nil)
	reads := 0
	for i := range k.Program.Code {
		if k.Program.Code[i].Op == ir.OpSumsGet {
			reads++
		}
	}
	require.Equal(t, 8, reads)
}

// TestRowsOfProducts compiles a product with rows in registers for which the next round of a loop waits: until then nothing else is in these registers.
func TestRowsOfProducts(t *testing.T) {
	c := New()
	c.Mount(Module+"/rows", fstest.MapFS{"rows.go": {Data: []byte(`package rows

import "github.com/weft-gpu/weft/gpu"

func Late(t gpu.Thread, n uint32, a []uint32, out []float32) {
	b := gpu.Shared[[8 * 8]uint32](t)
	var sums gpu.FloatSums[[4]float32]
	for i := range n {
		at := i * t.BlockDim()
		x, y := a[at+4], a[at+5]
		a[at+6] = (x * y) ^ (x / 3)
		a[at+7] = (x + y) ^ (y / 5)
		t.WaitSums(0)
		rows := [4]uint32{a[at] * 3, a[at+1] * 5, a[at+2] * 7, a[at+3] * 9}
		t.FenceSums()
		gpu.GroupMMAF16From(t, &sums, rows, gpu.SharedMatrix{Data: b[:], Stride: 256, Swizzle: 32})
		t.CommitSums()
	}
	t.WaitSums(0)
	out[t.Idx()] = sums.At(0)
}
`)}})
	p := kernel(t, c, "rows.Late", nil).Program
	checked := 0
	for i := range p.Code {
		product := &p.Code[i]
		if product.Op != ir.OpGroupMMAFrom {
			continue
		}
		seen := map[int32]bool{}
		for work := []int32{int32(i) + 1}; len(work) > 0; {
			at := work[0]
			work = work[1:]
			in := &p.Code[at]
			if seen[at] || in.Op == ir.OpGroupMMAWait {
				continue
			}
			seen[at] = true
			for _, row := range in.Dst[:in.NDst] {
				require.True(t, in.K == ir.Pred || !slices.Contains(product.Src[1:5], ir.Operand(row)), "instruction %d of row %d behind a product at %d", at, row, i)
			}
			checked++
			if in.Op == ir.OpBra || in.Op == ir.OpJmp {
				work = append(work, in.Target)
			}
			if in.Op != ir.OpJmp {
				work = append(work, at+1)
			}
		}
	}
	require.Greater(t, checked, 10)
}
