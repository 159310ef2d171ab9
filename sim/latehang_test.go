package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// waitLoop is a kernel whose block b executes lengths[b] additions in each round of a loop that waits for done[b]. A
// block leaves its loop after rounds rounds; 0 stands for never. Every block changes memory before its loop.
func waitLoop(t testing.TB, lengths []int, shared bool, rounds uint64) *device.Kernel {
	a := newAsm("waits", 8, 2)
	done, _, dr := a.slice("done", ir.U32)
	cell, cr := a.shared("cell", ir.U32, 1)
	a.special(0, ir.CTAID)
	a.lea(1, done, 0, 4)
	if shared {
		a.op(ir.OpMov, ir.U64, 1, cell)
		dr = cr
	}
	a.mem(ir.OpStore, ir.U32, -1, dr, 1, a.konst(ir.U32, 7))
	a.mem(ir.OpStore, ir.U32, -1, dr, 1, a.konst(ir.U32, 0))
	a.op(ir.OpMov, ir.U32, 3, a.konst(ir.U32, 0))
	a.op(ir.OpMov, ir.U32, 4, a.konst(ir.U32, 0))
	for b := range lengths[1:] {
		a.cmp(ir.OpEq, ir.U32, 0, 0, a.konst(ir.U32, uint64(b+1)))
		a.bra(0, "spin"+string(rune('1'+b)), "end")
	}
	for b, n := range lengths {
		loop := "spin" + string(rune('0'+b))
		a.label(loop)
		for range n {
			a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 0))
		}
		if rounds > 0 {
			a.op(ir.OpAdd, ir.U32, 4, 4, a.konst(ir.U32, 1))
			a.cmp(ir.OpGe, ir.U32, 1, 4, a.konst(ir.U32, rounds))
			a.bra(1, "end", "end")
		}
		in := a.mem(ir.OpLoad, ir.U32, 2, dr, 1)
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
		a.cmp(ir.OpEq, ir.U32, 0, 2, a.konst(ir.U32, 0))
		a.bra(0, loop, "end")
		a.jmp("end")
	}
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestHangIsReportedSoon checks that a hang is reported within ten periods of the longest waiting loop after the last
// change of memory. The period is measured on the same loop with an end.
func TestHangIsReportedSoon(t *testing.T) {
	for _, preset := range []string{"tiny", "k40", "v100", "h200"} {
		cfg, err := config.Load(preset)
		require.NoError(t, err)
		cycles := func(k *device.Kernel, blocks int) (uint64, error) {
			d, err := New(cfg, Options{Budget: 50_000_000})
			require.NoError(t, err)
			defer d.Close()
			b := upload(t, d, "done", device.U32, make([]uint32, blocks))
			r, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: blocks, Block: 64, Args: []any{b}})
			return r.Cycles, err
		}
		for _, lengths := range [][]int{{0}, {1}, {10}, {100}, {3000}, {0, 1000}, {2000, 3, 50}} {
			for _, shared := range []bool{false, true} {
				n := len(lengths)
				one, err := cycles(waitLoop(t, lengths, shared, 1), n) // ends before the first load
				require.NoError(t, err)
				many, err := cycles(waitLoop(t, lengths, shared, 101), n)
				require.NoError(t, err)
				period := float64(many-one) / 100
				all, err := cycles(waitLoop(t, lengths, shared, 0), n)
				var h *device.HangError
				require.ErrorAs(t, err, &h, "%s %v", preset, lengths)
				assert.Equal(t, device.Hang, h.Kind)
				periods := (float64(all) - float64(one)) / period
				assert.Less(t, periods, 10.0, "%s, %v additions, shared %v, a period of %.0f cycles", preset, lengths, shared, period)
				t.Logf("%s, %v additions, shared %v: a period of %.0f cycles, reported after %.1f", preset, lengths, shared, period, periods)
			}
		}
	}
}
