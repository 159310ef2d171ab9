package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlaces compares the SMs of small grids with those that an H200 chose (results/hw/barriers/h200-fences.txt, lines "map", and results/hw/h200/caches/answers.txt): how many blocks a
// group has, and on how many TPCs. Eight of its SMs are a group of their own there, and half of the first one here.
func TestPlaces(t *testing.T) {
	const sms, groups, pairs = 132, 8, 66
	for _, c := range []struct {
		blocks, least, most int // of the groups, but for the first one
		tpcs                int
	}{
		{2, 0, 0, 1}, {8, 0, 0, 4}, {16, 1, 1, 12}, {66, 7, 8, 62}, {70, 8, 9, 66}, {100, 11, 14, 66}, {131, 15, 18, 66},
	} {
		var p places
		list := p.of(c.blocks, sms, groups)
		require.Len(t, list, c.blocks)
		assert.IsIncreasing(t, append([]int32{-1}, list...))
		on, tpcs := make([]int, groups), map[int32]bool{}
		for _, sm := range list {
			on[groupOf(uint64(sm), groups, pairs)]++
			tpcs[sm/2] = true
		}
		for g, n := range on[1:] {
			assert.True(t, n >= c.least && n <= c.most, "%d blocks: %d in group %d of %v", c.blocks, n, g+1, on)
		}
		assert.Len(t, tpcs, c.tpcs, "%d blocks", c.blocks)
		assert.Equal(t, list, append([]int32(nil), p.of(c.blocks, sms, groups)...), "again")
	}
	var p places
	assert.Equal(t, []int32{0, 1, 2}, p.of(7, 3, 2), "all SMs of a small machine")
	p.of(60, sms, groups)
	assert.Zero(t, testing.AllocsPerRun(10, func() { p.of(60, sms, groups) }))
}
