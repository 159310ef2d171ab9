package hostloop

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestRows checks that the rows have the times of the machine's host, added up by hand.
func TestRows(t *testing.T) {
	c, err := config.Load("tiny")
	require.NoError(t, err)
	dev, err := sim.New(c, sim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	rows, err := Rows(t.Context(), dev)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	each := c.Launch.Step + c.Launch.Sync + c.Copy.Answer
	assert.Equal(t, results.HostEach, rows[0].Name)
	assert.InDelta(t, each, rows[0].Median, 1e-3)
	assert.Equal(t, results.HostStart, rows[1].Name)
	rest := rows[1].Median - (c.Launch.Sync + c.Copy.Answer + c.Launch.Kernel + 2*c.Launch.First + c.Launch.Cold)
	assert.Positive(t, rest, "the kernel that prepares the run")
	assert.Less(t, rest, 5.0)
	assert.Equal(t, pairs, rows[0].Runs)
}
