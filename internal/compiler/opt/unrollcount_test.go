package opt_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// countedLoop is a kernel in which thread t counts from in[2t] to in[2t+1],
// both 64-bit words, in a loop with or without a guard. It writes to out: the
// number of iterations, a hash of the words read in order, and the counter in
// the last iteration.
const countedLoop = `kernel test
leaf "in" u64 base u64 8 0
leaf "in.len" s64 length void 0 0
leaf "out" u64 base u64 8 1
leaf "out.len" s64 length void 0 1
b0:
	v0:u32 = special tid
	v1:u64 = lea.u32 $in, v0, #16
	v2:KIND = load.KIND.global [v1]
	v3:KIND = load.KIND.global [v1+8]
	ENTER
b1: <- b0 b1
	v5:KIND = phi v2, v8
	v6:u32 = phi 0:u32, v12
	v7:u32 = phi 7:u32, v14
	v8:KIND = add v5, STEP:KIND
	v9:u32 = cvt.KIND v5
	v10:u32 = and v9, 63:u32
	v11:u64 = lea.u32 $in, v10, #8
	v15:u32 = load.u32.global [v11]
	v16:u32 = mul v7, 31:u32
	v14:u32 = add v16, v15
	v12:u32 = add v6, 1:u32
	v13:pred = OP.KIND v8, v3
	if v13 b1 b2
b2: <- PREDS
	v20:u32 = phi v12ZERO
	v21:u32 = phi v14ZERO
	v22:u32 = phi v9ZERO
	v23:u64 = lea.u32 $out, v0, #24
	store.u32.global [v23], v20
	store.u32.global [v23+8], v21
	store.u32.global [v23+16], v22
	ret
`

// counter describes how a loop counts.
type counter struct {
	k       ir.Kind
	op      ir.Op
	step    int64
	guarded bool
}

func (n counter) String() string {
	return fmt.Sprintf("%v %v step %d guarded %v", n.k, n.op, n.step, n.guarded)
}

func (n counter) text() string {
	enter, zero, preds := "jmp b1", "", "b1"
	if n.guarded {
		enter, zero, preds = "v4:pred = OP.KIND v2, v3\n\tif v4 b1 b2", ", 0:u32", "b1 b0"
	}
	step := uint64(n.step)
	if n.k.Bits() == 32 {
		step = uint64(uint32(step))
	}
	number := fmt.Sprint(step)
	if n.k.Signed() {
		number = fmt.Sprint(n.step)
	}
	return strings.NewReplacer("KIND", n.k.String(), "STEP", number, "OP", n.op.String(), "ZERO", zero, "PREDS", preds).
		Replace(strings.Replace(countedLoop, "ENTER", enter, 1))
}

// test reports whether x op y holds for numbers of kind k.
func (n counter) test(t *testing.T, x, y uint64) bool {
	r, err := ir.Eval(n.op, ir.Pred, n.k, 0, x, y, 0)
	require.NoError(t, err)
	return r != 0
}

// rounds returns how many iterations the loop makes from x to y, or limit+1 if
// they are more than limit.
func (n counter) rounds(t *testing.T, x, y uint64, limit int) int {
	if n.guarded && !n.test(t, x, y) {
		return 0
	}
	for i := 1; i <= limit; i++ {
		var err error
		x, err = ir.Eval(ir.OpAdd, n.k, n.k, 0, x, uint64(n.step), 0)
		require.NoError(t, err)
		if !n.test(t, x, y) {
			return i
		}
	}
	return limit + 1
}

// ranges returns pairs of a start and a bound for which the loop ends: near the
// ends of the kind, near 0, and near each other.
func (n counter) ranges(t *testing.T) []uint64 {
	var ends []uint64
	for _, at := range []uint64{0, 1 << (n.k.Bits() - 1), 1 << 31, 1 << 32} {
		for d := range uint64(14) {
			end := at + d - 7
			if n.k.Bits() == 32 {
				end = uint64(uint32(end))
			}
			ends = append(ends, end)
		}
	}
	var pairs []uint64
	for _, x := range ends {
		for _, y := range ends {
			if n.rounds(t, x, y, 60) <= 60 {
				pairs = append(pairs, x, y)
			}
		}
		for d := range uint64(24) { // with every number of iterations
			y := x + (d-4)*uint64(n.step)
			if n.op == ir.OpNe {
				y = x + d*uint64(n.step)
			}
			if n.k.Bits() == 32 {
				y = uint64(uint32(y))
			}
			if n.rounds(t, x, y, 60) <= 60 {
				pairs = append(pairs, x, y)
			}
		}
	}
	return pairs
}

// Counted loops make the right iterations, in order, for all bounds, including
// those where the counter, or the counter plus a few steps, wraps around.
func TestHeavyUnrollCountBounds(t *testing.T) {
	for _, k := range []ir.Kind{ir.U32, ir.S32, ir.U64, ir.S64} {
		for _, op := range []ir.Op{ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpNe} {
			for _, step := range []int64{1, 3, 32} {
				if op == ir.OpNe && step != 1 {
					continue
				}
				if op == ir.OpGt || op == ir.OpGe {
					step = -step
				}
				for _, guarded := range []bool{true, false} {
					n := counter{k, op, step, guarded}
					t.Run(n.String(), func(t *testing.T) { n.check(t) })
				}
			}
		}
	}
	counter{ir.U32, ir.OpNe, -1, true}.check(t)
	counter{ir.S64, ir.OpNe, -1, false}.check(t)
}

func (n counter) check(t *testing.T) {
	pairs := n.ranges(t)
	threads := len(pairs) / 2
	require.Greater(t, threads, 100)
	f, err := irtext.Parse(n.text())
	require.NoError(t, err)
	before := len(f.Blocks)
	require.NoError(t, opt.Optimize(f, opt.Options{VerifyEach: true}))
	require.Greater(t, len(f.Blocks), before, "it was unrolled")
	p, err := opt.Program(f)
	require.NoError(t, err)

	d := function.New(function.Options{})
	defer d.Close()
	const block = 256
	in, err := d.Alloc("in", device.U64, 2*block)
	require.NoError(t, err)
	out, err := d.Alloc("out", device.U64, 3*block)
	require.NoError(t, err)
	k := (&ir.Kernel{Name: p.Name, Program: p, Params: []ir.Param{
		{Name: "in", Type: "[]uint64", Leaves: []int{0, 1}}, {Name: "out", Type: "[]uint64", Leaves: []int{2, 3}}}}).ForHost()
	for len(pairs) > 0 {
		now := make([]uint64, 2*block)
		copy(now, pairs)
		count := min(block, len(pairs)/2)
		pairs = pairs[2*count:]
		require.NoError(t, d.Write(in, now))
		got := make([]uint64, 3*block)
		require.NoError(t, d.Write(out, got))
		_, err = d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 1, Block: count, Args: []any{in, out}})
		require.NoError(t, err)
		require.NoError(t, d.Read(out, got))
		for i := range count {
			x, y := now[2*i], now[2*i+1]
			rounds := n.rounds(t, x, y, 60)
			hash, last := uint32(7), uint32(0)
			for r := range rounds {
				last = uint32(x + uint64(r)*uint64(n.step))
				hash = hash*31 + uint32(now[last&63])
			}
			if rounds == 0 {
				hash = 0
			}
			require.Equal(t, []uint64{uint64(rounds), uint64(hash), uint64(last)}, got[3*i:3*i+3], "from %#x to %#x", x, y)
		}
	}
}
