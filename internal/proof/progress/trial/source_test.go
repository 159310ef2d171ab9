package trial

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
)

// TestCompiles compiles random tests. Many have loops with several entries,
// which the compiler rejects as such.
func TestCompiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	r, copied := New(), 0
	for range 150 {
		test := &litmus.Test{Name: "x", Cells: 1 + rnd.IntN(2)}
		for range 2 {
			code := make([]litmus.Instr, 1+rnd.IntN(6))
			for i := range code {
				code[i] = litmus.Instr{Op: litmus.Op(rnd.IntN(3)), Cell: rnd.IntN(test.Cells), Check: rnd.Uint32N(2), Value: rnd.Uint32N(2), Target: rnd.IntN(len(code) + 1)}
			}
			test.Threads = append(test.Threads, code)
			copied += checkCopies(t, code)
		}
		for _, as := range []As{Blocks, Lanes} {
			_, err := r.Kernel(t.Context(), test, as)
			require.NoError(t, err, sourceOf(test))
		}
	}
	require.Greater(t, copied, 30)
}

// checkCopies checks that copies of instructions are followed by copies of what
// follows the instructions. It returns the number of copies.
func checkCopies(t *testing.T, code []litmus.Instr) int {
	t.Helper()
	nodes := reducible(code)
	instr := func(n int) int {
		if n == stop {
			return len(code)
		}
		return nodes[n].instr
	}
	for _, n := range nodes {
		require.Equal(t, n.instr+1, instr(n.next))
		if code[n.instr].Op != litmus.Store {
			require.Equal(t, code[n.instr].Target, instr(n.branch))
		}
	}
	return len(nodes) - len(code)
}

// TestNames checks that tests with similar names are different kernels.
func TestNames(t *testing.T) {
	r := New()
	one := &litmus.Test{Name: "a-b", Cells: 1, Threads: [][]litmus.Instr{{{Op: litmus.Store, Value: 1, Target: 1}}}}
	two := &litmus.Test{Name: "a_b", Cells: 1, Threads: [][]litmus.Instr{{{Op: litmus.ChkBranch, Target: 1}}}}
	first, err := r.Kernel(t.Context(), one, Blocks)
	require.NoError(t, err)
	second, err := r.Kernel(t.Context(), two, Blocks)
	require.NoError(t, err)
	require.NotEqual(t, first.Name, second.Name)
	many := &litmus.Test{Name: "many", Cells: 1}
	for range maxLanes + 1 {
		many.Threads = append(many.Threads, one.Threads[0])
	}
	_, err = r.Kernel(t.Context(), many, Lanes)
	require.EqualError(t, err, "many has 33 threads; a warp has 32 lanes")
}
