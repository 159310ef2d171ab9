package exttest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
)

// TestGroupRows measures what links of a simulated group do, each row twice.
func TestGroupRows(t *testing.T) {
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	var rows []micro.Row
	for _, r := range micro.GroupRows() {
		fits := r.Group == "barriers of GPUs" && !strings.Contains(r.Name, " of 256 ")
		if !r.Heavy && (fits || strings.HasPrefix(r.Group, "latency") || strings.HasSuffix(r.Name, "4 KiB") || strings.HasPrefix(r.Name, "one copy")) {
			rows = append(rows, r)
		}
	}
	require.Len(t, rows, 13)
	measure := func() map[string]float64 {
		g, err := sim.NewGroup(machine(t, "tiny"), 2, sim.Options{Seed: 1})
		require.NoError(t, err)
		values, err := (&micro.Runner{Device: g, Kernels: kernels}).Run(t.Context(), rows)
		require.NoError(t, err)
		require.NoError(t, g.Close())
		list := map[string]float64{}
		for _, v := range values {
			require.Empty(t, v.Error, v.Name)
			require.Positive(t, v.Median, v.Name)
			list[v.Name] = v.Median
		}
		return list
	}
	first := measure()
	assert.Equal(t, first, measure())
	assert.Greater(t, first["one direction, 64 KiB"], first["one direction, 4 KiB"], "the overhead of a copy")
	assert.Greater(t, first["two GPUs, 1 blocks of 32 on each"], first["store to the other GPU and system fence"], "an arrival crosses the link, and is waited for")
}

// TestGroupRowsNeedGroup checks the errors of rows on other devices.
func TestGroupRowsNeedGroup(t *testing.T) {
	values, err := (&micro.Runner{Device: open(t, machine(t, "tiny"))}).Run(t.Context(), micro.GroupRows()[:1])
	require.NoError(t, err)
	assert.Equal(t, "device sim:tiny is not a group of two or more GPUs", values[0].Error)
}
