package sim

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

const dynamicSource = `package p

import "github.com/weft-gpu/weft/gpu"

func Static(t gpu.Thread, out []uint32, stride uint32) {
	q := gpu.Shared[[2048]uint32](t)
	work(t, q[:], out, stride)
}

func Dynamic(t gpu.Thread, out []uint32, stride uint32) {
	work(t, gpu.DynamicShared[uint32](t), out, stride)
}

func work(t gpu.Thread, q, out []uint32, stride uint32) {
	i := t.Idx()
	q[i*stride] = i
	t.Sync()
	gpu.AtomicAdd(&q[i*stride], 1, gpu.BlockScope)
	t.Sync()
	out[t.Global()] = q[(i^1)*stride]
}
`

// TestDynamicShared checks that dynamic shared memory costs the same as variables of the same size: time, bank
// conflicts, occupancy.
func TestDynamicShared(t *testing.T) {
	c := compile.New(catalog.Sources()...)
	c.Mount("p", fstest.MapFS{"p.go": {Data: []byte(dynamicSource)}})
	for _, stride := range []uint32{1, 2, 8} {
		var reports []*device.Report
		for _, name := range []string{"p.Static", "p.Dynamic"} {
			k, err := c.Kernel(t.Context(), name, nil)
			require.NoError(t, err)
			l := device.Launch{Kernel: k, Grid: 20, Block: 256}
			if name == "p.Dynamic" {
				require.Zero(t, k.Shared)
				l.DynamicShared = 8192
			}
			d := open(t, "tiny")
			l.Args = []any{upload(t, d, "out", device.U32, make([]uint32, 20*256)), stride}
			r, err := d.Launch(t.Context(), l)
			require.NoError(t, err)
			reports = append(reports, r)
		}
		static, dynamic := reports[0], reports[1]
		assert.Equal(t, static.Cycles, dynamic.Cycles, "stride %d", stride)
		for _, name := range []string{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "smsp__inst_executed.sum", "smsp__inst_executed_op_shared_atom.sum",
			"sm__warps_active.avg.pct_of_peak_sustained_active"} {
			assert.Equal(t, count(t, static, name), count(t, dynamic, name), "%s, stride %d", name, stride)
		}
		assert.Equal(t, stride > 1, count(t, dynamic, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") > 0, "stride %d", stride)
	}
}
