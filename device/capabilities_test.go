package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCapabilities(t *testing.T) {
	c := Counters | Budget
	assert.True(t, c.Has(Counters))
	assert.True(t, c.Has(Counters|Budget))
	assert.False(t, c.Has(Counters|Clock))
	assert.Empty(t, c.Lacks(Counters))
	assert.Equal(t, "has no clock", c.Lacks(Clock|Counters))
	assert.Equal(t, "has no clock and is not simulated", c.Lacks(Clock|CycleLevel|Page))
	for i, words := range lacks {
		assert.NotEmpty(t, words, "capability %d", i)
	}
}
