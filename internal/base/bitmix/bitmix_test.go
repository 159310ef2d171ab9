package bitmix

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Mix is a permutation that separates neighbours. Simulations depend on its
// values.
func TestMix(t *testing.T) {
	assert.Zero(t, Mix(0))
	assert.Equal(t, uint64(0xca009717f87d8879), Mix(1))
	seen, low := map[uint64]bool{}, [16]int{}
	for x := range uint64(4096) {
		seen[Mix(x)] = true
		low[Mix(x)%16]++
	}
	assert.Len(t, seen, 4096)
	for _, n := range low {
		assert.InDelta(t, 256, n, 80)
	}
}
