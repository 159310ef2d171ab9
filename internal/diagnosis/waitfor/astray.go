package waitfor

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// leftOut returns a copy to several blocks of the cluster whose mask leaves out the block of a wait that lacks bytes, and that mask; -1 if there is none.
func (x *reader) leftOut(w *phaseWait) (pc int32, mask uint16) {
	if w.state.Bytes() <= 0 || x.g.Cluster <= 1 {
		return -1, 0
	}
	first := w.block - w.in.Rank
	for pc := range x.p.Code {
		for rank := range x.g.Cluster {
			if !x.p.Code[pc].Op.Multicasts() {
				break
			}
			mask, known := x.ranks(int32(pc), thread{first + rank, 0})
			if known && mask>>w.in.Rank&1 == 0 {
				return int32(pc), mask
			}
		}
	}
	return -1, 0
}

// astray returns an mbarrier beside the one of a wait that lacks bytes, to which copies bring bytes that it does not expect, and how many; ""
// if there is none. A word is known as an mbarrier by the name of its field, or in an array in which another one is waited for. It may be of another
// block of the cluster.
func (x *reader) astray(w *phaseWait) (name string, bytes int) {
	if w.state.Bytes() <= 0 {
		return "", 0
	}
	if name, bytes = x.astrayIn(w, w.in); name != "" || w.in.Cluster == nil {
		return name, bytes
	}
	for rank, other := range w.in.Cluster.Blocks {
		if other == w.in || w.in.Cluster.Ended(rank) {
			continue
		}
		if name, bytes = x.astrayIn(w, other); name != "" {
			return fmt.Sprintf("%s of block %d", name, other.ID), bytes
		}
	}
	return "", 0
}

// astrayIn is astray of the mbarriers of a block.
func (x *reader) astrayIn(w *phaseWait, in *simt.Block) (name string, bytes int) {
	for off := 0; off+8 <= len(in.Shared); off += 8 {
		addr, state := ir.SharedWindow|uint64(off), mbarrier.State(simt.Load(in.Shared, off, ir.U64))
		at := x.place(addr)
		if !state.Valid() || at.name != x.place(w.addr).name && !strings.HasSuffix(at.name, ".state") {
			continue
		}
		lacks := state.Bytes()
		if x.Owed != nil {
			lacks -= int(x.Owed(in.ID, addr))
		}
		if lacks < 0 {
			return x.barrierName(addr), -lacks
		}
	}
	return "", 0
}
