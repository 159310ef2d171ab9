package sim

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestHeavyFreshLaunch checks that a launch that asks for a fresh device takes the same cycles and has the same
// counters whatever was allocated and launched before it, and so do the launches after it.
func TestHeavyFreshLaunch(t *testing.T) {
	a := newAsm("scatter", 6, 0)
	x, _, xr := a.slice("x", ir.U32)
	y, _, yr := a.slice("y", ir.U32)
	a.special(0, ir.TID)
	a.special(1, ir.CTAID)
	a.op(ir.OpMad, ir.U32, 0, 1, a.konst(ir.U32, 64), 0)
	for i := range uint64(8) {
		a.op(ir.OpMul, ir.U32, 2, 0, a.konst(ir.U32, 331+2*i))
		a.op(ir.OpAnd, ir.U32, 2, 2, a.konst(ir.U32, 1<<15-1))
		a.lea(3, x, 2, 4)
		a.lea(4, y, 2, 4)
		a.mem(ir.OpLoad, ir.U32, 5, xr, 3)
		a.mem(ir.OpAtomAdd, ir.U32, -1, yr, 4, 5)
	}
	a.op(ir.OpExit, ir.Void, -1)
	k := a.kernel(t)
	for _, preset := range []string{"tiny", "h200"} {
		for _, scheduler := range []string{"gto", "random"} {
			run := func(before int, fresh bool) [3]*device.Report {
				d := open(t, preset, "issue.scheduler", scheduler)
				for i := range before {
					upload(t, d, "other", device.U8, make([]uint8, 1000+700*i))
				}
				y := upload(t, d, "y", device.U32, make([]uint32, 1<<15))
				upload(t, d, "between", device.U32, make([]uint32, 3000*before))
				x := upload(t, d, "x", device.U32, slices.Repeat([]uint32{1}, 1<<15))
				l := device.Launch{Kernel: k, Grid: 40, Block: 64, Args: []any{x, y}}
				for range before {
					_, err := d.Launch(context.Background(), l)
					require.NoError(t, err)
				}
				all := d.Total()
				l.Fresh = fresh
				r, err := d.Launch(context.Background(), l)
				require.NoError(t, err)
				checkIdle(t, d)
				after := d.Total()
				for i, c := range r.Counters { // sums continue
					if strings.HasSuffix(c.Name, ".sum") {
						assert.Equal(t, all.Counters[i].Value+c.Value, after.Counters[i].Value, c.Name)
					}
				}
				// The next launches continue from there, with the contents of the caches, and one of them with another
				// buffer.
				l.Fresh = false
				again, err := d.Launch(context.Background(), l)
				require.NoError(t, err)
				assert.Equal(t, preset == "tiny", count(t, again, "dram__bytes_read.sum") > 0, "the caches of an H200 hold all that was read")
				l.Args = []any{upload(t, d, "z", device.U32, slices.Repeat([]uint32{1}, 1<<15)), y}
				other, err := d.Launch(context.Background(), l)
				require.NoError(t, err)
				checkIdle(t, d)
				added := uint32(0)
				for _, v := range download[uint32](t, d, y) {
					added += v
				}
				assert.Equal(t, uint32((before+3)*40*64*8), added, "what is in memory is what all launches left")
				return [3]*device.Report{r, again, other}
			}
			first := run(0, true)
			for _, before := range []int{1, 2, 5} {
				for i, r := range run(before, true) {
					assert.Equal(t, first[i].Cycles, r.Cycles, "%s, %s, launch %d after %d", preset, scheduler, i, before)
					if i == 0 {
						assert.Equal(t, first[i].Counters, r.Counters, "%s, %s, after %d", preset, scheduler, before)
						continue
					}
					// The table of words for which atomics wait keeps some of earlier launches in place of others, so that the second operation on a word may be the first that it knows of.
					const queue = "lts__atomic_queue.max"
					assert.InDelta(t, count(t, first[i], queue), count(t, r, queue), 1, "%s, %s, launch %d after %d", preset, scheduler, i, before)
					assert.Equal(t, without(first[i].Counters, queue), without(r.Counters, queue), "%s, %s, launch %d after %d", preset, scheduler, i, before)
				}
			}
			assert.NotEqual(t, first[0].Cycles, run(5, false)[0].Cycles, "%s: what came before shows without it", preset)
		}
	}
}

// without returns counters without one of them.
func without(counters []device.Counter, name string) []device.Counter {
	return slices.DeleteFunc(slices.Clone(counters), func(c device.Counter) bool { return c.Name == name })
}
