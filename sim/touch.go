package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// touch leaves in the L2 what an access leaves there of a block that is executed functionally, so that what is simulated after it
// finds the lines that it would find if everything had been simulated. It counts nothing and takes no time.
func (m *machine) touch(block int, w *simt.Warp, in *ir.Inst, mask uint32) {
	addrs := &m.addrs
	w.Addresses(in, mask, addrs)
	if in.Root < 0 {
		_, _, mask = spaces(in, mask, addrs)
	} else if w.Grid.Prog.Roots[in.Root].Space != ir.Global {
		return
	}
	near := int32(block % len(m.sms))
	bytes := uint64(in.Mem.Bytes())
	for mask != 0 {
		line := addrs[bits.TrailingZeros32(mask)&31] &^ (lineBytes - 1)
		sectors := uint8(0)
		for left := mask; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			if addrs[lane]&^(lineBytes-1) != line {
				break // lanes in order of their addresses are the common case; others come to a line twice
			}
			first, last := addrs[lane]%lineBytes/sectorBytes, (addrs[lane]+bytes-1)%lineBytes/sectorBytes
			sectors |= 1<<first | 1<<last
			mask &^= 1 << lane
		}
		if a, off := w.Grid.Mem.Lookup(line); a != nil && a.GPU == m.gpu {
			m.l2.touch(near, a.Phys+uint64(off), sectors, in.Op)
		}
	}
}

// touch leaves a line in the cache after a load of an SM, or after a store or an atomic, for which its unit keeps it.
func (l *l2) touch(sm int32, phys uint64, sectors uint8, op ir.Op) {
	at, load := l.homeOf(phys), op == ir.OpLoad || op.Action() == ir.ActCopy
	l.place(at, phys, l.fetched(sectors), true, !load)
	switch {
	case load && l.isFar(sm, at.slice):
		l.place(l.mirror(at), phys, sectors, false, false)
	case !load && l.half != 0:
		l.written(l.mirror(at), phys, sectors)
	}
	if op.IsAtomic() {
		l.slices[at.slice].atomic.keep(phys/lineBytes, 0)
	}
}

// place puts sectors of a line at its home, for which a row of device memory is opened, or at that of its copy.
func (l *l2) place(at home, phys uint64, sectors uint8, home, dirty bool) {
	ln := l.lines.Find(at.slice, at.set, phys)
	if ln == nil {
		ln, _ = l.lines.Replace(at.slice, at.set, phys) // what it writes back takes no time
	}
	l.lines.Use(ln)
	if home && sectors&^ln.Valid != 0 {
		l.mem.Open(phys)
	}
	ln.Valid |= sectors
	if dirty {
		ln.Dirty |= sectors
	}
}
