package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/sim/config"
)

// openGroup opens a group with parameters set; see open.
func openGroup(t testing.TB, o Options, preset string, n int, set ...string) *Group {
	cfg, err := config.Load(preset)
	require.NoError(t, err)
	for i := 0; i < len(set); i += 2 {
		require.NoError(t, cfg.Set(set[i], set[i+1]))
	}
	g, err := NewGroup(cfg, n, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// member is a GPU of a group that closes its group.
type member struct {
	*Device
	of *Group
}

func (m member) Close() error { return m.of.Close() }

// TestContractOfGroupMembers runs the contract of a device on a GPU of a group, and on the group as its first GPU.
func TestContractOfGroupMembers(t *testing.T) {
	traits := devicetest.Traits{Keeps: true, Faults: true, Hangs: true, Repeats: true}
	t.Run("member", func(t *testing.T) {
		devicetest.Contract(t, func(t *testing.T) device.Device {
			g := openGroup(t, Options{Seed: 1}, "tiny", 2)
			return member{g.gpus[1], g}
		}, traits)
	})
	t.Run("all", func(t *testing.T) {
		devicetest.GroupContract(t, func(t *testing.T) device.Group { return openGroup(t, Options{Seed: 1}, "tiny", 2) }, traits)
	})
	for _, kind := range []string{"pcie3", "nvlink2"} {
		t.Run(kind, func(t *testing.T) {
			devicetest.GroupContract(t, func(t *testing.T) device.Group { return openGroup(t, Options{Seed: 1}, "tiny", 2, "link.kind", kind) }, traits)
		})
	}
	t.Run("group", func(t *testing.T) {
		devicetest.Contract(t, func(t *testing.T) device.Device { return openGroup(t, Options{Seed: 1}, "tiny", 2) }, traits)
	})
}

// touch is a kernel in which each thread does one access to a word of a slice of its own: a load whose value it stores
// in out, a store or an atomic add of its number.
func touch(t testing.TB, op ir.Op, result bool) *device.Kernel {
	a := newAsm("touch", 6, 0)
	x, _, xr := a.slice("x", ir.U32)
	out, _, outr := a.slice("out", ir.U32)
	a.special(0, ir.TID)
	a.special(1, ir.CTAID)
	a.op(ir.OpMad, ir.U32, 0, 1, a.konst(ir.U32, 32), 0)
	a.lea(3, x, 0, 4)
	a.lea(4, out, 0, 4)
	switch {
	case op == ir.OpLoad:
		a.mem(op, ir.U32, 2, xr, 3).Mem.Order = ir.Relaxed
		a.p.Code[len(a.p.Code)-1].Mem.Scope = ir.ScopeSystem
	case op == ir.OpStore:
		a.mem(op, ir.U32, -1, xr, 3, 0)
	case result:
		a.mem(op, ir.U32, 2, xr, 3, 0)
	default:
		a.mem(op, ir.U32, -1, xr, 3, 0)
	}
	if op == ir.OpLoad || result {
		a.mem(ir.OpStore, ir.U32, -1, outr, 4, 2)
	}
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestRemoteAccess checks values and times of accesses to the memory of another GPU.
func TestRemoteAccess(t *testing.T) {
	for _, c := range []struct {
		name   string
		op     ir.Op
		result bool
	}{{"load", ir.OpLoad, false}, {"store", ir.OpStore, false}, {"atomic", ir.OpAtomAdd, true}, {"reduction", ir.OpAtomAdd, false}} {
		t.Run(c.name, func(t *testing.T) {
			k := touch(t, c.op, c.result)
			var cycles [2]uint64
			for home := range 2 {
				g := openGroup(t, Options{Seed: 1}, "tiny", 2)
				in := make([]uint32, 256)
				for i := range in {
					in[i] = uint32(1000 + i)
				}
				x := upload(t, g.gpus[home], "x", device.U32, in)
				out := upload(t, g.gpus[0], "out", device.U32, make([]uint32, 256))
				r, err := g.GPU(0).Launch(t.Context(), device.Launch{Kernel: k, Grid: 8, Block: 32, Args: []any{x, out}})
				require.NoError(t, err)
				for _, d := range g.gpus {
					checkIdle(t, d)
					require.Zero(t, d.m.links.away)
				}
				cycles[home] = r.Cycles
				got, results := download[uint32](t, g.gpus[home], x), download[uint32](t, g.gpus[0], out)
				for i, v := range got {
					want, result := in[i], uint32(0)
					switch {
					case c.op == ir.OpLoad:
						result = in[i]
					case c.op == ir.OpStore:
						want = uint32(i)
					default:
						want += uint32(i)
						if c.result {
							result = in[i]
						}
					}
					require.Equal(t, want, v, i)
					require.Equal(t, result, results[i], i)
				}
			}
			round := uint64(2 * g2latency(t) * 1e9)
			assert.Greater(t, cycles[1], cycles[0]+round*9/10, "there and back")
		})
	}
}

// g2latency returns the smallest latency between two GPUs in seconds.
func g2latency(t testing.TB) float64 {
	return float64(openGroup(t, Options{}, "tiny", 2).net.Latency())
}

// TestRunOverlaps checks that kernels on two GPUs and copies run at the same time, that dependent commands do not, and
// that everything takes the same time again.
func TestRunOverlaps(t *testing.T) {
	k := touch(t, ir.OpAtomAdd, true)
	run := func() []device.Timing {
		g := openGroup(t, Options{Seed: 1}, "tiny", 2)
		n := 1 << 12
		ones := make([]uint32, n)
		for i := range ones {
			ones[i] = 1
		}
		x0, x1 := upload(t, g.gpus[0], "x0", device.U32, ones), upload(t, g.gpus[1], "x1", device.U32, ones)
		o0, o1 := upload(t, g.gpus[0], "o0", device.U32, ones), upload(t, g.gpus[1], "o1", device.U32, ones)
		c1 := upload(t, g.gpus[1], "c1", device.U32, make([]uint32, n))
		back := make([]uint32, n)
		l := func(args ...any) *device.Launch {
			return &device.Launch{Kernel: k, Grid: n / 32, Block: 32, Args: args}
		}
		before := g.Now()
		ts, err := g.Run(context.Background(), []device.Command{
			{GPU: 0, Launch: l(x0, o0)},
			{GPU: 1, Launch: l(x1, o1)},
			{GPU: 1, Stream: 1, Copy: &device.Copy{Dst: c1, Src: x0}, After: []int{0}},
			{GPU: 0, Launch: l(x0, o0)},
			{GPU: 1, Stream: 1, Read: &device.HostCopy{Buffer: c1, Host: back}},
		})
		require.NoError(t, err)
		require.Len(t, ts, 5)
		for _, x := range ts {
			assert.Greater(t, x.Start, before)
			assert.Greater(t, x.End, x.Start)
			require.NotNil(t, x.Report)
		}
		assert.Greater(t, g.Now(), ts[4].End)
		assert.Less(t, ts[1].Start, ts[0].End, "two GPUs")
		assert.GreaterOrEqual(t, ts[2].Start, ts[0].End)
		assert.GreaterOrEqual(t, ts[3].Start, ts[0].End)
		assert.GreaterOrEqual(t, ts[4].Start, ts[2].End)
		require.Contains(t, []uint32{1 + 5, 1 + 10}, back[5], "the second launch may have changed it")
		require.Equal(t, uint32(1+2*7), download[uint32](t, g.gpus[0], x0)[7])
		return ts
	}
	assert.Equal(t, run(), run())
}
