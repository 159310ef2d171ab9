package sim

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// mixed is a kernel in which each thread accesses one word with the same instruction: in local, global (x[thread]) or
// shared memory, by thread number modulo 3. Before the access, the words hold 1000, 2000 and 3000 plus the thread
// number; the result is stored in out[thread] at once, so that no register in flight is read.
func mixed(t testing.TB, spaces int, access func(a *asm, addr ir.Operand)) *device.Kernel {
	a := newAsm("mixed", 12, 3)
	a.p.Local = append(a.p.Local, ir.Var{Name: "own", Elem: ir.U32, Size: 4, ElemSize: 4, Align: 4})
	a.p.LocalBytes = 4
	x, _, _ := a.slice("x", ir.U32)
	out, _, or := a.slice("out", ir.U32)
	s, sr := a.shared("s", ir.U32, 128)
	a.special(0, ir.TID)
	a.lea(2, x, 0, 4)
	a.lea(3, out, 0, 4)
	a.lea(4, s, 0, 4)
	own := a.konst(ir.U64, ir.LocalWindow)
	a.op(ir.OpAdd, ir.U32, 5, 0, a.konst(ir.U32, 1000))
	a.generic(ir.OpStore, -1, own, 5)
	a.op(ir.OpAdd, ir.U32, 5, 0, a.konst(ir.U32, 3000))
	a.mem(ir.OpStore, ir.U32, -1, sr, 4, 5)
	a.op(ir.OpBar, ir.Void, -1)
	a.op(ir.OpRem, ir.U32, 6, 0, a.konst(ir.U32, uint64(spaces)))
	a.op(ir.OpMov, ir.U64, 7, own)
	for i, addr := range []ir.Operand{2, 4}[:spaces-1] {
		a.cmp(ir.OpEq, ir.U32, 0, 6, a.konst(ir.U32, uint64(i+1)))
		in := a.op(ir.OpMov, ir.U64, 7, addr)
		in.Guard = 0
	}
	access(a, 7)
	a.mem(ir.OpStore, ir.U32, -1, or, 3, 8)
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// generic is a 32-bit access whose memory space is given by each lane's address.
func (a *asm) generic(op ir.Op, dst int32, src ...ir.Operand) *ir.Inst {
	in := a.mem(op, ir.U32, dst, -1, src...)
	in.Mem.Space = ir.Generic
	return in
}

var mixedMachines = [][]string{
	{"tiny"}, {"tiny", "lsu.queue", "1"}, {"tiny", "lsu.queue", "2"}, {"tiny", "l1.mshrs", "1"}, {"k40"}, {"v100"}, {"h200"},
	{"k40", "lsu.queue", "1"}, {"h200", "lsu.queue", "1", "l1.mshrs", "1"},
}

// TestMixedSpaces checks that an access whose lanes point to local, global and shared memory is one operation, whose
// result is available when all its parts are done.
func TestMixedSpaces(t *testing.T) {
	const n = 96
	for _, m := range mixedMachines {
		for spaces := 2; spaces <= 3; spaces++ {
			name := fmt.Sprint(m, spaces)
			d := open(t, m[0], m[1:]...)
			words := make([]uint32, n)
			for i := range words {
				words[i] = uint32(2000 + i)
			}
			x, out := upload(t, d, "x", device.U32, words), upload(t, d, "out", device.U32, make([]uint32, n))
			base := func(i int) uint32 { return []uint32{1000, 2000, 3000}[i%spaces] + uint32(i) }

			k := mixed(t, spaces, func(a *asm, addr ir.Operand) { a.generic(ir.OpLoad, 8, addr) })
			launch(t, d, k, 1, n, x, out)
			for i, v := range download[uint32](t, d, out) {
				require.Equal(t, base(i), v, "%s: load of thread %d", name, i)
			}

			k = mixed(t, spaces, func(a *asm, addr ir.Operand) {
				a.op(ir.OpAdd, ir.U32, 8, 0, a.konst(ir.U32, 5))
				a.generic(ir.OpStore, -1, addr, 8)
				a.op(ir.OpMov, ir.U32, 8, a.konst(ir.U32, 0)) // the stored value is the one the register held
				a.generic(ir.OpLoad, 8, addr)
			})
			launch(t, d, k, 1, n, x, out)
			for i, v := range download[uint32](t, d, out) {
				require.Equal(t, uint32(i+5), v, "%s: store and load of thread %d", name, i)
			}
		}
	}
}

// TestMixedAtomic tests atomics with lanes in shared and in global memory.
func TestMixedAtomic(t *testing.T) {
	const n = 96
	for _, m := range mixedMachines {
		d := open(t, m[0], m[1:]...)
		x, out := upload(t, d, "x", device.U32, make([]uint32, n)), upload(t, d, "out", device.U32, make([]uint32, n))
		k := mixed(t, 3, func(a *asm, addr ir.Operand) {
			a.cmp(ir.OpNe, ir.U32, 1, 6, a.konst(ir.U32, 0))
			a.generic(ir.OpAtomAdd, 8, addr, a.konst(ir.U32, 7)).Guard = 1
		})
		launch(t, d, k, 1, n, x, out)
		got := download[uint32](t, d, out)
		for i, v := range download[uint32](t, d, x) {
			want := uint32(0)
			if i%3 == 1 {
				want = 7
				assert.Zero(t, got[i], "%v: what thread %d found in x", m, i)
			}
			assert.Equal(t, want, v, "%v: x[%d]", m, i)
			if i%3 == 2 {
				assert.Equal(t, uint32(3000+i), got[i], "%v: what thread %d found in s", m, i)
			}
		}
	}
}

// TestMixedCounters checks that an access with lanes in local and in global memory counts in both.
func TestMixedCounters(t *testing.T) {
	d := open(t, "tiny")
	x, out := upload(t, d, "x", device.U32, make([]uint32, 32)), upload(t, d, "out", device.U32, make([]uint32, 32))
	k := mixed(t, 2, func(a *asm, addr ir.Operand) { a.generic(ir.OpLoad, 8, addr) })
	r := launch(t, d, k, 1, 32, x, out)
	assert.EqualValues(t, 1, count(t, r, "smsp__inst_executed_op_global_ld.sum"))
	assert.EqualValues(t, 4, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"))
	assert.EqualValues(t, 8, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_local.sum"), "4 of the store, 4 of the load")
}

// TestAtomicOnLocal tests an atomic whose pointer points to a local variable.
func TestAtomicOnLocal(t *testing.T) {
	for what, access := range map[string]func(a *asm, addr ir.Operand){
		"an atomic on the local variable own, which no other thread sees": func(a *asm, addr ir.Operand) {
			a.generic(ir.OpAtomAdd, 8, addr, a.konst(ir.U32, 7))
		},
		"an ordered load on the local variable own, which no other thread sees": func(a *asm, addr ir.Operand) {
			in := a.generic(ir.OpLoad, 8, addr)
			in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
		},
	} {
		d := open(t, "tiny")
		x, out := upload(t, d, "x", device.U32, make([]uint32, 32)), upload(t, d, "out", device.U32, make([]uint32, 32))
		_, err := d.Launch(context.Background(), device.Launch{Kernel: mixed(t, 2, access), Grid: 1, Block: 32, Args: []any{x, out}})
		var f *device.Fault
		require.ErrorAs(t, err, &f)
		assert.Equal(t, what, f.What)
		checkIdle(t, d)
	}
}
