package exttest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestLoopOfLocks compares one warp's shared atomics with the values that Jia et al. (2018) measured on a Kepler K80
// for 1, 2, 4, 8 and 16 lanes on one address.
func TestLoopOfLocks(t *testing.T) {
	var rows []micro.Row
	for _, r := range micro.Rows() {
		if strings.HasPrefix(r.Name, "atomic add with result, ") && r.Group == "shared memory" {
			rows = append(rows, r)
		}
	}
	c, err := catalog.Kernels()
	require.NoError(t, err)
	r := micro.Runner{Device: open(t, machine(t, "k40")), Kernels: c}
	values, err := r.Run(context.Background(), rows)
	require.NoError(t, err)
	for i, want := range []float64{93, 214, 460, 952, 1936} {
		assert.InEpsilon(t, want, values[i].Median, 0.07, values[i].Name)
	}
}
