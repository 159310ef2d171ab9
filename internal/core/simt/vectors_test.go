//go:build amd64 && !purego

package simt

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// plainly calls f without vector instructions.
func plainly(f func()) {
	defer func(before bool) { vectors = before }(vectors)
	vectors = false
	f()
}

// TestVectorLoads compares loads by vector instructions with a loop over lanes: the registers of all lanes, and the fault, of
// addresses inside, at both ends and outside of a buffer, aligned or not, for all kinds of masks.
func TestVectorLoads(t *testing.T) {
	if !vectors {
		t.Skip("this host has no AVX2")
	}
	const words = 50
	for _, kind := range []ir.Kind{ir.U32, ir.F64} {
		mem := NewMemory(0)
		elem := device.U32
		if kind == ir.F64 {
			elem = device.F64
		}
		handle, err := mem.Alloc("x", elem, words)
		require.NoError(t, err)
		buffer, _ := mem.Lookup(handle.Addr)
		for i := range buffer.Data {
			buffer.Data[i] = byte(i*7 + 1)
		}
		p := &ir.Program{NumRegs: 2, Code: []ir.Inst{{Op: ir.OpExit}}}
		g, err := Bind(mem, device.Launch{Kernel: (&ir.Kernel{Name: "test", Program: p}).ForHost(), Grid: 1, Block: 32}, Limits{})
		require.NoError(t, err)
		var b Block
		b.Start(g, 0, 0)
		w := b.Warps[0]
		in := &ir.Inst{Op: ir.OpLoad, K: kind, NSrc: 1, NDst: 1, Root: -1, Imm: 16, Mem: ir.Mem{Kind: kind, Space: ir.Global, Vec: 1}, Dst: [4]int32{1}, Src: [ir.MaxOperands]ir.Operand{0}}
		r := rand.New(rand.NewPCG(1, 2))
		valid, faults := 0, 0
		for round := range 2000 {
			size := uint64(kind.Bytes())
			for lane := range Lanes {
				w.Regs[0][lane] = buffer.Base() - 16 + size*r.Uint64N(words)
				w.Regs[1][lane] = r.Uint64()
			}
			mask := r.Uint32()
			switch round % 4 {
			case 0:
				mask = Full
			case 1:
				mask &= r.Uint32() & r.Uint32()
			case 2: // one address that is outside or not aligned, of a lane that may not load
				w.Regs[0][r.IntN(Lanes)] += []uint64{size * words, -size * words, 1 << 40, 2}[r.IntN(4)]
			}
			before := w.Regs[1]
			var want *device.Fault
			var plain Row
			plainly(func() {
				want = w.LoadAll(in, mask)
				plain = w.Regs[1]
			})
			w.Regs[1] = before
			got := w.LoadAll(in, mask)
			require.Equal(t, want, got)
			if want != nil {
				faults++
				continue // a warp with a fault goes no further
			}
			valid++
			require.Equal(t, plain, w.Regs[1], "mask %08x", mask)
		}
		assert.Greater(t, valid, 1000)
		assert.Greater(t, faults, 100)
	}
}

// TestVectorLines does the same for words of a line of a cache, of which lanes that get none have any offset, and for addresses.
func TestVectorLines(t *testing.T) {
	if !vectors {
		t.Skip("this host has no AVX2")
	}
	w := testWarp(t, &ir.Program{NumRegs: 2, Code: []ir.Inst{{Op: ir.OpExit}}}, 32)
	in := &ir.Inst{Op: ir.OpLoad, K: ir.U32, NSrc: 1, NDst: 1, Root: -1, Imm: -4, Mem: ir.Mem{Kind: ir.U32, Vec: 1}, Dst: [4]int32{1}}
	r := rand.New(rand.NewPCG(3, 4))
	line := make([]byte, 128)
	for i := range line {
		line[i] = byte(200 - i)
	}
	for round := range 1000 {
		mask := r.Uint32()
		if round%2 == 0 {
			mask = Full
		}
		var off [Lanes]uint8
		for lane := range off {
			off[lane] = uint8(r.Uint32())
			if mask>>lane&1 != 0 {
				off[lane] &= 0x7C
			}
			w.Regs[0][lane], w.Regs[1][lane] = r.Uint64(), r.Uint64()
		}
		before, plain, addrs := w.Regs[1], Row{}, w.Regs[1]
		plainly(func() {
			w.WriteBackLanes(in, mask, line, &off)
			plain = w.Regs[1]
			w.Addresses(in, mask, &addrs)
		})
		w.Regs[1] = before
		w.WriteBackLanes(in, mask, line, &off)
		require.Equal(t, plain, w.Regs[1])
		w.Addresses(in, mask, &before)
		require.Equal(t, addrs, before)
	}
}
