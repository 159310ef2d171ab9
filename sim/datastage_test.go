package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// sharedKernel makes one access of an op to shared memory, lane l to byte l*stride, with the operands given.
func sharedKernel(t *testing.T, op ir.Op, k ir.Kind, vec uint8, stride int64, result bool, operands ...func(a *asm) ir.Operand) *device.Kernel {
	a := newAsm("access", 8, 0)
	x, root := a.shared("s", k, 8192/k.Bytes())
	a.special(0, ir.LaneID)
	a.lea(1, x, 0, stride)
	dst := int32(-1)
	if result {
		dst = 2
	}
	src := []ir.Operand{1}
	for _, o := range operands {
		src = append(src, o(a))
	}
	in := a.mem(op, k, dst, root, src...)
	if vec > 1 {
		in.Mem.Vec, in.Dst, in.NDst = vec, [4]int32{2, 3, 4, 5}, vec
	}
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestSharedByHand counts the passes of accesses to shared memory and their conflicts by hand; see package shared for
// the rules.
func TestSharedByHand(t *testing.T) {
	number := func(k ir.Kind, n uint64) func(a *asm) ir.Operand {
		return func(a *asm) ir.Operand { return a.konst(k, n) }
	}
	lane := func(*asm) ir.Operand { return 0 }
	for _, c := range []struct {
		name     string
		kernel   *device.Kernel
		passes   float64
		conflict float64
	}{
		{"add 1 on a column", sharedKernel(t, ir.OpAtomAdd, ir.U32, 1, 128, false, number(ir.U32, 1)), 32, 31},
		{"add 1 on one word", sharedKernel(t, ir.OpAtomAdd, ir.U32, 1, 0, false, number(ir.U32, 1)), 1, 0},
		{"add signed 1 on one word", sharedKernel(t, ir.OpAtomAdd, ir.S32, 1, 0, false, number(ir.S32, 1)), 32, 31},
		{"add 2 on one word", sharedKernel(t, ir.OpAtomAdd, ir.U32, 1, 0, false, number(ir.U32, 2)), 32, 31},
		{"add 1 on one word, with result", sharedKernel(t, ir.OpAtomAdd, ir.U32, 1, 0, true, number(ir.U32, 1)), 32, 31},
		{"add lanes on a row", sharedKernel(t, ir.OpAtomAdd, ir.U32, 1, 4, false, lane), 1, 0},
		{"add lanes on a column", sharedKernel(t, ir.OpAtomAdd, ir.U32, 1, 128, false, lane), 32, 31},
		{"add lanes on every fourth word", sharedKernel(t, ir.OpAtomAdd, ir.U32, 1, 16, false, lane), 4, 3},
		{"swap on a row", sharedKernel(t, ir.OpAtomCAS, ir.U32, 1, 4, true, lane, lane), 2, 0},
		{"swap on one word", sharedKernel(t, ir.OpAtomCAS, ir.U32, 1, 0, true, lane, lane), 64, 31},
		{"exchange of 8 bytes, a row", sharedKernel(t, ir.OpAtomExch, ir.U64, 1, 8, true, lane), 2, 0},
		{"exchange of 8 bytes, every other row", sharedKernel(t, ir.OpAtomExch, ir.U64, 1, 16, true, lane), 4, 2},
		{"load of 16 bytes, a row", sharedKernel(t, ir.OpLoad, ir.U32, 4, 16, true), 4, 0},
		{"load of 16 bytes, a column", sharedKernel(t, ir.OpLoad, ir.U32, 4, 128, true), 32, 28},
		{"load of 16 bytes, one element", sharedKernel(t, ir.OpLoad, ir.U32, 4, 0, true), 2, 0},
		{"load of 8 bytes, one element", sharedKernel(t, ir.OpLoad, ir.U32, 2, 0, true), 1, 0},
	} {
		r := launch(t, open(t, "tiny"), c.kernel, 1, 64)
		assert.Equal(t, 2*c.passes, count(t, r, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), c.name)
		assert.Equal(t, 2*c.conflict, count(t, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"), c.name)
	}
}

// TestCASLoops makes atomics that no unit performs, of float32 and of 64 bits: each lane on one address needs a round
// of the loop, as on an H200, where 32 of float32 take 3,013 cycles and of uint64 3,550. All additions count.
func TestCASLoops(t *testing.T) {
	for _, c := range []struct {
		k      ir.Kind
		stride int64
		rounds float64
	}{
		{ir.F32, 4, 1}, {ir.F32, 0, 32}, {ir.F32, 128, 32}, {ir.F32, 64, 16}, {ir.U64, 8, 1}, {ir.U64, 0, 32}, {ir.U64, 16, 2}, {ir.F64, 8, 1},
	} {
		d := open(t, "tiny")
		one := uint64(1)
		switch c.k {
		case ir.F32:
			one = 0x3f800000
		case ir.F64:
			one = 0x3ff0000000000000
		}
		r := launch(t, d, sharedKernel(t, ir.OpAtomAdd, c.k, 1, c.stride, false, func(a *asm) ir.Operand { return a.konst(c.k, one) }), 1, 32)
		assert.Equal(t, c.rounds, count(t, r, "smsp__inst_executed_op_shared_atom.sum"), "%v, %d bytes apart", c.k, c.stride)
		round := float64(d.cfg.Shared.CASRound)
		if c.k.Bytes() == 8 {
			round += float64(d.cfg.Shared.CASWide)
		}
		assert.GreaterOrEqual(t, float64(r.Cycles), c.rounds*round, "%v, %d bytes apart", c.k, c.stride)
	}
}

// stageKernel makes n loads of 16 bytes a lane of global memory that L1 holds, and as many of shared memory.
func stageKernel(t *testing.T, n int, global, local bool) *device.Kernel {
	a := newAsm("stage", 16, 0)
	x, _, gr := a.slice("x", ir.U32)
	s, sr := a.shared("s", ir.U32, 128)
	a.special(0, ir.LaneID)
	a.lea(1, x, 0, 16)
	a.lea(2, s, 0, 16)
	load := func(root, addr int32, to [4]int32) {
		in := a.mem(ir.OpLoad, ir.U32, to[0], root, ir.Operand(addr))
		in.Mem.Vec, in.Dst, in.NDst = 4, to, 4
	}
	load(gr, 1, [4]int32{4, 5, 6, 7})
	a.op(ir.OpAdd, ir.U32, 3, 4, 5) // the lines are there
	for range n {
		if global {
			load(gr, 1, [4]int32{4, 5, 6, 7})
		}
		if local {
			load(sr, 2, [4]int32{8, 9, 10, 11})
		}
	}
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestOneDataStage checks that L1 and shared memory together deliver 128 bytes per cycle where they are one array, and
// each where they are two. A load of 16 bytes takes four passes of either.
func TestOneDataStage(t *testing.T) {
	const n, warps = 64, 16
	cycles := func(one string, global, local bool) float64 {
		d := open(t, "tiny", "shared.one_stage", one)
		b, err := d.Alloc("x", device.U32, 128)
		assert.NoError(t, err)
		return float64(launch(t, d, stageKernel(t, n, global, local), 1, warps*32, b).Cycles)
	}
	for _, one := range []string{"true", "false"} {
		none := cycles(one, false, false)
		l1, sm, both := cycles(one, true, false)-none, cycles(one, false, true)-none, cycles(one, true, true)-none
		assert.InEpsilon(t, 4*n*warps, l1, 0.06, one)
		assert.InEpsilon(t, 4*n*warps, sm, 0.06, one)
		want := 8.0 * n * warps
		if one == "false" {
			want = 4 * n * warps
		}
		assert.InEpsilon(t, want, both, 0.1, "one stage: %s", one)
	}
}

// TestChainsOfSharedLoads checks that chains of dependent loads by all warps take a pass each, whatever the scheduler
// prefers: instructions leave a sub-core's queue in order, so that no warp is left behind to finish alone, as none is on
// an H200.
func TestChainsOfSharedLoads(t *testing.T) {
	const n, warps = 128, 32
	a := newAsm("chains", 4, 0)
	s, sr := a.shared("s", ir.U32, 32)
	a.special(0, ir.LaneID)
	a.lea(1, s, 0, 4)
	a.mem(ir.OpStore, ir.U32, -1, sr, 1, a.konst(ir.U32, 0))
	for range n {
		a.lea(1, s, 0, 4)
		a.mem(ir.OpLoad, ir.U32, 0, sr, 1)
	}
	a.op(ir.OpExit, ir.Void, -1)
	k := a.kernel(t)
	for _, scheduler := range []string{"gto", "lrr", "oldest", "random"} {
		d := open(t, "tiny", "issue.scheduler", scheduler, "shared.latency", "20")
		assert.InEpsilon(t, n*warps, launch(t, d, k, 1, warps*32).Cycles, 0.06, scheduler)
	}
}

// TestPacketsKnowTheirBytes counts the flits of 32 bytes that an atomic of a warp sends: a header for each line, the
// sectors of each operand, and these again for each further lane on the most contended word; and those of its answers.
func TestPacketsKnowTheirBytes(t *testing.T) {
	for _, c := range []struct {
		name      string
		op        ir.Op
		k         ir.Kind
		stride    int64
		result    bool
		out, back uint64
	}{
		{"add of words", ir.OpAtomAdd, ir.U32, 4, false, 1 + 4, 0},
		{"add of words, with result", ir.OpAtomAdd, ir.U32, 4, true, 1 + 4, 4},
		{"add of 8 bytes", ir.OpAtomAdd, ir.U64, 8, false, 2 * (1 + 4), 0},
		{"add of 8 bytes, with result", ir.OpAtomAdd, ir.U64, 8, true, 2 * (1 + 4), 8},
		{"swap of words", ir.OpAtomCAS, ir.U32, 4, true, 1 + 2*4, 4},
		{"swap of 8 bytes", ir.OpAtomCAS, ir.U64, 8, true, 2 * (1 + 2*4), 8},
		{"add on one word", ir.OpAtomAdd, ir.U32, 0, false, 1 + 32, 0},
		{"swap on one word", ir.OpAtomCAS, ir.U32, 0, true, 1 + 2*32, 32},
		{"a lane a sector", ir.OpAtomAdd, ir.U32, 32, true, 8 * (1 + 4), 32},
	} {
		d := open(t, "tiny")
		b, err := d.Alloc("x", map[int]device.Kind{4: device.U32, 8: device.U64}[c.k.Bytes()], 1024/c.k.Bytes())
		assert.NoError(t, err)
		a := newAsm("packet", 4, 0)
		x, _, root := a.slice("x", c.k)
		a.special(0, ir.LaneID)
		a.lea(1, x, 0, c.stride)
		dst, src := int32(-1), []ir.Operand{1, 0}
		if c.result {
			dst = 2
		}
		if c.op == ir.OpAtomCAS {
			src = append(src, 0)
		}
		a.mem(c.op, c.k, dst, root, src...)
		a.op(ir.OpExit, ir.Void, -1)
		launch(t, d, a.kernel(t), 1, 32, b)
		busy, port := d.m.stats.Busy, &d.m.sms[0].port
		assert.EqualValues(t, c.out*uint64(port.sendTime), busy.Send, "%s: sent", c.name)
		assert.EqualValues(t, c.back*uint64(port.recvTime), busy.Recv, "%s: received", c.name)
	}
}
