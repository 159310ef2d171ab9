package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// TestChoose checks that the kernel that adds most comes first, that a feature
// of a single kernel does not count, and that kernels that end badly are among
// the chosen ones.
func TestChoose(t *testing.T) {
	kernels := []generate.Kernel{{Seed: 1}, {Seed: 2}, {Seed: 3, Ends: generate.Hang}, {Seed: 4, Ends: generate.Unwritten}}
	set := func(names ...string) map[string]bool {
		m := map[string]bool{}
		for _, n := range names {
			m[n] = true
		}
		return m
	}
	has := []map[string]bool{set("a", "x", "y", "z"), set("a", "b", "c"), set("b"), set("c")}
	chosen, covered, all := choose(kernels, has, nil, 1, 0)
	assert.Equal(t, []uint64{2}, chosen)
	assert.Equal(t, 3, covered)
	assert.Equal(t, 3, all)
	chosen, _, _ = choose(kernels, has, nil, 3, 1)
	assert.Equal(t, []uint64{2, 3, 4}, chosen)
	chosen, _, _ = choose(kernels, has, nil, 9, 1)
	assert.Len(t, chosen, 4)
	chosen, _, _ = choose(kernels, has, []uint64{1}, 2, 0)
	assert.Equal(t, []uint64{1, 2}, chosen)
}

func TestFeatures(t *testing.T) {
	kernels, err := generate.OfSeeds([]uint64{5, 9})
	require.NoError(t, err)
	has, err := features(kernels)
	require.NoError(t, err)
	require.Len(t, has, 2)
	assert.True(t, has[0]["true#  r:u32 = special tid"])
	assert.True(t, has[0]["trueand then bra"] || has[0]["truene.u32 then bra"])
	assert.False(t, has[0]["nothing"])
	for line, want := range map[string]string{"#  @!p bra # recon #": "bra", "> #  r:u64 = add r, r": "add", "#  store.u64.global [r], r {out}": "store.u64.global", "": ""} {
		assert.Equal(t, want, operation(line))
	}
}
