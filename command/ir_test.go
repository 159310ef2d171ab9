package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInstance(t *testing.T) {
	stdout, stderr, code := command(t, "ir", "bsp.Pull[kernels.BFS, scheduler.BlockPerVertex, uint32]")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "kernel bsp.Pull[kernels.BFS, scheduler.BlockPerVertex, uint32]")
	stdout, stderr, code = command(t, "ir", "./testdata/user/generic.Sums[float64, Pair]")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "kernel ./testdata/user/generic.Sums[float64, Pair]\nleaf \"a\" u64 base f64 8 0\n")
	stdout, stderr, code = command(t, "ptx", "./testdata/user/generic.Sums[float64,./testdata/user/generic.Pair]")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "cvt.rn.f64.u32")
}

func TestIR(t *testing.T) {
	ssa, stderr, code := command(t, "ir", "../examples/levels.Step")
	require.Equal(t, exitRight, code, stderr)
	assert.Empty(t, stderr)
	assert.True(t, strings.HasPrefix(ssa, "kernel levels.Step\n"), ssa)
	assert.Contains(t, ssa, `"../examples/levels/levels.go"`)

	program, _, _ := command(t, "ir", "../examples/levels.Step", "--program")
	assert.Regexp(t, `^program levels.Step: \d+ instructions, \d+ rows`, program)
	assert.Regexp(t, `atom\.cas\.u32\.global.*; ../examples/levels/levels\.go:18`, program)

	byName, _, _ := command(t, "ir", "bfs", "--scheduler", "thread")
	entry, _, _ := command(t, "ir", "kernels.BFSThread")
	assert.Equal(t, entry, byName)

	_, stderr, code = command(t, "ir", "./testdata/user/racy.Racy")
	assert.Equal(t, exitRight, code)
	assert.Equal(t, "warning: testdata/user/racy/racy.go:9:11: plain load of count, which gpu.AtomicAdd at testdata/user/racy/racy.go:8 updates: "+
		"other threads may do so at any time; use gpu.Load\n", stderr)
}

func TestOldKernelNames(t *testing.T) {
	for _, what := range []string{"ir", "ptx"} {
		old, stderr, code := command(t, what, "kernels.BFSWarp")
		require.Equal(t, exitRight, code, stderr)
		now, _, _ := command(t, what, "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]")
		assert.Equal(t, now, old)
		now, _, _ = command(t, what, "bfs")
		assert.Equal(t, now, old)
	}
}
