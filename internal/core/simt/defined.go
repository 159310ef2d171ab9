package simt

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// This file finds reads of memory that has not been written, for strict devices.
// The lanes of mask access row[lane]+imm. Invalid accesses are ignored: the
// access itself reports them.

// Define marks the bytes of global memory that the lanes of mask will write.
func (w *Warp) Define(in *ir.Inst, row *Row, imm uint64, mask uint32) {
	w.eachUnwritten(in, row, imm, mask, func(_ int, a *Allocation, off int) bool {
		a.Wrote(off, in.Mem.Bytes())
		return true
	})
}

// Defined checks that the bytes of global memory that the lanes of mask read
// have been written.
func (w *Warp) Defined(in *ir.Inst, row *Row, imm uint64, mask uint32) (f *device.Fault) {
	w.eachUnwritten(in, row, imm, mask, func(lane int, a *Allocation, off int) bool {
		at, _ := a.Unwritten().First(off, in.Mem.Bytes())
		f = w.unwrittenFault(in, lane, a, at)
		return false
	})
	return f
}

// eachUnwritten calls visit for the lanes of mask that access a byte of global
// memory that has not been written, until visit returns false. For nearly every
// access a quick check shows that its buffer has no such byte.
func (w *Warp) eachUnwritten(in *ir.Inst, row *Row, imm uint64, mask uint32, visit func(lane int, buffer *Allocation, off int) bool) {
	grid, bytes := w.Grid, uint64(in.Mem.Bytes())
	// Without a root, the buffer of each lane must be looked up.
	if in.Root < 0 {
		if !grid.Mem.Track || mask == 0 {
			return
		}
		// Nearly always all lanes access one buffer, of which everything has been written.
		first, other, _ := bitsOf(row, imm, mask)
		if buffer, _ := grid.Mem.Lookup(first); buffer != nil && buffer.Unwritten() == nil && other&^offMask == 0 {
			return
		}
		for left := mask; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			addr := row[lane] + imm
			if SpaceOf(addr) != ir.Global {
				continue
			}
			if buffer, off := grid.Mem.Lookup(addr); buffer != nil && buffer.Unwritten().Meets(uint64(off), bytes) && !visit(lane, buffer, off) {
				return
			}
		}
		return
	}
	buffer := grid.Roots[in.Root].Alloc
	if buffer == nil {
		return
	}
	lo := buffer.Base() - imm
	for left := mask; left != 0; left &= left - 1 {
		unwritten := buffer.Unwritten()
		// visit may have written the last missing byte, after which the buffer
		// tracks nothing any more.
		if unwritten == nil {
			return
		}
		lane := bits.TrailingZeros32(left) & 31
		if off := row[lane] - lo; unwritten.Meets(off, bytes) && !visit(lane, buffer, int(off)) {
			return
		}
	}
}

// unwrittenFault returns the fault for reading the unwritten byte at of a
// buffer.
func (w *Warp) unwrittenFault(in *ir.Inst, lane int, buffer *Allocation, at int) *device.Fault {
	name, lo, size, length := buffer.Name, 0, buffer.Elem.Bytes(), buffer.Len
	if in.Root >= 0 { // the kernel's name for it
		r := &w.Grid.Roots[in.Root]
		name, lo, size, length = r.Name, int(r.Lo-buffer.Base()), int(r.Size), int(r.Bytes/r.Size)
	}
	index := int64((at - lo) / size)
	fault := w.Fault(in, lane, "%s but neither the host nor a thread has written %s", readOf(in, name, at-lo, size)...)
	fault.Buffer, fault.Index, fault.Length = buffer.Name, index, int64(length)
	return fault
}

// readOf says that an access reads what lies at a byte of a variable or buffer, and returns with it the word that stands for
// what is read: an element, or several bytes. The buffers and variables of CUDA programs are of bytes, whatever their type in
// the source.
func readOf(in *ir.Inst, name string, at, size int) []any {
	bytes := in.Mem.Bytes()
	if in.Op == ir.OpLoad {
		bytes = in.Mem.Kind.Bytes()
	}
	if size == 1 && bytes > 1 {
		return []any{fmt.Sprintf("%d bytes at byte %d of %s are read,", bytes, at, name), "them"}
	}
	return []any{fmt.Sprintf("element %d of %s is read,", at/size, name), "it"}
}

// Written says which bytes of a block's shared memory the block has written: 1
// for each of them.
type Written []byte

// Reset forgets what was written, for a block with n bytes.
func (s *Written) Reset(n int) {
	*s = resize(*s, n)
	clear(*s)
}

// Define marks the bytes of shared memory that the lanes of mask will write.
func (s Written) Define(in *ir.Inst, row *Row, imm uint64, mask uint32) {
	if elsewhere(in, row, imm, mask) {
		return
	}
	bytes := uint64(in.Mem.Bytes())
	for left := mask; left != 0; left &= left - 1 {
		if off, ok := s.offset(row[bits.TrailingZeros32(left)&31]+imm, bytes); ok {
			for i := off; i < off+bytes; i++ {
				s[i] = 1
			}
		}
	}
}

// offset returns the offset of an access of n bytes in the block's shared
// memory.
func (s Written) offset(addr, n uint64) (off uint64, ok bool) {
	off = addr &^ ir.SharedWindow
	return off, SpaceOf(addr) == ir.Shared && off < uint64(len(s)) && off+n <= uint64(len(s))
}

// elsewhere says that no lane of mask accesses shared memory.
func elsewhere(in *ir.Inst, row *Row, imm uint64, mask uint32) bool {
	if in.Root >= 0 {
		return false
	}
	_, _, any := bitsOf(row, imm, mask)
	return any&ir.SharedWindow == 0
}

// bitsOf returns one of the addresses row[lane]+imm of the lanes of mask, the bits in which others of them differ from it, and the bits that
// are set in any of them.
func bitsOf(row *Row, imm uint64, mask uint32) (first, other, any uint64) {
	if mask == Full {
		first = row[0] + imm
		for _, addr := range row {
			addr += imm
			other, any = other|(addr^first), any|addr
		}
		return first, other, any
	}
	first = row[bits.TrailingZeros32(mask)&31] + imm
	for left := mask; left != 0; left &= left - 1 {
		addr := row[bits.TrailingZeros32(left)&31] + imm
		other, any = other|(addr^first), any|addr
	}
	return first, other, any
}

// Defined checks that the bytes of shared memory that the lanes of mask read
// have been written by this block.
func (s Written) Defined(warp *Warp, in *ir.Inst, row *Row, imm uint64, mask uint32) *device.Fault {
	if elsewhere(in, row, imm, mask) {
		return nil
	}
	bytes := uint64(in.Mem.Bytes())
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		off, ok := s.offset(row[lane]+imm, bytes)
		if !ok {
			continue
		}
		for i := off; i < off+bytes; i++ {
			if s[i] == 0 {
				if in.Op == ir.OpLoad { // it may have been made of several loads of a word: which of them
					off = i - (i-off)%uint64(in.Mem.Kind.Bytes())
				}
				return warp.unwrittenShared(in, lane, off)
			}
		}
	}
	return nil
}

func (w *Warp) unwrittenShared(in *ir.Inst, lane int, off uint64) *device.Fault {
	vars := w.Grid.Shared
	for i := range vars {
		variable := &vars[i]
		if at := int64(off) - int64(variable.Off); at >= 0 && at < int64(variable.Size) {
			size := int64(max(variable.ElemSize, 1))
			fault := w.Fault(in, lane, "%s but no thread of the block has written %s", readOf(in, "shared "+variable.Name, int(at), int(size))...)
			fault.Buffer, fault.Index, fault.Length = variable.Name, at/size, int64(variable.Size)/size
			return fault
		}
	}
	return w.Fault(in, lane, "byte %d of shared memory is read, but no thread of the block has written it", off)
}
