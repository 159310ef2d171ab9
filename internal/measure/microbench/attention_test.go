package microbench

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestHeavyAttentions measures attention on a simulated H200.
func TestHeavyAttentions(t *testing.T) {
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	d, err := sim.New(cfg, sim.Options{})
	require.NoError(t, err)
	defer d.Close()
	var rows bytes.Buffer
	// The first launch finds nothing in the L2.
	require.NoError(t, Attentions(t.Context(), d, 8, []int{1024}, 2, &rows))
	golden.Check(t, asynchronous+"sim-h200-attention.csv", rows.String())
}

// TestAttentions compares the table of attention in results/hw/asynchronous with the rows beside it.
func TestAttentions(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, Attention, asynchronous+"sim-h200-attention.csv", asynchronous+"h200-attention.csv"))
	tableOf(t, asynchronous, "<!-- from sim-h200-attention.csv -->\n", got)
}
