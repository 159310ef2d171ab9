package exttest_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
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

// TestSharedMemoryOfH200 compares the rows of shared memory, of the data stage and of one SM's packets with what an
// H200 measured. The largest differences are those of chains of loads, of which the default scheduler leaves the last
// warps alone.
func TestSharedMemoryOfH200(t *testing.T) {
	var recorded []micro.Value
	b, err := os.ReadFile("../../../results/hw/h200/micro.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &recorded))
	want := map[string]float64{}
	for _, v := range recorded {
		want[v.Group+": "+v.Name] = v.Median
	}
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	var rows []micro.Row
	for _, r := range micro.Rows() {
		if r.Group == "shared memory" || r.Group == "data stage" || strings.HasPrefix(r.Name, "one SM") {
			require.Contains(t, want, r.Group+": "+r.Name)
			rows = append(rows, r)
		}
	}
	d := open(t, machine(t, "h200", "sm.count", "8"))
	values, err := (&micro.Runner{Device: d, Kernels: kernels}).Run(t.Context(), rows)
	require.NoError(t, err)
	var errors []float64
	for _, v := range values {
		name := v.Group + ": " + v.Name
		assert.Less(t, v.Median/want[name], 1.5, name)
		assert.Greater(t, v.Median/want[name], 0.7, name)
		errors = append(errors, math.Abs(v.Median/want[name]-1))
	}
	slices.Sort(errors)
	require.Greater(t, len(errors), 90)
	assert.Less(t, errors[len(errors)/2], 0.06, "the median")
	assert.Less(t, errors[len(errors)*9/10], 0.32, "all but a tenth")
}
