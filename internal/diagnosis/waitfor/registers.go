package waitfor

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// connectRegisters adds an edge for each set with warps of the same blocks, which could give registers back, and says what the blocks have.
func (x *explainer) connectRegisters(s *set) {
	blocks, at := map[int]bool{}, map[*set]int{}
	var who threads
	for _, t := range s.waits {
		blocks[t.w.Block.ID] = true
		who.add(t.w.Block.ID, t.w.Index, t.g.Mask)
	}
	for _, other := range x.waits {
		if other.set == s || !blocks[other.w.Block.ID] || other.kind == device.WaitRegisters {
			continue
		}
		index, ok := at[other.set]
		if !ok {
			index = len(s.edges)
			at[other.set] = index
			s.edges = append(s.edges, edge{to: other.set, cause: causeOf(other)})
		}
		s.edges[index].who.add(other.w.Block.ID, other.w.Index, other.g.Mask)
	}
	if len(s.edges) == 0 {
		s.edges = append(s.edges, edge{cause: device.CauseRegisters, text: x.registersText(s)})
	}
}

// registersText says which registers a block has, and who wants how many.
func (x *explainer) registersText(s *set) string {
	first := s.waits[0]
	warps := x.g.Threads / simt.Lanes
	return fmt.Sprintf("warps want %d more registers a thread; the kernel begins with %d for each of the %d warps of a block, and %d were given back and not taken again",
		first.g.Expected, x.p.LaunchRegisters, warps, first.g.Arrived)
}
