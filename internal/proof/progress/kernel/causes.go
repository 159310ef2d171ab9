package kernel

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// barrier is an mbarrier: an offset in the shared memory of a block.
type barrier struct {
	block int
	off   uint64
}

// initialised notes that lanes have initialised mbarriers, so that Causes can look at them.
func (s *System) initialised(w *simt.Warp, mask uint32, at *simt.Row) {
	for ; mask != 0; mask &= mask - 1 {
		rank, own, named := ir.SharedOf(at[bits.TrailingZeros32(mask)])
		block := w.Block.ID
		if named {
			block += rank - w.Block.Rank
		}
		s.barriers[barrier{block, own &^ ir.SharedWindow}] = true
	}
}

// Causes says which mbarriers lack bytes in a state, or have got more than they expect.
func (s *System) Causes(state string) (list []string) {
	order := func(x, y barrier) int { return cmp.Or(x.block-y.block, int(x.off)-int(y.off)) }
	for _, at := range slices.SortedFunc(maps.Keys(s.barriers), order) {
		b := s.restoreBlocks(state, at.block)
		m := mbarrier.State(simt.Load(b.Shared, int(at.off), ir.U64))
		if !m.Valid() || m.Bytes() == 0 || b.done() {
			continue
		}
		name := s.element(b, at.off|ir.SharedWindow)
		if s.g.Blocks > 1 {
			name += fmt.Sprintf(" of block %d", at.block)
		}
		if over := -m.Bytes(); over > 0 {
			list = append(list, fmt.Sprintf("copies have brought %d bytes more to %s than its phase expects, which has %d of %d arrivals", over, name, m.Count()-m.Pending(), m.Count()))
			continue
		}
		list = append(list, fmt.Sprintf("%d bytes have not come that %s expects, whose phase has %d of %d arrivals, and %s", m.Bytes(), name, m.Count()-m.Pending(), m.Count(), s.underWay(at)))
	}
	return list
}

// underWay says how many bytes copies that are pending will bring to an mbarrier.
func (s *System) underWay(at barrier) string {
	bytes := uint64(0)
	for _, b := range s.gangOf(at.block).blocks {
		for i := range b.pending {
			p := &b.pending[i]
			for left := p.lanes; left != 0 && p.kind == inBulk; left &= left - 1 {
				lane := bits.TrailingZeros32(left)
				if p.W.Block.ID-p.W.Block.Rank+p.rank == at.block && simt.Own(p.Barrier[lane]) == at.off|ir.SharedWindow {
					bytes += p.Reads[lane]
				}
			}
		}
	}
	if bytes == 0 {
		return "no copy to it is under way"
	}
	return fmt.Sprintf("copies of %d are under way to it", bytes)
}
