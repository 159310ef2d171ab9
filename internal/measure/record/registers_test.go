package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results"
)

// TestRecordedRegisters checks that the H200's record has the kernels of the published systems, with numbers that a GPU
// of compute capability 9.0 can have.
func TestRecordedRegisters(t *testing.T) {
	h, err := results.Load("h200")
	require.NoError(t, err)
	kernels := map[string]int{}
	for _, n := range h.Needs {
		kernels[n.Scheduler]++
		assert.True(t, n.Registers > 0 && n.Registers <= 255 && n.Shared <= 48<<10 && n.MaxBlock > 0 && n.MaxBlock <= 1024, "%+v", n)
	}
	for _, system := range []string{"simdx", "atos", "wolf", "warpseg", "hierq"} {
		assert.Greater(t, kernels[system], 10, system)
	}
}
