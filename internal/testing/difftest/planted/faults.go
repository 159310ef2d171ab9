package planted

// Faults are the faults to plant. The project had those before fence-keeps-L1.
// Two more that it had are missing, since they change only times and no value
// that a kernel can see: a fence that orders only its own warp's stores, and a
// near half of the L2 that answers before it has the line. Tests of package sim
// cover these.
var Faults = []Fault{
	{"mixed-spaces", "an access with lanes in local and in global memory: the first part to arrive makes the register ready", []Edit{
		{"sim/access.go", "	if op.left--; op.left > 0 {\n",
			"	if wp := u.warpOf(op); wp.job.code[op.pc].numDst > 0 && wp.job.code[op.pc].in.Mem.Space == ir.Generic {\n" +
				"		wp.board.set(&wp.job.code[op.pc], t, counter.StallLong)\n	}\n	if op.left--; op.left > 0 {\n"},
	}},
	{"stale-hang", "a lane that spins on a stale line of L1 counts as one that spins for ever", []Edit{
		{"sim/chip.go", "func (c *chip) searching() bool { return c.search.phase != 0 }", "func (c *chip) searching() bool { return false }"},
		{"sim/repeat.go", "	case search.phase == 1 || all.late:\n", "	case all.late:\n"},
	}},
	{"barriers-meet", "barriers of different kinds meet on the simulator", []Edit{
		{"sim/barrier.go", "block.mixed = block.mixed || block.kind != inst.in.Op", "block.mixed = false"},
	}},
	{"barriers-meet-func", "barriers of different kinds meet on func", []Edit{
		{"internal/function/barrier.go", "	if !same {\n", "	if !same && s == nil {\n"},
	}},
	{"unwritten-global", "func lets kernels read global memory that nobody has written", []Edit{
		{"internal/core/simt/defined.go", "	grid, bytes := w.Grid, uint64(in.Mem.Bytes())\n", "	mask = 0\n	grid, bytes := w.Grid, uint64(in.Mem.Bytes())\n"},
	}},
	{"unwritten-shared", "func lets kernels read shared memory that nobody has written", []Edit{
		{"internal/core/simt/defined.go", "			if s[i] == 0 {", "			if s[i] == 2 {"},
	}},
	{"clock-hang", "a loop that reads a clock counts as one that repeats itself", []Edit{
		{"internal/core/repeat/loop.go", "	if l.clock {\n", "	if l.clock && false {\n"},
	}},

	{"fence-keeps-L1", "an acquire or fence of device scope leaves stale lines in L1", []Edit{
		{"sim/warp.go", "		s.l1.forget()\n", ""},
	}},
	{"store-past-L1", "a store does not change the line that L1 holds", []Edit{
		{"sim/lsu.go", "line >= 0 && *u.sm.l1.Valid(line)&part.sectors != 0 {\n		if u.storeLanes(", "line >= 0 && *u.sm.l1.Valid(line)&part.sectors == 255 {\n		if u.storeLanes("},
	}},
	{"late-capture", "a store takes its values when it reaches memory, not when it is issued", []Edit{
		{"sim/access.go", "		values := &u.rows.items[row]\n", "		values := u.warpOf(op).w.Row(u.warpOf(op).job.code[op.pc].in.Src[1+word])\n		_ = row\n"},
	}},
	{"no-scoreboard", "what follows a load does not wait for it", []Edit{
		{"sim/memory.go", "			wp.board.hold(d)\n", ""},
	}},
	{"shuffle-edge", "ShflUp from the first lane gives a lane's own value", []Edit{
		{"internal/core/simt/strict.go", "op == ir.OpShflUp && by <= uint32(i):", "op == ir.OpShflUp && by < uint32(i):"},
	}},
	{"shuffle-absent", "a shuffle that reads a lane which takes no part gives a lane's own value on func, as it did once", []Edit{
		{"internal/function/slice.go", "	return w.Undefined(in, mask)\n", "	return nil\n"},
	}},
	{"shuffle-partial", "the lanes that a last warp lacks take part in shuffles", []Edit{
		{"internal/core/simt/strict.go", "		if named&mask>>from&1 != 0 {\n			continue\n", "		if named>>from&1 != 0 {\n			continue\n"},
	}},
	{"barrier-around", "func lets threads go around a barrier", []Edit{
		{"internal/core/simt/strict.go", "	if mask == 0 || int(in.Pos)", "	if mask != 0 || int(in.Pos)"},
	}},
	{"barrier-arms", "two calls of Sync are one barrier on func", []Edit{
		{"internal/core/simt/strict.go", "	case b.waits && b.pc != pc &&", "	case b.waits && b.pc < 0 &&"},
	}},
	{"early-return", "a thread that has returned counts as one that went around the barrier of the others", []Edit{
		{"internal/compiler/compile/ends.go", "		if b.Pos != 0 && ends && !returns {\n", "		if b.Pos != 0 {\n"},
	}},
	{"wrap-small", "conversions of floats to 8 and 16 bits wrap around", []Edit{
		{"internal/compiler/compile/arith.go", "	if from.k.Float() && to.narrow() {\n", "	if from.k.Float() && to.narrow() && false {\n"},
	}},
	{"partial-vote", "a last warp votes with lanes that it lacks", []Edit{
		{"internal/core/simt/warp.go", "		w.Exists = 1<<threads - 1\n", "		w.Exists = 1<<(threads+1) - 1\n"},
	}},
	{"signed-minimum", "the minimum of signed integers compares them unsigned", []Edit{
		{"internal/core/simt/atomic.go", "return int32(a) < int32(b)", "return uint32(a) < uint32(b)"},
	}},
}
