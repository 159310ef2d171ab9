package function

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
)

// The blocks of a cluster are in neighbouring slots, which begin with a multiple of the cluster's size, and start together.

// startCluster starts the next cluster in the slots of which slot i is one, when no block runs in any of them.
func (r *run) startCluster(i int) {
	first := i - i%r.g.Cluster
	group := r.slots[first : first+r.g.Cluster]
	blocks := make([]*simt.Block, len(group))
	for k, s := range group {
		if s.running {
			return
		}
		blocks[k] = &s.Block
	}
	if r.next >= r.end {
		return
	}
	cluster := &simt.Cluster{}
	for k, s := range group {
		r.startBlock(s, first+k)
		s.group = group
	}
	cluster.Start(blocks...)
	r.meet(group...)
}

// meet tells the race detector of the blocks of a cluster, which have just begun.
func (r *run) meet(group ...*slot) {
	if r.race == nil {
		return
	}
	blocks := make([]*race.Block, len(group))
	for i, s := range group {
		blocks[i] = &s.race
	}
	races := race.Meet(blocks...)
	for _, s := range group {
		s.races = races
	}
}

// atCluster executes an instruction of the barrier of a cluster. It reports whether the warp waits.
func (r *run) atCluster(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (waits bool, f error) {
	c := s.Cluster
	if in.Op == ir.OpClusterArrive {
		if f := c.Arrive(w, in, mask); f != nil {
			return false, f
		}
		if r.race != nil {
			s.races.Arrive(&s.race, w.Index)
		}
		r.openCluster(s)
		return false, nil
	}
	goes, fault := c.Wait(w, in, mask)
	if fault != nil {
		return false, fault
	}
	if s.warps[w.Index].clustered = !goes; goes && r.race != nil {
		s.races.Pass(&s.race, w.Index)
	}
	return !goes, nil
}

// openCluster opens the barrier of a block's cluster if all have come that it waits for.
func (r *run) openCluster(s *slot) {
	if s.Cluster == nil || !s.Cluster.Open() {
		return
	}
	r.changed()
	if r.race != nil {
		s.races.Open()
	}
	for _, other := range s.group {
		for i, w := range other.Warps {
			if st := &other.warps[i]; st.clustered {
				st.clustered = false
				if in := &r.c.prog.Code[w.PC]; in.Op == ir.OpClusterWait {
					s.Cluster.Wait(w, in, w.Mask) //nolint:errcheck // it has arrived
				}
				if r.race != nil {
					other.races.Pass(&other.race, i)
				}
				w.Next()
			}
		}
	}
}

// elsewhere calls visit for the lanes of mask that access the shared memory of another block of the cluster, with its slot. The address
// as that block has it is then in s.Scratch.
func (s *slot) elsewhere(row *simt.Row, imm uint64, mask uint32, visit func(lane int, owner *slot)) {
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		addr := row[lane] + imm
		if simt.SpaceOf(addr) != ir.Shared {
			continue
		}
		if rank, own, named := ir.SharedOf(addr); named && rank < len(s.group) {
			s.Scratch[lane] = own
			visit(lane, s.group[rank])
		}
	}
}
