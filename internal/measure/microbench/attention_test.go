package microbench

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestAttention measures attention of one head on a simulated H200.
func TestAttention(t *testing.T) {
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	d, err := sim.New(cfg, sim.Options{})
	require.NoError(t, err)
	defer d.Close()
	var rows bytes.Buffer
	// The first launch finds nothing in the L2.
	require.NoError(t, Attentions(t.Context(), d, 1, []int{256}, 2, &rows))
	golden.Check(t, asynchronous+"sim-h200-attention-one.csv", rows.String())
}

// TestAttentions compares the table of attention in results/hw/asynchronous with the rows beside it, of 8 heads, which take ten minutes.
func TestAttentions(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, Attention, asynchronous+"sim-h200-attention.csv", asynchronous+"h200-attention.csv"))
	tableOf(t, asynchronous, "<!-- from sim-h200-attention.csv -->\n", got)
}
