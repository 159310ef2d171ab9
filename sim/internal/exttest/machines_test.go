package exttest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// machine returns a preset with parameters set, in pairs of path and value.
func machine(t testing.TB, preset string, set ...string) *config.GPU {
	t.Helper()
	g, err := config.Load(preset)
	require.NoError(t, err)
	for i := 0; i < len(set); i += 2 {
		require.NoError(t, g.Set(set[i], set[i+1]))
	}
	return g
}

// open returns a simulated GPU, which is in memory until the test, or the part of it that t is, ends.
func open(t testing.TB, g *config.GPU) *sim.Device {
	t.Helper()
	d, err := sim.New(g, sim.Options{Seed: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func graphOf(t testing.TB, spec string) *graph.CSR {
	t.Helper()
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// run runs an algorithm and requires the answer of the reference.
func run(t testing.TB, d device.Device, algorithm, scheduler string, g *graph.CSR) {
	t.Helper()
	source, _ := g.MaxDegreeVertex()
	res, err := catalog.Run(context.Background(), d, catalog.Request{
		Algorithm: algorithm, Scheduler: scheduler, Graph: g, Source: source, Verify: true})
	require.NoError(t, err)
	require.True(t, res.Verified, "%s by %s: %v", algorithm, scheduler, res.Mismatch)
}

// lone hides that a device can time queued launches, whose kernels run while the next one is being launched: the paper
// times single launches.
type lone struct{ device.Device }

// figure53 runs WolfGraph's benchmark for 1, 2, 4, ... 512 threads per location; times are in milliseconds.
func figure53(t *testing.T, preset string) (shared, global []float64) {
	t.Helper()
	c, err := catalog.Kernels()
	require.NoError(t, err)
	var rows []micro.Row
	for _, r := range micro.Rows() {
		if r.Group == "WolfGraph figure 5.3" {
			rows = append(rows, r)
		}
	}
	r := micro.Runner{Device: lone{open(t, machine(t, preset))}, Kernels: c}
	values, err := r.Run(context.Background(), rows)
	require.NoError(t, err)
	require.Len(t, values, 40)
	for i, v := range values {
		require.Empty(t, v.Error)
		switch i / 10 {
		case 2:
			shared = append(shared, v.Median)
		case 3:
			global = append(global, v.Median)
		}
	}
	return shared, global
}

// TestWolfGraphFigure53 checks what the figure shows on a GTX 780 Ti: the time of shared atomics grows with the degree
// of conflict and exceeds that of global atomics, which hardly changes, at about 256 threads per location. On a
// machine with native shared atomics it never does.
func TestWolfGraphFigure53(t *testing.T) {
	shared, global := figure53(t, "gtx780ti")
	for i := 1; i < len(shared); i++ {
		assert.GreaterOrEqual(t, shared[i], shared[i-1], "degree %d", 1<<i)
		assert.InEpsilon(t, global[0], global[i], 0.1, "degree %d", 1<<i)
		if 1<<i == 128 { // the curves are about to cross
			assert.InEpsilon(t, global[i], shared[i], 0.05, "degree 128")
			continue
		}
		assert.Equal(t, 1<<i >= 256, shared[i] > global[i], "degree %d: shared %v, global %v", 1<<i, shared[i], global[i])
	}
	shared, global = figure53(t, "h200")
	for i := range shared {
		assert.Less(t, shared[i], global[i], "degree %d", 1<<i)
	}
}

// kernel compiles one of the module's entry points.
func kernel(t testing.TB, entry string) *device.Kernel {
	t.Helper()
	c, err := catalog.Kernels()
	require.NoError(t, err)
	k, err := c.Kernel(t.Context(), entry, nil)
	require.NoError(t, err)
	return k
}
