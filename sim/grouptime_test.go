package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestStage checks when the host copies what a list writes and reads: before and after all commands, so that their own
// times stay as they are.
func TestStage(t *testing.T) {
	const words = 1 << 14
	measure := func(rate string) (took float64, times []device.Timing) {
		g := openGroup(t, Options{Seed: 1}, "tiny", 2, "link.stage", rate)
		a, b := upload(t, g.gpus[0], "a", device.U32, make([]uint32, words)), upload(t, g.gpus[1], "b", device.U32, make([]uint32, words))
		begin := g.Now()
		times, err := g.Run(context.Background(), []device.Command{
			{GPU: 0, Write: &device.HostCopy{Buffer: a, Host: make([]uint32, words)}},
			{GPU: 0, Copy: &device.Copy{Dst: b, Src: a}},
			{GPU: 1, After: []int{1}, Read: &device.HostCopy{Buffer: b.Slice(0, words/2), Host: make([]uint32, words/2)}},
		})
		require.NoError(t, err)
		took = g.Now() - begin
		for i := range times {
			times[i].Start, times[i].End = times[i].Start-begin, times[i].End-begin
		}
		return took, times
	}
	none, before := measure("0")
	some, after := measure("2")
	const written, read = 4 * words / 2e9, 2 * words / 2e9 // seconds
	assert.InDelta(t, written+read, some-none, 1e-12)
	for i := range before {
		assert.InDelta(t, before[i].Start+written, after[i].Start, 1e-9, i) // in whole cycles
		assert.InDelta(t, before[i].End+written, after[i].End, 1e-9, i)
	}
}

// TestAtomicsOfPeerTakeLonger checks that the atomic unit is busy longer with another GPU's operations (atomic.peer_word), and
// not with its own.
func TestAtomicsOfPeerTakeLonger(t *testing.T) {
	a := newAsm("count", 3, 0)
	x, _, xr := a.slice("x", ir.U32)
	a.lea(1, x, a.konst(ir.U32, 0), 4)
	for range 8 {
		a.mem(ir.OpAtomAdd, ir.U32, -1, xr, 1, a.konst(ir.U32, 1))
	}
	a.op(ir.OpExit, ir.Void, -1)
	k := a.kernel(t)
	const adds = 8 * 8 * 64
	cycles := func(home int, peer string) float64 {
		g := openGroup(t, Options{Seed: 1}, "tiny", 2, "atomic.peer_word", peer)
		sum := upload(t, g.gpus[home], "sum", device.U32, make([]uint32, 1))
		times, err := g.Run(context.Background(), []device.Command{{GPU: 0, Launch: &device.Launch{Kernel: k, Grid: 8, Block: 64, Args: []any{sum}}}})
		require.NoError(t, err)
		require.EqualValues(t, adds, download[uint32](t, g.gpus[home], sum)[0])
		return float64(times[0].Report.Cycles)
	}
	assert.Equal(t, cycles(0, "0"), cycles(0, "4"))
	assert.InDelta(t, 4*adds, cycles(1, "8")-cycles(1, "4"), 0.02*4*adds)
}
