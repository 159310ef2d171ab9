package race

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Cluster is what blocks of a cluster share: they access each other's shared memory, and meet at a barrier.
type Cluster struct {
	blocks []*Block // by rank
	// coming is what those have released that have arrived at the barrier in the current round, and opened the same of the last one
	// that is complete. A warp arrives again only when it has waited, so that no more rounds are needed.
	coming, opened *vclock
}

// Meet makes blocks that have just begun a cluster, by rank. Their clocks go on from the latest of all: what other blocks did in shared memory
// that has been used before is then at or before base, too.
func Meet(blocks ...*Block) *Cluster {
	c, d := &Cluster{blocks: blocks}, blocks[0].d
	last := d.clocks.last
	for _, b := range blocks {
		b.cluster, b.base = c, last
		for i := range b.warps {
			warp := &b.warps[i]
			warp.clock, warp.known, warp.block = last+1, last, last
		}
	}
	d.clocks.last = last + 1
	return c
}

// owner returns the block in whose shared memory an address of a thread of a block is, and the offset there.
func (c *Cluster) owner(b *Block, addr uint64) (*Block, int) {
	rank, own, named := ir.SharedOf(addr)
	if named && c != nil && rank < len(c.blocks) {
		b = c.blocks[rank]
	}
	return b, int(own &^ ir.SharedWindow)
}

// within reports whether only threads of one block can have accessed a memory.
func (a *mover) within() bool {
	return a.s.alloc == nil && (a.b.cluster == nil || len(a.b.cluster.blocks) == 1)
}

// Arrive records that a warp of a block arrives at the barrier, by which its lanes meet. The arrival has relaxed order: with the fence before
// it, it is a release pattern of each lane.
func (c *Cluster) Arrive(b *Block, index int) {
	warp := &b.warps[index]
	b.settle(warp)
	if warp.lanes != nil {
		for i := range warp.lanes {
			if f := &warp.lanes[i].fence; f.set && f.reach >= onGPU {
				b.parts = append(b.parts, b.told(warp, i, f))
			}
		}
		c.coming = b.d.clocks.join(c.coming, b.gathered())
	}
	warp.known = warp.clock
	warp.set(b.joined(warp, simt.Full))
	b.tick(warp)
}

// Open records that all have come to the barrier.
func (c *Cluster) Open() { c.opened, c.coming = c.coming, nil }

// Pass records that a warp of a block has waited at the barrier. The wait has acquire order.
func (c *Cluster) Pass(b *Block, index int) {
	warp := &b.warps[index]
	b.settle(warp)
	b.learn(warp, simt.Full, c.opened)
}
