package exttest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
)

const (
	fromSMs = "lts__t_sectors_srcunit_tex_op_read.sum"
	atL1    = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
	hitL1   = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
)

// listed is a device that keeps the counters of each launch.
type listed struct {
	*sim.Device
	counters []map[string]float64
}

func (l *listed) Launch(ctx context.Context, launch device.Launch) (*device.Report, error) {
	r, err := l.Device.Launch(ctx, launch)
	if err == nil {
		c := map[string]float64{}
		for _, x := range r.Counters {
			c[x.Name] = x.Value
		}
		l.counters = append(l.counters, c)
	}
	return r, err
}

// Time keeps the counters of the launch that a row times.
func (l *listed) Time(ctx context.Context, launch device.Launch, _ int) (*device.Report, error) {
	return l.Launch(ctx, launch)
}

// TestHeavyMergedReads runs programs whose blocks load the same data on a simulated H200, and compares the sectors that
// SMs read from the L2 with those that an H200 counts. Compared is the second launch: the L2 has the data, as it has when
// Nsight Compute repeats a launch for further counters.
func TestHeavyMergedReads(t *testing.T) {
	h, err := results.Load("h200")
	require.NoError(t, err)
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	recorded := map[string][]results.KernelCounters{}
	for _, l := range h.MicroCounters.Launches {
		recorded[l.Kernel] = append(recorded[l.Kernel], l)
	}
	for _, c := range []struct {
		row, kernel string
		launch      int     // which of the recorded launches of the kernel is the first of the row
		missed      float64 // sectors that the L1 does not have: what is read if nothing is merged, by hand
		low, high   float64 // simulated sectors, divided by the recorded ones
	}{
		// Without merging: 256 blocks x (8 rows of 32 sectors + 256 rows of 4 sectors).
		{"matrix product, 256 rows", "Product", 0, 256 * (8*32 + 256*4), 1, 1.35},
		// 64 and 256 blocks x 2 matrices x n rows or columns of a strip of 4 sectors.
		{"matrix product by tiles, 256 rows", "TiledProduct", 0, 64 * 2 * 256 * 4, 0.95, 1.05},
		{"matrix product by tiles, 512 rows", "TiledProduct", 2, 256 * 2 * 512 * 4, 0.95, 1.27},
		// 2 and 8 blocks x 2,048 bodies of 16 bytes.
		{"n-body, 2,048 bodies", "NBody", 0, 2 * 1024, 0.99, 1.01},
		{"n-body by tiles, 2,048 bodies", "TiledNBody", 0, 8 * 1024, 0.87, 1.1},
	} {
		t.Run(c.row, func(t *testing.T) {
			d := &listed{Device: open(t, machine(t, "h200"))}
			for _, r := range micro.Rows() {
				if r.Name == c.row {
					_, err = (&micro.Runner{Device: d, Kernels: kernels}).Run(t.Context(), []micro.Row{r})
					require.NoError(t, err)
				}
			}
			require.Len(t, d.counters, 2)
			mine := d.counters[1]
			k, err := kernels.Kernel(t.Context(), "internal/kernels/micro."+c.kernel, nil)
			require.NoError(t, err)
			list := recorded[ir.Symbol(k.Name)]
			require.Greater(t, len(list), c.launch+1)
			theirs := (list[c.launch].Counters[fromSMs] + list[c.launch+1].Counters[fromSMs]) / 2
			t.Logf("%.0f sectors simulated, %.0f on an H200, %.0f without merging", mine[fromSMs], theirs, c.missed)
			assert.InEpsilon(t, c.missed, mine[atL1]-mine[hitL1], 1e-9, "by hand")
			assert.Equal(t, list[c.launch].Counters[atL1], mine[atL1])
			assert.GreaterOrEqual(t, mine[fromSMs]/theirs, c.low)
			assert.LessOrEqual(t, mine[fromSMs]/theirs, c.high)
		})
	}
}
