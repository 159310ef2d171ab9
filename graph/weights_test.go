package graph

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHashWeight holds the rule: recorded results depend on it. The values were
// computed from the words of HashRule by another program.
func TestHashWeight(t *testing.T) {
	for _, test := range []struct{ u, v, want uint32 }{
		{0, 1, 37}, {1, 2, 45}, {7, 7, 52}, {123456, 654321, 24}, {0, 4294967294, 4},
	} {
		assert.Equal(t, test.want, HashWeight(test.u, test.v), "%d-%d", test.u, test.v)
		assert.Equal(t, test.want, HashWeight(test.v, test.u), "%d-%d", test.v, test.u)
	}
	var seen [MaxHashWeight + 1]int
	for u := range uint32(200) {
		for v := range u {
			seen[HashWeight(u, v)]++
		}
	}
	assert.Zero(t, seen[0])
	for w := 1; w <= MaxHashWeight; w++ {
		assert.InDelta(t, 19900/64, seen[w], 100, "weight %d", w)
	}
}

func TestWithWeights(t *testing.T) {
	g := open(t, "testdata/karate.mtx.gz")
	h, assigned := g.WithWeights()
	assert.True(t, assigned)
	assert.Nil(t, g.Weight, "the graph itself stays")
	require.NoError(t, h.Validate(), "symmetric with weights")
	assert.Equal(t, HashWeight(0, h.Col[0]), h.Weight[0])
	same, assigned := h.WithWeights()
	assert.False(t, assigned)
	assert.Same(t, h, same)
}
