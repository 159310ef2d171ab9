package gpu

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/weft-gpu/weft/internal/mma"
)

// tile is what a lane passes to a product of matrices, and where it calls it.
type tile struct {
	registers [mma.MaxRegisters]uint64
	site      site
	group     groupTile
}

// products are the numbers of products of matrices by function.
var products = func() map[string]int {
	m := map[string]int{}
	for i := range mma.Variants {
		if name := mma.Variants[i].Func; name != "" {
			m[name] = i
		}
	}
	return m
}()

// product multiplies the matrices of a warp. A, B and C are registers or arrays of them.
func product[A, B, C any](t Thread, name string, a A, b B, c C) (d C) {
	id := products[name]
	v := &mma.Variants[id]
	na, nb, nc := v.Registers()
	var list [mma.MaxRegisters]uint64
	registers := list[:]
	into(registers[:na], unsafe.Pointer(&a), v.A)
	into(registers[na:na+nb], unsafe.Pointer(&b), v.B)
	into(registers[na+nb:na+nb+nc], unsafe.Pointer(&c), v.C)
	t.x.together(warpMMA+warpKind(id), registers)
	for i, x := range registers[:nc] {
		at := unsafe.Add(unsafe.Pointer(&d), i*v.C.RegisterBits()/8)
		if v.C.RegisterBits() == 64 {
			*(*uint64)(at) = x
		} else {
			*(*uint32)(at) = uint32(x)
		}
	}
	return d
}

// into copies registers of a type.
func into(registers []uint64, from unsafe.Pointer, t mma.Type) {
	for i := range registers {
		if at := unsafe.Add(from, i*t.RegisterBits()/8); t.RegisterBits() == 64 {
			registers[i] = *(*uint64)(at)
		} else {
			registers[i] = uint64(*(*uint32)(at))
		}
	}
}

func transposed(t Thread, x uint32) uint32 {
	registers := []uint64{uint64(x)}
	t.x.together(warpTranspose, registers)
	return uint32(registers[0])
}

// loaded loads n matrices of rows that the first lanes pass, and returns n registers.
func loaded(t Thread, row *[4]uint32, n int, transposes bool) []uint32 {
	kind := warpLoad1 + warpKind(bits.TrailingZeros(uint(n)))
	if transposes {
		kind += warpLoadTransposed1 - warpLoad1
	}
	registers := make([]uint64, 4)
	if t.Lane() < uint32(8*n) {
		for i, w := range row {
			registers[i] = uint64(w)
		}
	}
	t.x.together(kind, registers)
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(registers[i])
	}
	return out
}

// stored stores matrices, of which a lane has a register each, to rows that the first lanes pass.
func stored(t Thread, row *[4]uint32, transposes bool, x ...uint32) {
	kind := warpStore1 + warpKind(bits.TrailingZeros(uint(len(x))))
	if transposes {
		kind += warpStoreTransposed1 - warpStore1
	}
	registers := make([]uint64, 4)
	for i, w := range x {
		registers[i] = uint64(w)
	}
	t.x.together(kind, registers)
	if t.Lane() < uint32(8*len(x)) {
		for i, w := range registers {
			row[i] = uint32(w)
		}
	}
}

// together executes a collective that all lanes of the warp have to come to, and returns its result in the registers.
func (th *thread) together(kind warpKind, registers []uint64) {
	if th.tile == nil {
		th.tile = new(tile)
	}
	copy(th.tile.registers[:], registers)
	th.tile.site = here()
	th.warp(kind, FullMask, 0, 0)
	copy(registers, th.tile.registers[:])
}

// multiply executes a collective of all lanes, of which those in arrived have come, which are all that have not exited.
func (b *block) multiply(w uint32, kind warpKind, arrived uint32) {
	lanes := b.threads[w*WarpSize : min(int(w+1)*WarpSize, len(b.threads))]
	first := &lanes[bits.TrailingZeros32(arrived)]
	fail := func(format string, args ...any) {
		first.l.err = &Fault{What: "gpu." + kind.String() + " " + fmt.Sprintf(format, args...),
			Block: first.l.numberOf(b.index), Thread: int(first.idx), GridDim: first.l.gridDim, BlockDim: first.l.blockDim}
	}
	exists := uint32(1)<<len(lanes) - 1
	switch {
	case exists != FullMask:
		fail("in a warp without lanes %08x: the block has %d threads, and all 32 lanes have to take part", ^exists, len(b.threads))
		return
	case arrived != FullMask:
		fail("while lanes %08x have exited: all 32 lanes of the warp have to take part", ^arrived)
		return
	}
	for i := range lanes {
		if lanes[i].tile.site != first.tile.site {
			fail("while lane %d of the warp is at another call of it: all 32 lanes have to execute it together", i)
			return
		}
	}
	var rows [mma.MaxRegisters]mma.Row
	var list [mma.MaxRegisters]*mma.Row
	for r := range rows {
		list[r] = &rows[r]
		for lane := range lanes {
			rows[r][lane] = lanes[lane].tile.registers[r]
		}
	}
	results := 1
	switch {
	case kind == warpTranspose:
		mma.Transpose(list[0], list[0])
	case kind >= warpStore1 && kind < warpMMA:
		results = 4   // the words of a row
		words := rows // by matrix
		for j := range 1 << ((kind - warpStore1) % 3) {
			if kind >= warpStoreTransposed1 {
				mma.Transpose(&words[j], &words[j])
			}
			for lane, word := range words[j] {
				rows[lane%4][8*j+lane/4] = word
			}
		}
	case kind < warpMMA:
		results = 1 << ((kind - warpLoad1) % 3)
		words := rows // by word and row
		for j := range results {
			for lane := range WarpSize {
				rows[j][lane] = words[lane%4][8*j+lane/4]
			}
			if kind >= warpLoadTransposed1 {
				mma.Transpose(list[j], list[j])
			}
		}
	case kind >= warpGroupMMA:
		if why := b.addProduct(w, kind.product(), lanes, (*[4]mma.Row)(rows[:4])); why != "" {
			fail("%s", why)
			return
		}
		results = 0
	default:
		v := &mma.Variants[kind-warpMMA]
		na, nb, nc := v.Registers()
		v.Multiply(list[:nc], list[:na], list[na:na+nb], list[na+nb:na+nb+nc])
		results = nc
	}
	for lane := range lanes {
		for r := range results {
			lanes[lane].tile.registers[r] = rows[r][lane]
		}
	}
}
