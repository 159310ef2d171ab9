package exttest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/kernels/micro"
)

// TestMicroRowsAlone checks that a row measures the same alone and after others, which allocate memory and fill the
// caches.
func TestMicroRowsAlone(t *testing.T) {
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	var rows []micro.Row
	for _, r := range micro.Rows() {
		switch r.Group + ": " + r.Name {
		case "latency: dependent load, relaxed, nearest of 256 lines in the L2", "shared memory: dependent load, 2 lanes on one bank",
			"WolfGraph figure 5.3: global atomicMin, 8 threads a location", "launch: two loads and an atomic a thread, alone":
			rows = append(rows, r)
		}
	}
	require.Len(t, rows, 4)
	for _, repeats := range []int{0, 2} {
		measure := func(rows []micro.Row) []micro.Value {
			d := open(t, machine(t, "h200", "sm.count", "8"))
			values, err := (&micro.Runner{Device: d, Kernels: kernels, Repeats: repeats}).Run(t.Context(), rows)
			require.NoError(t, err)
			for _, v := range values {
				require.Empty(t, v.Error, v.Name)
			}
			return values
		}
		for i, v := range measure(rows) {
			assert.Equal(t, measure(rows[i : i+1])[0], v, "%d repeats", repeats)
		}
	}
}
