package function

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
)

// source holds kernels that only the tests of this package need.
const source = `package own

import "github.com/weft-gpu/weft/gpu"

// Mixed waits at barriers of different kinds.
func Mixed(t gpu.Thread, out []uint32) {
	if t.Warp() == 0 {
		t.Sync()
	} else {
		out[0] = t.SyncCount(true)
	}
}

// Counting spins with a counter that ends it some day, so that its state never
// recurs.
func Counting(t gpu.Thread, word *uint32, out []uint64) {
	n := uint64(0)
	for gpu.Load(word) == 0 && n < 1<<60 {
		n++
	}
	out[0] = n
}

// Tallying spins with a counter that decides nothing.
func Tallying(t gpu.Thread, word *uint32, out []uint64) {
	n := uint64(0)
	for gpu.Load(word) == 0 {
		n++
	}
	out[0] = n
}

// Wait spins on a plain or an ordered load, between loops of n rounds. It gives
// up after most rounds; if most is 0, never.
func Wait(t gpu.Thread, word []uint32, n uint32, ordered bool, most uint32) {
	rounds := uint32(0)
	for {
		if ordered && gpu.Load(&word[0]) != 0 || !ordered && word[0] != 0 {
			return
		}
		for i := uint32(0); i < n; i++ {
			if word[i&1] > 7 {
				return
			}
		}
		if most > 0 {
			if rounds++; rounds >= most {
				return
			}
		}
	}
}

// Toggle writes 0 and 1 to a word of each block in turn, until somebody writes 2.
func Toggle(t gpu.Thread, word []uint32, clock bool) {
	b := t.Block()
	for v := uint32(1); gpu.Load(&word[b]) != 2; v ^= 1 {
		gpu.Store(&word[b], v)
		if clock && t.Clock() == 0 {
			return
		}
	}
}

// Exchange lets two lanes hand over a lock for ever.
func Exchange(t gpu.Thread, lock []uint32) {
	me := uint32(t.Idx())
	for gpu.Load(&lock[1]) == 0 {
		if gpu.AtomicCAS(&lock[0], me, 1-me) == 9 {
			return
		}
	}
}

// Watching spins until a clock passes limit. The word that it reads last may take
// the clock's register.
func Watching(t gpu.Thread, word *uint32, limit uint64) {
	for t.Clock() <= limit {
		if gpu.Load(word) != 0 {
			return
		}
	}
}

// Chain lets each block wait for the next.
func Chain(t gpu.Thread, flag []uint32) {
	if b := t.Block(); b+1 < t.GridDim() {
		for gpu.Load(&flag[b+1]) == 0 {
		}
	}
	gpu.Store(&flag[t.Block()], 1)
}

// Work loops n times over memory, shared memory and collectives.
func Work(t gpu.Thread, data []uint32, n uint32) {
	q := gpu.Shared[[256]uint32](t)
	q[t.Idx()] = 0
	for i := range n {
		v := data[(t.Global()+i)%gpu.Len(data)]
		if v%3 == 0 {
			gpu.AtomicAdd(&data[0], 1)
		} else {
			mask := t.ActiveMask()
			q[t.Idx()] += gpu.Shfl(t, mask, v, gpu.TrailingZeros(mask)) / (v | 1)
		}
		t.Sync()
		data[t.Global()%gpu.Len(data)] = q[t.Idx()]
	}
}
`

func own(t testing.TB, name string) *device.Kernel {
	c := sources(t)
	c.Mount("github.com/weft-gpu/weft/own", fstest.MapFS{"own.go": {Data: []byte(source)}})
	k, err := c.Kernel(t.Context(), "own."+name, nil)
	require.NoError(t, err)
	return k
}

func words(t testing.TB, d *Device, name string, n int) device.Buffer {
	b, err := d.Alloc(name, device.U32, n)
	require.NoError(t, err)
	require.NoError(t, d.Write(b, make([]uint32, n)))
	return b
}

func launch(d *Device, k *device.Kernel, grid, block int, args ...any) error {
	_, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: grid, Block: block, Args: args})
	return err
}

func TestBarriersOfDifferentKinds(t *testing.T) {
	d := New(Options{})
	err := launch(d, own(t, "Mixed"), 1, 64, words(t, d, "out", 1))
	var h *device.HangError
	require.ErrorAs(t, err, &h)
	assert.Equal(t, "threads of a block wait at barriers of different kinds, so none can complete", h.What)
	require.Len(t, h.Waiting, 2)
	assert.Equal(t, "waits at a barrier (Sync)", h.Waiting[0].Why)
	assert.Equal(t, "waits at a barrier (SyncCount)", h.Waiting[1].Why)
	assert.Equal(t, 1, h.Waiting[1].Warp)
}

func TestHangNamesWhatIsPolledAndBlocksThatHaveNotStarted(t *testing.T) {
	d := New(Options{})
	k := own(t, "Chain")
	occ, err := d.Occupancy(k, 1024)
	require.NoError(t, err)
	fits := occ.BlocksPerSM * occ.SMs
	require.NoError(t, launch(d, k, fits, 1024, words(t, d, "flag", fits)), "blocks that are resident can wait for each other")
	err = launch(d, k, fits+5, 1024, words(t, d, "flag", fits+5))
	var h *device.HangError
	require.ErrorAs(t, err, &h)
	assert.Contains(t, h.What, "every thread waits for another; 5 of 21 blocks have not started, since only 16 fit at once")
	require.Len(t, h.Waiting, device.MaxWaits)
	assert.Equal(t, "spins on flag[1]", h.Waiting[0].Why)
	assert.Equal(t, uint32(0xFFFFFFFF), h.Waiting[0].Threads)
	assert.Equal(t, 16*32-device.MaxWaits, h.More)
	assert.Contains(t, err.Error(), "own/own.go:88")
}

// TestBudget checks that a kernel that counts forever is not reported as a
// hang: it ends when its budget is used up.
func TestBudget(t *testing.T) {
	d := New(Options{Budget: 300_000})
	out, err := d.Alloc("out", device.U64, 1)
	require.NoError(t, err)
	err = launch(d, own(t, "Counting"), 1, 32, words(t, d, "word", 1), out)
	var u *device.UndecidedError
	require.ErrorAs(t, err, &u)
	assert.Equal(t, "300000 warp instructions", u.Budget)
	require.Len(t, u.Waiting, 1)
	assert.Equal(t, "spins on word[0]", u.Waiting[0].Why)
	assert.Contains(t, err.Error(), "kernel own.Counting: undecided: it did not end within its budget of 300000 warp instructions, and it was not shown to hang\n  who waits\n")
}

// TestSoon checks that a hang is reported within ten rounds of the loop in which
// all threads wait, also if a round takes longer than a turn. The number of
// instructions of a round is measured on the same loop with an end.
func TestSoon(t *testing.T) {
	insts := func(n uint32, ordered bool, most uint32) (float64, error) {
		d := New(Options{Budget: 100_000_000})
		r, err := d.Launch(context.Background(), device.Launch{Kernel: own(t, "Wait"), Grid: 3, Block: 64, Args: []any{words(t, d, "word", 2), n, ordered, most}})
		for _, c := range r.Counters {
			if c.Name == counter.WarpInstructions {
				return c.Value, err
			}
		}
		t.Fatal("no count of instructions")
		return 0, nil
	}
	for _, n := range []uint32{0, 1, 10, 100, 3000} {
		for _, ordered := range []bool{false, true} {
			one, err := insts(n, ordered, 1)
			require.NoError(t, err)
			many, err := insts(n, ordered, 21)
			require.NoError(t, err)
			round := (many - one) / 20
			all, err := insts(n, ordered, 0)
			var h *device.HangError
			require.ErrorAs(t, err, &h)
			assert.Equal(t, device.Hang, h.Kind)
			rounds := (all - one) / round
			assert.Less(t, rounds, 10.0, "loops of %d, ordered %v", n, ordered)
			t.Logf("loops of %d, ordered %v: reported after %.1f rounds of %.0f instructions", n, ordered, rounds, round)
		}
	}
}

func TestTallyIsNoExcuse(t *testing.T) {
	d := New(Options{Budget: 300_000})
	out, err := d.Alloc("out", device.U64, 1)
	require.NoError(t, err)
	var h *device.HangError
	require.ErrorAs(t, launch(d, own(t, "Tallying"), 1, 32, words(t, d, "word", 1), out), &h)
	assert.Equal(t, device.Hang, h.Kind)
}

// TestLivelock checks that launches that change memory for ever are shown to do
// so, if their state recurs.
func TestLivelock(t *testing.T) {
	d := New(Options{Budget: 30_000_000})
	var h *device.HangError
	for _, blocks := range []int{1, 2, 10} {
		require.ErrorAs(t, launch(d, own(t, "Toggle"), blocks, 64, words(t, d, "word", 10), false), &h)
		assert.Equal(t, device.Livelock, h.Kind)
		assert.Regexp(t, `^all of its state is the same every \d+ warp instructions, memory included, so it goes on like this for ever, in this order of turns$`, h.What)
	}
	require.ErrorAs(t, launch(d, own(t, "Exchange"), 1, 2, words(t, d, "lock", 2)), &h)
	assert.Equal(t, device.Livelock, h.Kind)
	var u *device.UndecidedError
	d = New(Options{Budget: 300_000})
	require.ErrorAs(t, launch(d, own(t, "Toggle"), 1, 32, words(t, d, "word", 10), true), &u)
	assert.Equal(t, "it reads a clock, so that its state never recurs", u.Why)
}

// TestClockIsNoProof checks that a loop that reads a clock into a register and
// then overwrites it, so that its state is the same in each iteration, is not
// reported as a hang.
func TestClockIsNoProof(t *testing.T) {
	d := New(Options{Budget: 300_000})
	err := launch(d, own(t, "Watching"), 1, 32, words(t, d, "word", 1), uint64(200_000))
	require.NoError(t, err)
	var u *device.UndecidedError
	require.ErrorAs(t, launch(d, own(t, "Watching"), 1, 32, words(t, d, "word", 1), uint64(1<<60)), &u)
}

func TestSlicesDoNotChangeTheAnswer(t *testing.T) {
	k := own(t, "Work")
	var first []uint32
	for _, slice := range []int{1, 7, 1000} {
		d := New(Options{Slice: slice})
		b := words(t, d, "data", 64)
		seed := make([]uint32, 64)
		for i := range seed {
			seed[i] = uint32(i * 7)
		}
		require.NoError(t, d.Write(b, seed))
		require.NoError(t, launch(d, k, 1, 32, b, 9))
		got := make([]uint32, 64)
		require.NoError(t, d.Read(b, got))
		if first == nil {
			first = got
		}
		assert.Equal(t, first, got)
	}
}

func TestNoAllocationAnInstruction(t *testing.T) {
	d, k := New(Options{}), own(t, "Work")
	b := words(t, d, "data", 1000)
	measure := func(n uint32) float64 {
		return testing.AllocsPerRun(3, func() { require.NoError(t, launch(d, k, 20, 128, b, n)) })
	}
	few := measure(2)
	assert.InDelta(t, few, measure(200), 16, "a hundred times the work")
}

// straight returns a hand-written program: lane numbers, a guarded add, a
// store.
func straight() *ir.Kernel {
	return &ir.Kernel{Name: "straight", Program: &ir.Program{
		NumRegs: 2, NumPreds: 1,
		Uniforms: []ir.Uniform{{K: ir.U32, Leaf: -1, Bits: 4}},
		Code: []ir.Inst{
			{Op: ir.OpSpecial, K: ir.U32, NDst: 1, Imm: int64(ir.LaneID), Guard: ir.NoGuard, Root: -1},
			{Op: ir.OpLt, K: ir.Pred, ArgK: ir.U32, NSrc: 2, NDst: 1, Src: [ir.MaxOperands]ir.Operand{0, -1}, Guard: ir.NoGuard, Root: -1},
			{Op: ir.OpBra, Target: 4, Recon: 4, Guard: 0, Root: -1},
			{Op: ir.OpAdd, K: ir.U32, ArgK: ir.U32, NSrc: 2, NDst: 1, Src: [ir.MaxOperands]ir.Operand{0, -1}, Dst: [4]int32{1}, Guard: 0, GuardNot: true, Root: -1},
			{Op: ir.OpExit, Guard: ir.NoGuard, Root: -1},
		},
	}}
}

func TestCounters(t *testing.T) {
	d := New(Options{})
	rep, err := d.Launch(context.Background(), device.Launch{Kernel: straight().ForHost(), Grid: 3, Block: 40})
	require.NoError(t, err)
	for name, want := range map[string]float64{
		// Each block has a warp of 32 threads and one of 8; four lanes skip the
		// add.
		"smsp__inst_executed.sum":        3 * 2 * 5,
		"smsp__thread_inst_executed.sum": 3 * (4*40 + 28 + 4),
		// The condition of a branch counts as its guard: four lanes of each
		// warp take it.
		"smsp__thread_inst_executed_pred_on.sum": 3 * (3*40 + 8 + 28 + 4),
		"smsp__inst_executed_op_branch.sum":      3 * 2,
		"smsp__inst_executed_op_global_ld.sum":   0,
	} {
		got, ok := rep.Counter(name)
		require.True(t, ok, name)
		assert.Equal(t, want, got, name)
	}
	assert.Zero(t, rep.Cycles)
}

func TestProgramsThatLeaveTheirCodeAreRefused(t *testing.T) {
	d := New(Options{})
	for _, c := range []struct {
		change func(p *ir.Program)
		want   string
	}{
		{func(p *ir.Program) { p.Code = nil }, "no code"},
		{func(p *ir.Program) { p.Code[4] = p.Code[3] }, "does not end in an exit"},
		{func(p *ir.Program) { p.Code[2].Target = 9 }, "instruction 2 jumps to 9, outside the program"},
		{func(p *ir.Program) { p.Code[1].Op = ir.OpPhi }, "instruction 1: op phi does not belong in a program"},
	} {
		k := straight()
		c.change(k.Program)
		assert.ErrorContains(t, launch(d, k.ForHost(), 1, 1), c.want)
	}
}

func TestOccupancyLimits(t *testing.T) {
	k := straight()
	for _, c := range []struct {
		block, regs, shared int
		blocks              int
		limit               string
	}{
		{32, 16, 0, 32, "blocks"},
		{256, 16, 0, 8, "warps"},
		{256, 64, 0, 4, "registers"},
		{33, 255, 0, 4, "registers"},
		{32, 16, 40 << 10, 4, "shared memory"},
	} {
		k.Program.SharedBytes = c.shared
		o, err := fit(k.ForHost(), c.block, c.regs, 0)
		require.NoError(t, err)
		assert.Equal(t, c.blocks, o.BlocksPerSM, "%+v", c)
		assert.Equal(t, c.limit, o.Limit, "%+v", c)
		assert.False(t, o.Estimated)
	}
	k.Program.SharedBytes = 0
	_, err := fit(k.ForHost(), 1024, 255, 0)
	assert.ErrorContains(t, err, "does not fit an SM: registers")
	_, err = fit(k.ForHost(), 32, 256, 0)
	assert.ErrorContains(t, err, "256 registers a thread")
}
