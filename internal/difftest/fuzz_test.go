package difftest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/difftest/generate"
)

// fresh makes the kernel of a seed; its text is shown where the test fails.
func fresh(t *testing.T, seed uint64) generate.Kernel {
	k, err := generate.New("Fresh", seed)
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%d blocks of %d threads:\n%s", k.Grid, k.Block, k.Source)
		}
	})
	return k
}

// freshSeeds begin behind those of the corpus.
const freshSeeds = 10_000

// FuzzKernels compares the simulator with the functional device.
func FuzzKernels(f *testing.F) {
	for i := range uint64(30) {
		f.Add(freshSeeds+i, i)
	}
	f.Fuzz(func(t *testing.T, seed, data uint64) {
		k := fresh(t, seed)
		_, opt := compilers(t, k)
		require.NoError(t, Agree([]Way{optimised(opt), simulated(t, opt, "tiny")}, "corpus.Fresh", k.Grid, k.Block, data, nil))
	})
}

// FuzzOptimizer compares optimised with plain compilation.
func FuzzOptimizer(f *testing.F) {
	for i := range uint64(60) {
		f.Add(freshSeeds+1000+i, i)
	}
	f.Fuzz(func(t *testing.T, seed, data uint64) {
		k := fresh(t, seed)
		raw, opt := compilers(t, k)
		require.NoError(t, Agree([]Way{plain(raw), optimised(opt)}, "corpus.Fresh", k.Grid, k.Block, data, nil))
	})
}
