package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// TestAddressesInSharedMemoryAreNarrow counts the machine instructions of 64-bit integers by hand: one where the result is an address in shared memory and
// nothing else, also around a loop, and two where somebody needs the upper half.
func TestAddressesInSharedMemoryAreNarrow(t *testing.T) {
	a := newAsm("addresses", 16, 1)
	words, root := a.shared("words", ir.U32, 64)
	global, _, out := a.slice("out", ir.U32)
	var want []int
	count := func(n int) { want = append(want, n) }

	a.special(0, ir.TID)
	count(1)
	a.op(ir.OpCvt, ir.U64, 1, 0).ArgK = ir.U32 // an index that only addresses in shared memory come from
	count(1)
	a.op(ir.OpShl, ir.U64, 2, 1, a.konst(ir.U32, 2))
	count(1)
	a.op(ir.OpAdd, ir.U64, 3, 2, words)
	count(1)
	a.mem(ir.OpLoad, ir.U32, 4, root, 3)
	count(1)
	a.label("loop") // r3 advances
	a.mem(ir.OpLoad, ir.U32, 4, root, 3)
	count(1)
	a.op(ir.OpAdd, ir.U64, 3, 3, a.konst(ir.U64, 128))
	count(1)
	a.cmp(ir.OpLt, ir.U32, 0, 4, 0)
	count(1)
	a.bra(0, "loop", "after")
	count(1)
	a.label("after")
	a.lea(5, global, 0, 4) // an address in global memory
	count(3)               // it reads a parameter as well
	a.op(ir.OpAdd, ir.U64, 6, 5, a.konst(ir.U64, 4))
	count(2)
	a.mem(ir.OpStore, ir.U32, -1, out, 6, 4)
	count(1)
	a.lea(7, words, 0, 4)
	count(1)
	a.op(ir.OpAdd, ir.U64, 8, 7, a.konst(ir.U64, 8)) // an address in shared memory that is stored as well
	count(2)
	a.mem(ir.OpStore, ir.U32, -1, root, 8, 4)
	count(1)
	a.mem(ir.OpStore, ir.U64, -1, out, 6, 8)
	count(1)
	a.op(ir.OpExit, ir.Void, -1)
	count(1)
	a.kernel(t)
	low := newLowering(&a.p, &config.GPU{})
	for i := range a.p.Code {
		assert.Equal(t, want[i], low.count(i), "instruction %d: %v", i, a.p.Code[i].Op)
	}
}
