package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// sumOf returns a kernel with a loop that adds n loop-invariant elements of b
// to elements of a.
func sumOf(t *testing.T, n int) *ir.Kernel {
	var s strings.Builder
	s.WriteString("b0:\n\tjmp b1\nb1: <- b0 b1\n\tv0:u32 = phi 0:u32, v1\n")
	for i := range n {
		fmt.Fprintf(&s, "\tv%d:u32 = load.u32.global [$b+%d]\n\tv%d:u32 = atom.add.u32.global.relaxed.device [$a], v%d\n", 2*i+2, 4*i, 2*i+3, 2*i+2)
	}
	s.WriteString("\tv1:u32 = add v0, 1:u32\n")
	fmt.Fprintf(&s, "\tv%d:pred = lt.u32 v1, $n\n\tif v%d b1 b2\nb2: <- b1\n\tret\n", 2*n+2, 2*n+2)
	f, err := irtext.Parse(header + s.String())
	require.NoError(t, err)
	require.NoError(t, f.Verify())
	p, err := Program(f)
	require.NoError(t, err)
	return &ir.Kernel{Name: f.Name, Func: f, Program: p}
}

// Loads are hoisted as long as their registers do not reduce the number of
// warps.
func TestReadOnlyProgramKeepsRegisters(t *testing.T) {
	k := sumOf(t, 12)
	p := ReadOnlyProgram(k)
	require.NotSame(t, k.Program, p)
	require.Greater(t, p.RegCount, k.Program.RegCount)
	require.LessOrEqual(t, p.RegCount, 32)
	require.Equal(t, ir.OpLoad, p.Code[11].Op, "all twelve in front of the loop")
	k = sumOf(t, 40)
	require.Same(t, k.Program, ReadOnlyProgram(k), "forty would take 60 registers")
}

func TestReadOnlyProgramIsTheKernelsOwn(t *testing.T) {
	f, err := irtext.Parse(header + "b0:\n\tv0:u32 = load.u32.global [$b]\n\tstore.u32.global [$a], v0\n\tret\n")
	require.NoError(t, err)
	p, err := Program(f)
	require.NoError(t, err)
	require.Same(t, p, ReadOnlyProgram(&ir.Kernel{Func: f, Program: p}), "nothing is gained")
}
