package waitfor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBrief checks that the explanation for whoever ended a launch looks at few steps even if all 8,448 warps of a large
// machine are in loops whose state does not recur, and that one without haste looks at far more.
func TestBrief(t *testing.T) {
	steps := func(brief bool) (all int) {
		x := &reader{Snapshot: &Snapshot{Brief: brief}}
		for range 8448 {
			x.stepped += x.steps()
		}
		return x.stepped
	}
	assert.LessOrEqual(t, steps(true), 2<<20)
	assert.Greater(t, steps(false), 32<<20)
}
