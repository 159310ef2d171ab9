package calibrate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRun(t *testing.T) {
	r := Run()
	assert.Positive(t, r)
	assert.False(t, math.IsInf(r, 1) || math.IsNaN(r))
}

// TestWalk pins the work of the loop: if it changed, recorded rates would lose
// their meaning.
func TestWalk(t *testing.T) {
	var table [words]uint32
	for i := range table {
		table[i] = uint32(i) * 747796405
	}
	assert.Equal(t, uint32(0x2a1e705d), walk(&table, 1))
}

func BenchmarkWalk(b *testing.B) {
	var table [words]uint32
	for b.Loop() {
		walk(&table, 1)
	}
}
