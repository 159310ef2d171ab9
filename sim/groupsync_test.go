package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// produce is a kernel of one warp that stores 7 to 32n words of x, 32 bytes apart, executes a fence of a scope if it has
// one, and stores 1 to flag.
func produce(t testing.TB, n int, scope ir.Scope) *device.Kernel {
	a := newAsm("produce", 5, 0)
	x, _, xr := a.slice("x", ir.U32)
	flag, _, fr := a.slice("flag", ir.U32)
	a.special(2, ir.LaneID)
	for i := range n {
		a.op(ir.OpAdd, ir.U32, 3, 2, a.konst(ir.U32, uint64(32*i)))
		a.lea(0, x, 3, 32)
		a.mem(ir.OpStore, ir.U32, -1, xr, 0, a.konst(ir.U32, 7))
	}
	if scope != ir.NoScope {
		a.op(ir.OpFence, ir.Void, -1).Mem = ir.Mem{Order: ir.AcqRel, Scope: scope}
	}
	a.lea(1, flag, a.konst(ir.U32, 0), 4)
	strong(a.mem(ir.OpStore, ir.U32, -1, fr, 1, a.konst(ir.U32, 1)))
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// strong makes an access relaxed and of system scope.
func strong(in *ir.Inst) { in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeSystem }

// consume is a kernel of one thread that waits until flag is 1, executes a fence, and adds up the last words that
// produce stores, at most 8, in out.
func consume(t testing.TB, n int) *device.Kernel {
	a := newAsm("consume", 6, 1)
	x, _, xr := a.slice("x", ir.U32)
	flag, _, fr := a.slice("flag", ir.U32)
	out, _, or := a.slice("out", ir.U32)
	a.lea(1, flag, a.konst(ir.U32, 0), 4)
	a.label("wait")
	strong(a.mem(ir.OpLoad, ir.U32, 0, fr, 1))
	a.cmp(ir.OpEq, ir.U32, 0, 0, a.konst(ir.U32, 0))
	a.bra(0, "wait", "on")
	a.label("on")
	a.op(ir.OpFence, ir.Void, -1).Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeSystem}
	a.op(ir.OpMov, ir.U32, 3, a.konst(ir.U32, 0))
	for i := range min(n, 8) {
		a.lea(2, x, a.konst(ir.U32, uint64(32*n-1-i)), 32)
		a.mem(ir.OpLoad, ir.U32, 0, xr, 2)
		a.op(ir.OpAdd, ir.U32, 3, 3, 0)
	}
	a.lea(2, out, a.konst(ir.U32, 0), 4)
	a.mem(ir.OpStore, ir.U32, -1, or, 2, 3)
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestFenceOrdersStoresForOtherGPU passes a message from GPU 0 to GPU 1, with data and flag in all places. Without a
// fence, a flag that takes another link is seen before data for which the link takes long.
func TestFenceOrdersStoresForOtherGPU(t *testing.T) {
	const n = 8
	early := false
	for data := range 3 {
		for at := range 3 {
			for _, scope := range []ir.Scope{ir.ScopeSystem, ir.ScopeDevice, ir.NoScope} {
				g := openGroup(t, Options{Seed: 1}, "tiny", 3, "link.topology", "all-to-all", "link.links", "2", "link.bandwidth", "1")
				x := upload(t, g.gpus[data], "x", device.U32, make([]uint32, 8*32*n))
				flag := upload(t, g.gpus[at], "flag", device.U32, make([]uint32, 1))
				out := upload(t, g.gpus[1], "out", device.U32, make([]uint32, 1))
				_, err := g.Run(context.Background(), []device.Command{
					{GPU: 1, Launch: &device.Launch{Kernel: consume(t, n), Grid: 1, Block: 1, Args: []any{x, flag, out}}},
					{GPU: 0, Launch: &device.Launch{Kernel: produce(t, n, scope), Grid: 1, Block: 32, Args: []any{x, flag}}},
				})
				require.NoError(t, err)
				got := download[uint32](t, g.gpus[1], out)[0]
				if scope == ir.NoScope {
					early = early || got < 7*8
					continue
				}
				require.EqualValues(t, 7*8, got, "data on GPU %d, flag on GPU %d, %v", data, at, scope)
			}
		}
	}
	assert.True(t, early, "the test could not have noticed a fence that does nothing")
}

// TestGPUsShareCounter lets the threads of four GPUs add to one word, which takes the same time for all.
func TestGPUsShareCounter(t *testing.T) {
	g := openGroup(t, Options{Seed: 1}, "tiny", 4, "atomic.peer_word", "0")
	sum := upload(t, g.gpus[2], "sum", device.U32, make([]uint32, 1))
	a := newAsm("count", 3, 0)
	x, _, xr := a.slice("x", ir.U32)
	a.lea(1, x, a.konst(ir.U32, 0), 4)
	for range 8 {
		a.mem(ir.OpAtomAdd, ir.U32, 2, xr, 1, a.konst(ir.U32, 1))
	}
	a.op(ir.OpExit, ir.Void, -1)
	k := a.kernel(t)
	var cmds []device.Command
	for i := range 4 {
		cmds = append(cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: k, Grid: 8, Block: 64, Args: []any{sum}}})
	}
	times, err := g.Run(context.Background(), cmds)
	require.NoError(t, err)
	assert.EqualValues(t, 4*8*8*64, download[uint32](t, g.gpus[2], sum)[0])
	for i, d := range g.gpus {
		checkIdle(t, d)
		peer := count(t, d.Total(), "lts__t_sectors_aperture_peer_op_atom.sum")
		assert.Equal(t, i != 2, peer > 0, i)
		if i != 2 {
			assert.Greater(t, times[i].End-times[i].Start, times[2].End-times[2].Start, i)
		}
	}
	var bytes uint64
	for _, l := range g.Links() {
		if l.From != "host" && l.To != "host" {
			bytes += l.Bytes
		}
	}
	assert.Positive(t, bytes)
	assert.Equal(t, count(t, g.Total(), "nvltx__bytes_data_user.sum"), count(t, g.Total(), "nvlrx__bytes_data_user.sum"))
	assert.Greater(t, count(t, g.Total(), "nvltx__bytes.sum"), count(t, g.Total(), "nvltx__bytes_data_user.sum"))
}

// waits is a kernel of one thread that waits until flag is not 0.
func waits(t testing.TB) *device.Kernel { return consume(t, 0) }

// TestHangsInGroup checks that a kernel that waits for another GPU is not said to hang while that GPU runs, and that
// kernels which wait for each other are.
func TestHangsInGroup(t *testing.T) {
	type flags [2]int // on which GPU the flag is for which the kernel of GPU 0 and that of GPU 1 waits
	for _, f := range []flags{{0, 1}, {1, 0}, {0, 0}} {
		g := openGroup(t, Options{Seed: 1}, "tiny", 2)
		out := upload(t, g.gpus[0], "out", device.U32, make([]uint32, 1))
		var cmds []device.Command
		for i := range 2 {
			flag := upload(t, g.gpus[f[i]], "flag", device.U32, make([]uint32, 1))
			cmds = append(cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: waits(t), Grid: 2, Block: 32, Args: []any{flag, flag, out}}})
		}
		_, err := g.Run(context.Background(), cmds)
		var hang *device.HangError
		require.ErrorAs(t, err, &hang, "%v", f)
		assert.Equal(t, device.Hang, hang.Kind)

		// The group works on.
		_, err = g.GPU(1).Launch(context.Background(), device.Launch{Kernel: touch(t, ir.OpStore, false), Grid: 1, Block: 1, Args: []any{out, out}})
		require.NoError(t, err)
		for _, d := range g.gpus {
			checkIdle(t, d)
		}
	}

	// A kernel that waits for one that begins much later.
	for home := range 2 {
		g := openGroup(t, Options{Seed: 1}, "tiny", 2)
		flag := upload(t, g.gpus[home], "flag", device.U32, make([]uint32, 1))
		out, big := upload(t, g.gpus[1], "out", device.U32, make([]uint32, 1)), upload(t, g.gpus[1], "big", device.U32, make([]uint32, 1<<16))
		times, err := g.Run(context.Background(), []device.Command{
			{GPU: 0, Launch: &device.Launch{Kernel: waits(t), Grid: 2, Block: 32, Args: []any{flag, flag, out}}},
			{GPU: 1, Read: &device.HostCopy{Buffer: big, Host: make([]uint32, 1<<16)}},
			{GPU: 1, Launch: &device.Launch{Kernel: produce(t, 0, ir.NoScope), Grid: 1, Block: 1, Args: []any{out, flag}}},
		})
		require.NoError(t, err)
		assert.Greater(t, times[0].End, times[2].Start)
	}

	// A copy that brings the value.
	g := openGroup(t, Options{Seed: 1}, "tiny", 2)
	flag, one := upload(t, g.gpus[0], "flag", device.U32, make([]uint32, 1)), upload(t, g.gpus[1], "one", device.U32, []uint32{1})
	out := upload(t, g.gpus[0], "out", device.U32, make([]uint32, 1))
	_, err := g.Run(context.Background(), []device.Command{
		{GPU: 0, Launch: &device.Launch{Kernel: waits(t), Grid: 2, Block: 32, Args: []any{flag, flag, out}}},
		{GPU: 1, Copy: &device.Copy{Dst: flag, Src: one}},
	})
	require.NoError(t, err)
}

// TestBudgetInGroup checks that a budget ends a launch that waits for another GPU.
func TestBudgetInGroup(t *testing.T) {
	g := openGroup(t, Options{Seed: 1, Budget: 20_000}, "tiny", 2)
	flag := upload(t, g.gpus[1], "flag", device.U32, make([]uint32, 1))
	out := upload(t, g.gpus[0], "out", device.U32, make([]uint32, 1))
	a := newAsm("forever", 4, 0)
	x, _, xr := a.slice("x", ir.U32)
	a.lea(1, x, a.konst(ir.U32, 0), 4)
	a.label("again")
	a.mem(ir.OpAtomAdd, ir.U32, 2, xr, 1, a.konst(ir.U32, 1))
	a.jmp("again")
	_, err := g.Run(context.Background(), []device.Command{
		{GPU: 0, Launch: &device.Launch{Kernel: waits(t), Grid: 1, Block: 1, Args: []any{flag, flag, out}}},
		{GPU: 1, Launch: &device.Launch{Kernel: a.kernel(t), Grid: 1, Block: 1, Args: []any{out}}},
	})
	var u *device.UndecidedError
	require.ErrorAs(t, err, &u)
}

// TestCancelInGroup cancels commands while they run.
func TestCancelInGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := func(p Progress) {
		if p.Cycles > 50_000 { // after the second GPU has begun
			cancel()
		}
	}
	g := openGroup(t, Options{Seed: 1, Progress: stop}, "tiny", 2)
	x := upload(t, g.gpus[0], "x", device.U32, make([]uint32, 1))
	a := newAsm("forever", 4, 0)
	base, _, xr := a.slice("x", ir.U32)
	a.lea(1, base, a.konst(ir.U32, 0), 4)
	a.label("again")
	a.mem(ir.OpAtomAdd, ir.U32, 2, xr, 1, a.konst(ir.U32, 1))
	a.jmp("again")
	k := a.kernel(t)
	times, err := g.Run(ctx, []device.Command{
		{GPU: 0, Launch: &device.Launch{Kernel: k, Grid: 1, Block: 1, Args: []any{x}}},
		{GPU: 1, Launch: &device.Launch{Kernel: k, Grid: 1, Block: 1, Args: []any{x}}},
		{GPU: 1, Launch: &device.Launch{Kernel: k, Grid: 1, Block: 1, Args: []any{x}}},
	})
	require.ErrorIs(t, err, context.Canceled)
	for i, began := range []bool{true, true, false} {
		assert.Equal(t, began, times[i].Report != nil, i)
	}
	before := download[uint32](t, g.gpus[0], x)[0]
	_, err = g.Run(context.Background(), []device.Command{{GPU: 1, Launch: &device.Launch{Kernel: touch(t, ir.OpAtomAdd, false), Grid: 1, Block: 1, Args: []any{x, x}}}})
	require.NoError(t, err)
	assert.Equal(t, before, download[uint32](t, g.gpus[0], x)[0], "nothing of the launches that were ended is left")
}

// TestListenerEndsGroup lets whoever hears of progress end commands after so many warp instructions: what was simulated up to then is
// the same for any number of threads.
func TestListenerEndsGroup(t *testing.T) {
	run := func(threads int) (out []float64) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		heard := map[uint64]bool{}
		g := openGroup(t, Options{Seed: 1, Threads: threads, Progress: func(p Progress) {
			heard[p.Instructions] = true
			if p.Instructions > 10_000 {
				cancel()
			}
		}}, "tiny", 3)
		var cmds []device.Command
		for i := range g.gpus {
			x := upload(t, g.gpus[i], "x", device.U32, make([]uint32, 1))
			y := upload(t, g.gpus[(i+1)%3], "y", device.U32, make([]uint32, 1))
			a := newAsm("forever", 5, 0)
			base, _, xr := a.slice("x", ir.U32)
			far, _, yr := a.slice("y", ir.U32)
			a.lea(1, base, a.konst(ir.U32, 0), 4)
			a.lea(3, far, a.konst(ir.U32, 0), 4)
			a.label("again")
			a.mem(ir.OpAtomAdd, ir.U32, 2, xr, 1, a.konst(ir.U32, 1))
			a.mem(ir.OpAtomAdd, ir.U32, 4, yr, 3, a.konst(ir.U32, 1))
			a.jmp("again")
			cmds = append(cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: a.kernel(t), Grid: 4, Block: 64 << i, Args: []any{x, y}}})
		}
		times, err := g.Run(ctx, cmds)
		require.ErrorIs(t, err, context.Canceled)
		assert.Greater(t, len(heard), 3, "GPUs are heard while they run")
		for _, at := range times {
			out = append(out, float64(at.Report.Cycles), count(t, at.Report, "smsp__inst_executed.sum"))
		}
		return out
	}
	want := run(1)
	for _, threads := range []int{-2, -3, 2, 3} { // negative ones share turns with little to do, too
		assert.Equal(t, want, run(threads), "%d threads", threads)
	}
}

func TestNewGroupErrors(t *testing.T) {
	one := open(t, "tiny")
	for _, c := range []struct {
		n    int
		o    Options
		want string
	}{
		{0, Options{}, "a group of 0 GPUs; it may have 1 to 16"},
		{17, Options{}, "a group of 17 GPUs; it may have 1 to 16"},
	} {
		_, err := NewGroup(one.Config(), c.n, c.o)
		assert.EqualError(t, err, c.want)
	}
	g := openGroup(t, Options{}, "tiny", 2, "dram.capacity", "1")
	_, err := g.GPU(1).Alloc("x", device.U8, 1<<20)
	require.NoError(t, err, "each GPU has its own capacity")
	_, err = g.GPU(1).Alloc("y", device.U8, 1)
	require.ErrorContains(t, err, "out of memory")
	_, err = g.GPU(0).Alloc("y", device.U8, 1)
	require.NoError(t, err)
}
