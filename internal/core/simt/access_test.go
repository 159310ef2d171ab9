package simt

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// memoryProgram returns a program with a slice parameter s of kind k (root 0),
// a shared variable (root 1) and a local one (root 2).
func memoryProgram(k ir.Kind) *ir.Program {
	p := exits(1)
	p.NumRegs = 8
	p.Leaves = []ir.Leaf{
		{Name: "s", Kind: ir.U64, Role: ir.Base, Elem: k, Size: k.Bytes()},
		{Name: "s", Kind: ir.S64, Role: ir.Length},
	}
	p.Shared = []ir.Var{{Name: "pad", Size: 16}, {Name: "q", Elem: k, Size: 64 * k.Bytes(), ElemSize: k.Bytes(), Off: 16}}
	p.Local = []ir.Var{{Name: "l", Elem: k, Size: 4 * k.Bytes(), ElemSize: k.Bytes()}}
	p.SharedBytes, p.LocalBytes = 16+64*k.Bytes(), 4*k.Bytes()
	p.Roots = []ir.Root{{Space: ir.Global, Leaf: 0, Var: -1}, {Space: ir.Shared, Leaf: -1, Var: 1}, {Space: ir.Local, Leaf: -1, Var: 0}}
	p.Uniforms = []ir.Uniform{{K: ir.U64, Leaf: 0}, {K: ir.S64, Leaf: 1}, {K: ir.U32, Leaf: -1, Bits: 7}}
	return p
}

func memoryWarp(t testing.TB, k ir.Kind, n int) (*Warp, *Memory, device.Buffer) {
	m := NewMemory(0)
	buf, err := m.Alloc("buf", device.Kind(k), n)
	require.NoError(t, err)
	g, err := Bind(m, device.Launch{
		Kernel: (&ir.Kernel{Name: "k", Program: memoryProgram(k), Params: []ir.Param{{Name: "s", Type: "[]T", Leaves: []int{0, 1}}}}).ForHost(),
		Grid:   1, Block: 32, Args: []any{buf},
	}, Limits{})
	require.NoError(t, err)
	var b Block
	b.Start(g, 0, 0)
	return b.Warps[0], m, buf
}

var memoryKinds = []ir.Kind{ir.U8, ir.S8, ir.U16, ir.S16, ir.U32, ir.S32, ir.U64, ir.S64, ir.F32, ir.F64}

// extended returns the register value after a store and a load of v.
func extended(k ir.Kind, v uint64) uint64 {
	switch k {
	case ir.U8:
		return uint64(uint8(v))
	case ir.S8:
		return uint64(uint32(int8(v)))
	case ir.U16:
		return uint64(uint16(v))
	case ir.S16:
		return uint64(uint32(int16(v)))
	case ir.U32, ir.S32, ir.F32:
		return uint64(uint32(v))
	}
	return v
}

func TestStoreThenLoadInEverySpaceAndKind(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, k := range memoryKinds {
		w, _, buf := memoryWarp(t, k, 64)
		for root, base := range []uint64{buf.Addr, ir.SharedWindow | 16, ir.LocalWindow} {
			for _, known := range []bool{true, false} {
				for _, mask := range []uint32{Full, 0x80010003} {
					var want Row
					for l := range Lanes {
						at := l
						if root == 2 {
							at = l % 4
						}
						w.Regs[0][l] = base + uint64(at*k.Bytes()) - 3
						w.Regs[1][l] = r.Uint64()
						want[l] = extended(k, w.Regs[1][l])
					}
					in := ir.Inst{Op: ir.OpStore, K: k.Register(), NSrc: 2, Imm: 3, Mem: ir.Mem{Kind: k, Vec: 1}, Src: [ir.MaxOperands]ir.Operand{0, 1}, Root: int32(root)}
					if !known {
						in.Root = -1
					}
					changed, f := w.StoreAll(&in, mask)
					require.Nil(t, f)
					assert.True(t, changed)
					changed, f = w.StoreAll(&in, mask)
					require.Nil(t, f)
					assert.False(t, changed, "the same values again")
					load := in
					load.Op, load.NSrc, load.NDst, load.Dst = ir.OpLoad, 1, 1, [4]int32{0} // overwrites the address
					require.Nil(t, w.LoadAll(&load, mask))
					for l := range Lanes {
						if mask>>l&1 != 0 {
							require.Equal(t, want[l], w.Regs[0][l], "%s root %d lane %d", k, root, l)
						}
					}
				}
			}
		}
	}
}

func TestVectorAccess(t *testing.T) {
	w, m, buf := memoryWarp(t, ir.U32, 128)
	data := make([]uint32, 128)
	for i := range data {
		data[i] = uint32(i)
	}
	require.NoError(t, m.Write(buf, data))
	for l := range Lanes {
		w.Regs[0][l] = buf.Addr + uint64(16*l)
	}
	load := ir.Inst{Op: ir.OpLoad, K: ir.U32, NSrc: 1, NDst: 4, Mem: ir.Mem{Kind: ir.U32, Vec: 4}, Dst: [4]int32{1, 2, 3, 4}}
	require.Nil(t, w.LoadAll(&load, Full))
	assert.Equal(t, uint64(4*9+2), w.Regs[3][9])
	store := ir.Inst{Op: ir.OpStore, K: ir.U32, NSrc: 3, Mem: ir.Mem{Kind: ir.U32, Vec: 2}, Src: [ir.MaxOperands]ir.Operand{0, 4, 1}}
	_, f := w.StoreAll(&store, 1<<9)
	require.Nil(t, f)
	require.NoError(t, m.Read(buf, data))
	assert.Equal(t, []uint32{39, 36, 38, 39}, data[36:40])
	w.Regs[0][3] += 8
	f = w.LoadAll(&load, Full)
	require.NotNil(t, f)
	assert.Equal(t, "load of 16 bytes of s at byte offset 56, which is not a multiple of 16", f.What)
	w.Regs[0][3] += 120 * 4
	assert.Equal(t, "indices 134 to 137 out of range of s with length 128", w.LoadAll(&load, Full).What)
}

func TestAccessFaults(t *testing.T) {
	w, m, buf := memoryWarp(t, ir.U64, 10)
	in := ir.Inst{Op: ir.OpLoad, K: ir.U64, NSrc: 1, NDst: 1, Mem: ir.Mem{Kind: ir.U64, Vec: 1}, Dst: [4]int32{1}}
	for _, c := range []struct {
		addr uint64
		root int32
		want string
	}{
		{buf.Addr + 80, 0, "index 10 out of range of s with length 10"},
		{buf.Addr - 8, 0, "index -1 out of range of s with length 10"},
		{buf.Addr - 1, 0, "index -1 out of range of s with length 10"},
		{buf.Addr + 84, -1, "index 10 out of range of buf with length 10"},
		{buf.Addr + 4, 0, "load of 8 bytes of s at byte offset 4, which is not a multiple of 8"},
		{5 << 40, -1, "load at address 0x50000000000, where nothing is allocated"},
		{8, -1, "load through a nil pointer (address 0x8)"},
		{ir.SharedWindow | 16 + 64*8, 1, "index 64 out of range of q with length 64"},
		{ir.SharedWindow | 8, 1, "index -1 out of range of q with length 64"},
		{ir.SharedWindow | 16 + 64*8, -1, "index 528 out of range of shared memory with length 528"},
		{ir.LocalWindow | 32, 2, "index 4 out of range of l with length 4"},
	} {
		in.Root = c.root
		spread(&w.Regs[0], buf.Addr)
		w.Regs[0][13] = c.addr
		if c.root > 0 {
			spread(&w.Regs[0], c.addr)
		}
		f := w.LoadAll(&in, 1<<13)
		if assert.NotNil(t, f, c.want) {
			assert.Equal(t, c.want, f.What)
			assert.Equal(t, []any{"k", 0, 13}, []any{f.Kernel, f.Block, f.Thread})
		}
		w.Regs[0][13] = c.addr
		var a Row
		w.Addresses(&in, 1<<13, &a)
		if f := w.Check(&in, 1<<13, &a); assert.NotNil(t, f) {
			assert.Equal(t, c.want, f.What)
		}
	}
	require.NoError(t, m.Free(buf))
	in.Root = -1
	spread(&w.Regs[0], buf.Addr)
	assert.Contains(t, w.LoadAll(&in, 1).What, "where nothing is allocated", "after Free")
}

func TestAtomicApply(t *testing.T) {
	f := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	d := math.Float64bits
	for _, c := range []struct {
		op                ir.Op
		k                 ir.Kind
		old, v, cmp, want uint64
	}{
		{ir.OpAtomAdd, ir.U32, 0xFFFFFFFF, 2, 0, 1},
		{ir.OpAtomAdd, ir.S64, math.MaxUint64, 2, 0, 1},
		{ir.OpAtomAdd, ir.F32, f(1.5), f(2), 0, f(3.5)},
		{ir.OpAtomAdd, ir.F64, d(1.5), d(-2), 0, d(-0.5)},
		{ir.OpAtomMin, ir.U32, 0xFFFFFFFF, 2, 0, 2},
		{ir.OpAtomMin, ir.S32, 0xFFFFFFFF, 2, 0, 0xFFFFFFFF},
		{ir.OpAtomMin, ir.S64, 1, math.MaxUint64, 0, math.MaxUint64},
		{ir.OpAtomMax, ir.U64, 1, math.MaxUint64, 0, math.MaxUint64},
		{ir.OpAtomMax, ir.S32, 0xFFFFFFFF, 2, 0, 2},
		{ir.OpAtomAnd, ir.U32, 0xF0, 0x3C, 0, 0x30},
		{ir.OpAtomOr, ir.U64, 0xF0, 0x0F, 0, 0xFF},
		{ir.OpAtomXor, ir.U32, 0xFF, 0x0F, 0, 0xF0},
		{ir.OpAtomExch, ir.F32, 1, 9, 0, 9},
		{ir.OpAtomCAS, ir.U32, 5, 9, 5, 9},
		{ir.OpAtomCAS, ir.U32, 5, 9, 6, 5},
		{ir.OpAtomCAS, ir.U16, 5, 0x10009, 0x20005, 9},
		// f16: 1 is 0x3C00, 2 is 0x4000, 3 is 0x4200; bf16: 1 is 0x3F80, 2 is 0x4000, 3 is 0x4040.
		{ir.OpAtomAddF16, ir.U16, 0x3C00, 0x4000, 0, 0x4200},
		{ir.OpAtomAddF16, ir.U32, 0x3C004000, 0x40003C00, 0, 0x42004200},
		{ir.OpAtomAddF16, ir.U16, 0x0001, 0x0001, 0, 0x0002}, // subnormal numbers are not flushed
		{ir.OpAtomAddF16, ir.U16, 0x6800, 0x3C00, 0, 0x6800}, // 2048 + 1 is halfway, and 2048 is even
		{ir.OpAtomMinF16, ir.U16, 0x3C00, 0xC000, 0, 0xC000},
		{ir.OpAtomMaxF16, ir.U32, 0x3C00C000, 0x40007FFF, 0, 0x4000C000}, // not NaN
		{ir.OpAtomAddBF16, ir.U16, 0x3F80, 0x4000, 0, 0x4040},
		{ir.OpAtomMinBF16, ir.U32, 0x3F804000, 0x40003F80, 0, 0x3F803F80},
		{ir.OpAtomMaxBF16, ir.U16, 0x3F80, 0x4000, 0, 0x4000},
	} {
		assert.Equal(t, c.want, AtomicApply(c.op, c.k, c.old, c.v, c.cmp), "%s.%s", c.op, c.k)
	}
}

func TestAtomicAllIsSequential(t *testing.T) {
	for _, root := range []int32{0, -1} {
		w, m, buf := memoryWarp(t, ir.U32, 2)
		require.NoError(t, m.Write(buf, []uint32{10, 0}))
		spread(&w.Regs[0], buf.Addr)
		in := ir.Inst{Op: ir.OpAtomAdd, K: ir.U32, NSrc: 2, NDst: 1, Mem: ir.Mem{Kind: ir.U32, Vec: 1}, Dst: [4]int32{0}, Src: [ir.MaxOperands]ir.Operand{0, ^ir.Operand(2)}, Root: root}
		changed, f := w.AtomicAll(&in, 0xF0)
		require.Nil(t, f)
		assert.True(t, changed)
		assert.Equal(t, []uint64{10, 17, 24, 31}, w.Regs[0][4:8], "each sees the one before, and may overwrite its address")
		out := make([]uint32, 2)
		require.NoError(t, m.Read(buf, out))
		assert.Equal(t, uint32(38), out[0])
		spread(&w.Regs[0], buf.Addr)
		spread(&w.Regs[1], 99)
		cas := ir.Inst{Op: ir.OpAtomCAS, K: ir.U32, NSrc: 3, Mem: in.Mem, Src: [ir.MaxOperands]ir.Operand{0, 1, ^ir.Operand(2)}, Root: root}
		changed, f = w.AtomicAll(&cas, Full)
		require.Nil(t, f)
		assert.False(t, changed, "no lane finds 99")
		spread(&w.Regs[1], 38)
		changed, f = w.AtomicAll(&cas, Full)
		require.Nil(t, f)
		assert.True(t, changed)
		require.NoError(t, m.Read(buf, out))
		assert.Equal(t, uint32(7), out[0], "the first lane exchanges, the others find 7")
		w.Regs[0][9] += 8
		_, f = w.AtomicAll(&in, Full)
		require.NotNil(t, f)
		assert.Equal(t, []any{int64(2), 9}, []any{f.Index, f.Thread})
	}
}

// TestWriteBackLanes checks that writing all lanes at once gives the same as
// lane by lane.
func TestWriteBackLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var line [128]byte
	for i := range line {
		line[i] = byte(r.Uint32())
	}
	for _, k := range memoryKinds {
		for _, mask := range []uint32{Full, 0x80010003, 0} {
			var off [Lanes]uint8
			for i := range off {
				off[i] = uint8(r.IntN(len(line)/k.Bytes()) * k.Bytes())
			}
			one, _, _ := memoryWarp(t, k, 1)
			all, _, _ := memoryWarp(t, k, 1)
			in := ir.Inst{Op: ir.OpLoad, K: k, Guard: ir.NoGuard, NDst: 1, Mem: ir.Mem{Kind: k, Vec: 1}}
			for m := mask; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m)
				one.WriteBack(&in, lane, line[:], int(off[lane]))
			}
			all.WriteBackLanes(&in, mask, line[:], &off)
			assert.Equal(t, one.Regs, all.Regs, "%s %08x", k, mask)
			assert.Equal(t, mask == 0, all.Regs[0] == Row{}, "%s: something was written", k)
		}
	}
}
