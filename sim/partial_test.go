package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// touchWords is a kernel in which the lanes of one warp access the word x[first+lane*stride]: a store, a load of device
// scope, or an atomic.
func touchWords(t *testing.T, op ir.Op, elem ir.Kind, first, stride int64) *device.Kernel {
	a := newAsm("touch", 6, 0)
	x, _, xr := a.slice("x", elem)
	a.special(0, ir.LaneID)
	a.op(ir.OpMul, ir.U32, 0, 0, a.konst(ir.U32, uint64(stride)))
	a.op(ir.OpAdd, ir.U32, 0, 0, a.konst(ir.U32, uint64(first)))
	a.lea(1, x, 0, int64(elem.Bytes()))
	switch op {
	case ir.OpLoad:
		in := a.mem(op, elem, 2, xr, 1)
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
		a.op(ir.OpAdd, ir.U32, 3, 2, 2)
	default:
		a.mem(op, elem, -1, xr, 1, a.konst(elem, 1))
	}
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestPartlyWrittenSectors counts the bytes that are read from device memory after stores of parts of sectors. A load
// or an atomic reads what has not been written (with the other sector of its 64 bytes); so does the eviction, unless
// device memory writes single bytes.
func TestPartlyWrittenSectors(t *testing.T) {
	type step struct {
		op            ir.Op
		elem          ir.Kind
		lanes         int
		first, stride int64
	}
	// Lanes of a stride of 32 words are on a line each.
	word := step{ir.OpStore, ir.U32, 8, 0, 32}
	for _, c := range []struct {
		name  string
		steps []step
		read  float64 // bytes of device memory
		back  float64 // more of them when the lines are evicted
	}{
		{"a word, then nothing", []step{word}, 0, 8 * 64},
		{"a word, then the next", []step{word, {ir.OpLoad, ir.U32, 8, 1, 32}}, 8 * 64, 0},
		{"a word, then the same", []step{word, {ir.OpLoad, ir.U32, 8, 0, 32}}, 8 * 64, 0},
		{"a word, then an atomic on the next", []step{word, {ir.OpAtomAdd, ir.U32, 8, 1, 32}}, 8 * 64, 0},
		{"a word, then twice the next", []step{word, {ir.OpLoad, ir.U32, 8, 1, 32}, {ir.OpLoad, ir.U32, 8, 7, 32}}, 8 * 64, 0},
		{"two words of the sector", []step{word, {ir.OpStore, ir.U32, 8, 5, 32}, {ir.OpLoad, ir.U32, 8, 1, 32}}, 8 * 64, 0},
		{"whole sectors at once", []step{{ir.OpStore, ir.U32, 32, 0, 1}, {ir.OpLoad, ir.U32, 32, 0, 1}}, 0, 0},
		{"whole sectors in halves", []step{{ir.OpStore, ir.U64, 2, 0, 1}, {ir.OpStore, ir.U64, 2, 2, 1}, {ir.OpLoad, ir.U64, 4, 0, 1}}, 0, 0},
		{"all but a byte", []step{{ir.OpStore, ir.U8, 31, 0, 1}, {ir.OpLoad, ir.U8, 1, 0, 1}}, 64, 0},
		{"every byte", []step{{ir.OpStore, ir.U8, 32, 0, 1}, {ir.OpLoad, ir.U8, 1, 0, 1}}, 0, 0},
		{"a loaded sector", []step{{ir.OpLoad, ir.U32, 8, 0, 32}, word, {ir.OpLoad, ir.U32, 8, 1, 32}}, 8 * 64, 0},
	} {
		for _, policy := range []string{"read", "mask"} {
			d := open(t, "tiny", "l2.partial", policy)
			b, err := d.Alloc("x", device.Kind(c.steps[0].elem), 8*lineBytes/c.steps[0].elem.Bytes())
			require.NoError(t, err)
			lines := d.cfg.L2.Bytes/lineBytes + 64
			other := upload(t, d, "other", device.U32, make([]uint32, lines*lineBytes/4))
			read := 0.0
			for _, s := range c.steps {
				r := launch(t, d, touchWords(t, s.op, s.elem, s.first, s.stride), 1, s.lanes, b)
				read += count(t, r, "dram__bytes_read.sum")
			}
			assert.Equal(t, c.read, read, "%s, %s", c.name, policy)
			r := launch(t, d, walk(t, lines, 1, ir.Relaxed, false), 1, 1, other)
			want := float64(64 * lines)
			if policy == "read" {
				want += c.back
			}
			assert.Equal(t, want, count(t, r, "dram__bytes_read.sum"), "eviction: %s, %s", c.name, policy)
		}
	}
}

// TestMergedStores checks for how long stores occupy the ports of the L2: a cycle for each sector, and l2.merge more for
// each of which only some bytes are stored.
func TestMergedStores(t *testing.T) {
	for _, c := range []struct {
		name          string
		elem          ir.Kind
		lanes         int
		stride        int64
		sectors, part int
	}{
		{"whole sectors", ir.U32, 32, 1, 4, 0},
		{"a word of each sector", ir.U32, 32, 8, 32, 32},
		{"a word of each line", ir.U32, 32, 32, 32, 32},
		{"a sector and a half", ir.U32, 12, 1, 2, 1},
		{"every other word", ir.U32, 16, 2, 4, 4},
		{"all but a byte", ir.U8, 31, 1, 1, 1},
	} {
		d := open(t, "tiny", "l2.merge", "3")
		b, err := d.Alloc("x", device.Kind(c.elem), 32*lineBytes/c.elem.Bytes())
		require.NoError(t, err)
		launch(t, d, touchWords(t, ir.OpStore, c.elem, 0, c.stride), 1, c.lanes, b)
		var busy timing.Tick
		for i := range d.m.l2.slices {
			busy += d.m.l2.slices[i].busy
		}
		assert.Equal(t, timing.At(uint64(c.sectors+3*c.part)), busy, c.name)
	}
}
