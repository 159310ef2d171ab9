package simt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// scalarInst returns an instruction with op on rows (or predicates) 0 to 2 and
// destination 3.
func scalarInst(op ir.Op, k, argK ir.Kind) ir.Inst {
	in := ir.Inst{
		Op: op, K: k, ArgK: argK, NSrc: uint8(max(op.NArgs(), 0)), NDst: 1, Imm: 12, Guard: ir.NoGuard,
		Dst: [4]int32{3}, Src: [ir.MaxOperands]ir.Operand{0, 1, 2},
	}
	return in
}

// testWarp returns a started warp of a program that has only rows and
// predicates.
func testWarp(t testing.TB, p *ir.Program, threads int) *Warp {
	t.Helper()
	g, err := Bind(NewMemory(0), device.Launch{Kernel: (&ir.Kernel{Name: "test", Program: p}).ForHost(), Grid: 1, Block: threads}, Limits{})
	require.NoError(t, err)
	var b Block
	b.Start(g, 0, 0)
	return b.Warps[0]
}

var edges = []uint64{
	0, 1, 2, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE,
	1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000,
	math.Float64bits(1.5), math.Float64bits(-1e300), math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()),
}

func TestALUAgreesWithEvalOnEveryLane(t *testing.T) {
	w := testWarp(t, &ir.Program{NumRegs: 4, NumPreds: 4, Code: []ir.Inst{{Op: ir.OpExit}}}, 32)
	r := rand.New(rand.NewPCG(3, 4))
	value := func(k ir.Kind) uint64 {
		v := r.Uint64()
		if r.IntN(2) == 0 {
			v = edges[r.IntN(len(edges))]
		}
		if k.Bits() <= 32 {
			v = uint64(uint32(v))
		}
		return v
	}
	tried, rows := 0, 0
	for op := range ir.NumOps {
		if op.Action() != ir.ActALU {
			continue
		}
		for k, argK := range op.Variants() {
			if argK == ir.Void {
				argK = k // as in a Program
			}
			in := scalarInst(op, k, argK)
			if DecodeALU(&in).form != formLanes {
				rows++
			}
			for round := range 48 {
				mask := Full
				if round%3 > 0 {
					mask = r.Uint32()
				}
				for i := range 3 {
					w.Preds[i] = r.Uint32()
					for l := range w.Regs[i] {
						w.Regs[i][l] = value(op.ArgKind(i, k, argK, ir.Void))
					}
				}
				w.Preds[3] = r.Uint32()
				before, beforeP := w.Regs[3], w.Preds[3]
				var zero uint32
				if round%2 == 0 {
					zero = w.ALU(&in, mask)
				} else { // what hosts without vector instructions execute
					plain := newALU(op, k, argK)
					plainly(func() { zero = plain.Do(w, &in, mask) })
				}
				for l := range Lanes {
					var s [3]uint64
					for i := range s[:in.NSrc] {
						if in.SrcPred(i) {
							s[i] = uint64(w.Preds[i] >> l & 1)
						} else {
							s[i] = w.Regs[i][l]
						}
					}
					want, err := ir.Eval(op, k, argK, in.Imm, s[0], s[1], s[2])
					fails := mask>>l&1 != 0 && err != nil
					require.Equal(t, fails, zero>>l&1 != 0, "%s.%s.%s lane %d", op, k, argK, l)
					got := w.Regs[3][l]
					keep := before[l]
					if k == ir.Pred {
						got, keep = uint64(w.Preds[3]>>l&1), uint64(beforeP>>l&1)
					}
					if mask>>l&1 == 0 || fails {
						want = keep
					}
					if nan(k, want) && nan(k, got) {
						continue
					}
					if want != got {
						require.Equal(t, fmt.Sprintf("%#x", want), fmt.Sprintf("%#x", got), "%s.%s.%s of %#x lane %d", op, k, argK, s, l)
					}
				}
			}
			tried++
		}
	}
	assert.Greater(t, tried, 150)
	t.Logf("%d combinations of op and kinds, %d of them on whole rows", tried, rows)
}

// plainly calls f without vector instructions, as on hosts that have none.
func plainly(f func()) {
	defer func(before bool) { vectors = before }(vectors)
	vectors = false
	f()
}

// TestLanesOfMask checks addresses, merges and special registers lane by lane, for many lanes and for few, with the vector instructions
// of the host, if it has any, and without.
func TestLanesOfMask(t *testing.T) {
	w := testWarp(t, &ir.Program{NumRegs: 1, Code: []ir.Inst{{Op: ir.OpExit}}}, 128)
	w.Index = 3
	access := &ir.Inst{Op: ir.OpLoad, Imm: -4}
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 1000 {
		mask := []uint32{Full, r.Uint32(), r.Uint32() & r.Uint32() & r.Uint32(), 1 << r.IntN(Lanes)}[round%4]
		var base, before Row
		for lane := range Lanes {
			base[lane], before[lane] = r.Uint64(), r.Uint64()
		}
		check := func() {
			sums, merged := before, before
			w.Regs[0] = base
			w.Addresses(access, mask, &sums)
			merge(&merged, &base, mask)
			special := func(which ir.Special) Row {
				w.Regs[0] = before
				w.Special(&ir.Inst{Op: ir.OpSpecial, Imm: int64(which)}, mask, 77, 0)
				return w.Regs[0]
			}
			thread, lanes, clock := special(ir.TID), special(ir.LaneID), special(ir.Clock64)
			for lane := range Lanes {
				want := [5]uint64{base[lane] - 4, base[lane], uint64(96 + lane), uint64(lane), 77}
				if mask>>lane&1 == 0 {
					want = [5]uint64{before[lane], before[lane], before[lane], before[lane], before[lane]}
				}
				require.Equal(t, want, [5]uint64{sums[lane], merged[lane], thread[lane], lanes[lane], clock[lane]}, "mask %08x, lane %d", mask, lane)
			}
		}
		check()
		plainly(check)
	}
}

func nan(k ir.Kind, x uint64) bool {
	switch k {
	case ir.F32:
		return math.IsNaN(float64(math.Float32frombits(uint32(x))))
	case ir.F64:
		return math.IsNaN(math.Float64frombits(x))
	}
	return false
}

func BenchmarkALU(b *testing.B) {
	w := testWarp(b, &ir.Program{NumRegs: 4, NumPreds: 4, Code: []ir.Inst{{Op: ir.OpExit}}}, 32)
	for _, c := range []struct {
		op      ir.Op
		k, argK ir.Kind
	}{
		{ir.OpAdd, ir.U32, ir.U32}, {ir.OpAdd, ir.S64, ir.S64}, {ir.OpLea, ir.U64, ir.U32}, {ir.OpLt, ir.Pred, ir.U32}, {ir.OpEq, ir.Pred, ir.U32},
		{ir.OpLt, ir.Pred, ir.U64}, {ir.OpLt, ir.Pred, ir.F32}, {ir.OpGe, ir.Pred, ir.F64}, {ir.OpSelect, ir.U32, ir.U32}, {ir.OpMin, ir.U32, ir.U32}, {ir.OpAdd, ir.F32, ir.F32}, {ir.OpFMA, ir.F32, ir.F32}, {ir.OpDiv, ir.U32, ir.U32},
	} {
		in := scalarInst(c.op, c.k, c.argK)
		f := DecodeALU(&in)
		spread(&w.Regs[1], 1)
		for _, mask := range []uint32{Full, 0x00010011} {
			b.Run(fmt.Sprintf("%s.%s.%s/%08x", c.op, c.k, c.argK, mask), func(b *testing.B) {
				for b.Loop() {
					f.Do(w, &in, mask)
				}
			})
		}
	}
}
