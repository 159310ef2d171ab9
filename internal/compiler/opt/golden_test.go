package opt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// goldenKernels compiles the kernels of testdata/src, with or without
// optimisation.
func goldenKernels(t testing.TB, plain bool) map[string]*ir.Kernel {
	t.Helper()
	c := compile.New(catalog.Sources()...)
	c.NoOptimize = plain
	c.Mount("golden", os.DirFS("testdata/src"))
	names, err := c.Entries("golden")
	require.NoError(t, err)
	kernels := map[string]*ir.Kernel{}
	for _, n := range names {
		k, err := c.Kernel(t.Context(), n, nil)
		require.NoError(t, err)
		kernels[n] = ir.Compiled(k)
	}
	return kernels
}

func TestKernelsGolden(t *testing.T) {
	kernels := goldenKernels(t, false)
	require.Len(t, kernels, 6)
	for name, k := range kernels {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata/kernels", name+".txt")
			got := k.Func.String() + "\n" + k.Program.String()
			golden.Check(t, file, got)
			if p := opt.ReadOnlyProgram(k); p != k.Program {
				golden.Check(t, filepath.Join("testdata/kernels", name+".readonly.txt"), p.String())
			} else {
				require.NotEqual(t, "golden.Push", name)
			}
			require.Equal(t, got, k.Func.String()+"\n"+k.Program.String(), "the kernel stays as it is")
		})
	}
}

// The inner loop of a push, on which all studies depend, is as short as
// hand-written code: one backward branch, one instruction per address,
// constants and parameters as operands.
func TestInnerLoopOfPush(t *testing.T) {
	k := goldenKernels(t, false)["golden.Push"]
	require.Equal(t, map[ir.Op]int{
		// col[e], level[v], and row[u+1], which the atomics might have changed.
		ir.OpLea: 3, ir.OpLoad: 3, ir.OpEq: 2, ir.OpBra: 2, ir.OpAtomCAS: 1, ir.OpAtomAdd: 1, ir.OpStore: 1, ir.OpAdd: 1, ir.OpLt: 1,
	}, inLoop(t, k.Program))
	require.Equal(t, map[ir.Op]int{
		// If nothing writes row, its end is loaded once.
		ir.OpLea: 3, ir.OpLoad: 2, ir.OpEq: 2, ir.OpBra: 2, ir.OpAtomCAS: 1, ir.OpAtomAdd: 1, ir.OpStore: 1, ir.OpAdd: 1, ir.OpLt: 1,
	}, inLoop(t, opt.ReadOnlyProgram(k)))
}

// inLoop counts the instructions of the only loop of p, without the backward
// branch.
func inLoop(t *testing.T, p *ir.Program) map[ir.Op]int {
	t.Helper()
	var loop *ir.Inst
	first := int32(0)
	for i := range p.Code {
		if in := &p.Code[i]; in.Op == ir.OpBra && in.Target < int32(i) {
			require.Nil(t, loop, "one branch back")
			loop, first = in, in.Target
		}
	}
	require.NotNil(t, loop)
	n := map[ir.Op]int{}
	for i := first; &p.Code[i] != loop; i++ {
		n[p.Code[i].Op]++
	}
	return n
}

// copyFunc returns a deep copy, made by way of the text form.
func copyFunc(t testing.TB, f *ir.Func) *ir.Func {
	t.Helper()
	c, err := irtext.Parse(f.String())
	require.NoError(t, err)
	return c
}

func BenchmarkOptimize(b *testing.B) {
	for _, name := range []string{"golden.Push", "golden.Histogram"} {
		f := goldenKernels(b, true)[name].Func
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				g := copyFunc(b, f)
				b.StartTimer()
				if err := opt.Optimize(g, opt.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkProgram(b *testing.B) {
	for _, name := range []string{"golden.Push", "golden.Histogram"} {
		f := goldenKernels(b, false)[name].Func
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := opt.Program(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
