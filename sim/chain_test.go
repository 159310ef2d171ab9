package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// starter returns a kernel that asks for a launch, and adds 1 to out[0].
func starter(t *testing.T, name string, number, blocks uint64) *device.Kernel {
	a := newAsm(name, 1, 0)
	base, _, root := a.slice("next", ir.U32)
	out, _, to := a.slice("out", ir.U32)
	for i, v := range []uint64{number, blocks} {
		a.lea(0, base, a.konst(ir.U32, uint64(i)), 4)
		a.mem(ir.OpStore, ir.U32, -1, root, 0, a.konst(ir.U32, v))
	}
	a.lea(0, out, a.konst(ir.U32, 0), 4)
	a.mem(ir.OpAtomAdd, ir.U32, -1, to, 0, a.konst(ir.U32, 1))
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestChain adds up by hand what a kernel takes that starts another one, which starts a third.
func TestChain(t *testing.T) {
	d := open(t, "tiny", "launch.device", "31.5")
	require.True(t, d.Capabilities().Has(device.Nested))
	words := upload(t, d, "words", device.U32, make([]uint32, 3))
	next, out := words.Slice(0, 2), words.Slice(2, 3)
	l := func(name string, number, blocks uint64) device.Launch {
		return device.Launch{Kernel: starter(t, name, number, blocks), Grid: 4, Block: 1, Args: []any{next, out}}
	}
	c := device.Chain{First: l("one", 1, 2), Rest: []device.Launch{l("two", 2, 3), l("three", 0, 0)}, Next: next}
	c.First.Grid = 1
	answer := make([]uint32, 3)
	c.Answer = device.Answer{Buffer: words, To: answer, Clear: true}
	launch(t, d, c.First.Kernel, 1, 1, next, out) // so that the next launch is not the first one
	before, start := d.HostWork(), d.Now()
	started, err := device.LaunchChain(t.Context(), device.Wrapper{Device: d}, c)
	require.NoError(t, err)
	require.Len(t, started, 3)
	assert.Equal(t, []uint32{0, 0, 1 + 2 + 3}, answer, "a block each adds 1")
	sum := 0.0
	for i, overhead := range []float64{d.cfg.Launch.Kernel, 31.5, 31.5} {
		r := started[i].Report
		assert.Equal(t, 1, r.Launches)
		assert.Equal(t, i+1, started[i].Launch.Grid)
		assert.InDelta(t, float64(r.Cycles)/d.cfg.Clock.SM+overhead, r.Seconds*1e6, 1e-9, "launch %d", i)
		sum += r.Seconds
	}
	assert.InDelta(t, sum+(d.cfg.Launch.Sync+d.cfg.Copy.Answer)*1e-6, d.Now()-start, 1e-12)
	assert.Equal(t, device.HostWork{Waits: 1, Answers: 1}, d.HostWork().Since(before), "the host waits once")
	assert.Equal(t, 4, d.Total().Launches)
	r := launch(t, d, c.First.Kernel, 1, 1, next, out)
	assert.InDelta(t, float64(r.Cycles)/d.cfg.Clock.SM+d.cfg.Launch.Kernel, r.Seconds*1e6, 1e-9, "a launch of the host after the chain")
}

// TestChainRefuses checks which machines have kernels that start kernels.
func TestChainRefuses(t *testing.T) {
	d := open(t, "tiny")
	require.False(t, d.Capabilities().Has(device.Nested))
	_, err := d.LaunchChain(t.Context(), device.Chain{})
	require.EqualError(t, err, "device sim:tiny has no kernels that start kernels: its launch.device is 0")
	_, err = device.LaunchChain(t.Context(), device.Wrapper{Device: d}, device.Chain{})
	require.EqualError(t, err, "device sim:tiny has no kernels that start kernels")
	for preset, has := range map[string]bool{"k20": true, "k40": true, "gtx780": true, "gtx780ti": true, "v100": false, "h200": false} {
		g, err := config.Load(preset)
		require.NoError(t, err)
		assert.Equal(t, has, g.Launch.Device > 0, preset)
	}
}
