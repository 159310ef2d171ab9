package microbench

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestGroupProducts measures products of warpgroups on a simulated H200, and compares the table of results/hw/asynchronous with them and with what
// an H200 measured.
func TestGroupProducts(t *testing.T) {
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	d, err := sim.New(cfg, sim.Options{})
	require.NoError(t, err)
	defer d.Close()
	var rows, table bytes.Buffer
	require.NoError(t, GroupProducts(t.Context(), d, &rows))
	// The first launch finds nothing in the L2; on a GPU the least of five times counts.
	require.NoError(t, MatrixProducts(t.Context(), d, MatrixKernels, []int{256, 512}, 2, &rows))
	golden.Check(t, asynchronous+"sim-h200-products.csv", rows.String())
	require.NoError(t, CompareRows(&table, Products, asynchronous+"sim-h200-products.csv", asynchronous+"h200-products.csv", asynchronous+"h200-matrices.csv"))
	tableOf(t, asynchronous, "<!-- from sim-h200-products.csv -->\n", table)
}
