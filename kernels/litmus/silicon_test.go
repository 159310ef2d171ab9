//go:build !kernel

package litmus_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/kernels/litmus"
	"github.com/weft-gpu/weft/results"
)

// silicon returns the outcomes of an H200, by test.
func silicon(t testing.TB) map[string]map[string]int {
	h, err := results.Load("h200")
	require.NoError(t, err)
	return h.Litmus.Outcomes
}

// TestSiliconKeepsTheModel checks that an H200 showed no outcome that PTX forbids. It
// compares the recording with the verdicts of Tests, and checks that the recording has all
// tests.
func TestSiliconKeepsTheModel(t *testing.T) {
	outcomes := silicon(t)
	for _, x := range litmus.Tests() {
		h := litmus.Histogram(outcomes[x.Name()])
		require.Greater(t, h.Total(), 10_000, x.Name())
		if x.Forbidden {
			assert.Zero(t, h[x.Weak], "%s excludes %s (%s): %v", x.Name(), x.Weak, x.Why, h)
		}
	}
	assert.Len(t, outcomes, len(litmus.Tests()))
}
