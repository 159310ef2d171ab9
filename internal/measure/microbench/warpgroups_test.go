package microbench

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/hw"
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
	require.NoError(t, MatrixProducts(t.Context(), d, []int{256, 512}, 1, &rows))
	golden.Check(t, asynchronous+"sim-h200-products.csv", rows.String())
	require.NoError(t, CompareRows(&table, Products, asynchronous+"sim-h200-products.csv", asynchronous+"h200-products.csv", asynchronous+"h200-matrices.csv"))
	tableOf(t, "<!-- from sim-h200-products.csv -->\n", table)
}

// TestGroupProductsOnGPU writes what a GPU measures to the folder that WEFT_OUT names.
func TestGroupProductsOnGPU(t *testing.T) {
	out := os.Getenv("WEFT_OUT")
	if out == "" {
		t.Skip("WEFT_OUT names no folder")
	}
	d, err := hw.Open("hw:0", 0, hw.Options{})
	require.NoError(t, err)
	defer d.Close()
	var rows bytes.Buffer
	require.NoError(t, GroupProducts(t.Context(), d, &rows))
	require.NoError(t, os.WriteFile(out+"/products.csv", rows.Bytes(), 0o644))
	rows.Reset()
	require.NoError(t, MatrixProducts(t.Context(), d, []int{256, 512, 1024, 2048, 4096}, 5, &rows))
	require.NoError(t, os.WriteFile(out+"/matrices.csv", rows.Bytes(), 0o644))
}
