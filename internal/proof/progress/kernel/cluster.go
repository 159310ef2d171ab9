package kernel

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// gang is the blocks that a step may let go on: those of a cluster, or a block alone. If blocks are the threads of the
// model, a gang is one of them: CUDA promises that once a thread makes progress, all of its cluster eventually do, and
// says nothing of other clusters (libcu++, "Execution model").
type gang struct {
	blocks  []*block
	cluster *simt.Cluster // nil if no instruction of the kernel and no launch needs it
}

// gangOf returns the gang of a block by its number in the grid.
func (s *System) gangOf(block int) *gang { return s.gangs[block/s.g.Cluster] }

// newGang starts the blocks of the next gang, which are at their first instruction then.
func (s *System) newGang() *gang {
	g := &gang{}
	var members []*simt.Block
	for range s.g.Cluster {
		b := &block{strands: make([][]strand, s.g.Warps)}
		b.Start(s.g, len(s.blocks), 0)
		for i, w := range b.Warps {
			b.strands[i] = s.apart(strand{mask: w.Exists, moving: true})
		}
		s.blocks, g.blocks, members = append(s.blocks, b), append(g.blocks, b), append(members, &b.Block)
	}
	if s.g.Cluster > 1 || s.g.Prog.UsesCluster() {
		g.cluster = &simt.Cluster{}
		g.cluster.Start(members...)
	}
	s.gangs = append(s.gangs, g)
	return g
}

// restoreGang restores the blocks of a gang.
func (s *System) restoreGang(state string, g *gang) {
	if c := g.cluster; c != nil {
		c.Start(c.Blocks...) // none has ended
	}
	for _, b := range g.blocks {
		s.restoreBlock(state, b)
		if g.cluster != nil && b.done() {
			g.cluster.End(&b.Block) // so that nobody may access its shared memory any more
		}
	}
}

// done reports whether all threads of the block have exited.
func (b *block) done() bool {
	for _, strands := range b.strands {
		if len(strands) > 0 {
			return false
		}
	}
	return true
}

// atCluster executes an instruction of the barrier of the cluster in the lanes of a warp, which have all come to it. It
// reports whether they go on; if not, they are to ask again.
func (s *System) atCluster(w *simt.Warp, in *ir.Inst, lanes uint32) (goes bool, f *device.Fault) {
	if acting := w.Guarded(in); acting != lanes {
		return false, w.Fault(in, bits.TrailingZeros32(lanes&^acting), "%s by a part of a warp", simt.ClusterName(in))
	}
	if in.Op == ir.OpClusterArrive {
		return true, w.Block.Cluster.Arrive(w, in, lanes)
	}
	return w.Block.Cluster.Wait(w, in, lanes)
}
