package simt

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/cluster"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Cluster is a cluster whose blocks run: consecutive blocks of a grid that reach each other's shared memory and meet at a barrier
// (PTX ISA, "Cluster of cooperative thread arrays").
type Cluster struct {
	Blocks  []*Block // by rank; one that has ended stays
	Barrier cluster.Barrier
	ended   []bool
	left    int // blocks that have not ended
	each    int // warps of a block
}

// Start makes blocks a new cluster, in the order of their ranks. It reuses c's memory.
func (c *Cluster) Start(blocks ...*Block) {
	c.Blocks = append(c.Blocks[:0], blocks...)
	c.ended = resize(c.ended, len(blocks))
	clear(c.ended)
	c.left, c.each = len(blocks), blocks[0].Grid.Warps
	c.Barrier.Start(len(blocks) * c.each)
	for rank, b := range blocks {
		b.Cluster, b.Rank = c, rank
	}
}

// End records that all threads of a block have left. It reports whether that was the last block.
func (c *Cluster) End(b *Block) (last bool) {
	c.ended[b.Rank] = true
	c.left--
	return c.left == 0
}

// warp returns the number of a warp at the barrier.
func (c *Cluster) warp(w *Warp) int { return w.Block.Rank*c.each + w.Index }

// Arrive counts a warp, whose lanes have all come, at the barrier.
func (c *Cluster) Arrive(w *Warp, in *ir.Inst, mask uint32) *device.Fault {
	if why := c.Barrier.Arrive(c.warp(w)); why != "" {
		return w.Fault(in, bits.TrailingZeros32(mask), "%s, and %s", ClusterName(in), why)
	}
	return nil
}

// Wait reports whether a warp that waits at the barrier goes on; if not, it is to ask again when the barrier has opened.
func (c *Cluster) Wait(w *Warp, in *ir.Inst, mask uint32) (goes bool, f *device.Fault) {
	goes, why := c.Barrier.Wait(c.warp(w))
	if why != "" {
		return false, w.Fault(in, bits.TrailingZeros32(mask), "%s, and %s", ClusterName(in), why)
	}
	return goes, nil
}

// Open opens the barrier if all have come that it waits for.
func (c *Cluster) Open() bool {
	return c.Barrier.Open(func(warp int) bool { return c.live(warp) != 0 })
}

// live returns the threads of a warp that have not left.
func (c *Cluster) live(warp int) uint32 {
	if c.ended[warp/c.each] {
		return 0
	}
	return c.Blocks[warp/c.each].Warps[warp%c.each].Live()
}

// HasCome reports whether a warp has come to the barrier in a round that is not complete.
func (c *Cluster) HasCome(w *Warp) bool { return c.Barrier.Arrived(c.warp(w)) }

// Come returns how many threads have come to the barrier, and how many it waits for.
func (c *Cluster) Come() (come, expected int) {
	for warp := range c.Barrier {
		n := bits.OnesCount32(c.live(warp))
		if expected += n; c.Barrier.Arrived(warp) {
			come += n
		}
	}
	return come, expected
}

// Waits describes what a warp at the barrier waits for.
func (c *Cluster) Waits() string {
	come, expected := c.Come()
	return fmt.Sprintf("waits at the barrier of its cluster, which %d of %d threads have reached", come, expected)
}

// ClusterName returns the name of an op on the barrier of a cluster in kernels.
func ClusterName(in *ir.Inst) string {
	switch {
	case in.PTX:
		return in.PTXName()
	case in.Op == ir.OpClusterArrive:
		return "ArriveCluster"
	}
	return "WaitCluster"
}

// sharedOf returns the block whose shared memory a generic address of shared memory is in, and the address as that block has it.
func (w *Warp) sharedOf(addr uint64) (*Block, uint64) {
	rank, own, named := ir.SharedOf(addr)
	if !named || w.Block.Cluster == nil && rank == 0 {
		return w.Block, own
	}
	return w.Block.Cluster.Blocks[rank], own
}

// InCluster returns an address of a thread of a block as all blocks of its cluster have it: that of shared memory names a block. Other
// addresses, and all of grids without clusters, are as they are for the thread.
func (g *Grid) InCluster(block int, addr uint64) uint64 {
	if SpaceOf(addr) != ir.Shared {
		return addr
	}
	_, own, named := ir.SharedOf(addr)
	switch {
	case g.Cluster <= 1:
		return own
	case named:
		return addr
	}
	return ir.MapShared(addr, uint64(block%g.Cluster))
}

// Remote returns the lanes of mask whose address is in the shared memory of another block of the cluster.
func (w *Warp) Remote(mask uint32, addrs *Row) (remote uint32) {
	if w.Block.Cluster == nil {
		return 0
	}
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if addr := addrs[lane]; SpaceOf(addr) == ir.Shared {
			if rank, _, named := ir.SharedOf(addr); named && rank != w.Block.Rank {
				remote |= 1 << lane
			}
		}
	}
	return remote
}

// notOwn says why an address is not one of the own block's shared memory, as instructions need it that PTX has for ".shared::cta"
// alone; "" if it is one. An address that names the thread's own block is not, either.
func notOwn(addr uint64) string {
	rank, _, named := ir.SharedOf(addr)
	switch {
	case SpaceOf(addr) != ir.Shared:
		return "which is not in shared memory"
	case named:
		return fmt.Sprintf("which names block %d of the cluster; want an address of the block's own shared memory", rank)
	}
	return ""
}

// clusterFault returns the fault of an access to the shared memory of a block that is not there; nil if it is.
func (w *Warp) clusterFault(in *ir.Inst, lane int, addr uint64) *device.Fault {
	if SpaceOf(addr) != ir.Shared {
		return nil
	}
	rank, _, named := ir.SharedOf(addr)
	switch c := w.Block.Cluster; {
	case !named:
		return nil
	case in.OwnShared():
		return w.Fault(in, lane, "%s at address %#x, %s", in.Source(), addr, notOwn(addr))
	case rank >= w.Grid.Cluster:
		return w.Fault(in, lane, "%s of shared memory of block %d of a cluster, which has %d", verb(in), rank, w.Grid.Cluster)
	case c != nil && c.ended[rank]:
		return w.Fault(in, lane, "%s of shared memory of block %d of the cluster, all of whose threads have left: a block must stay until others no longer use its shared memory",
			verb(in), rank)
	}
	return nil
}

// unclustered returns why a launch cannot have clusters of so many blocks; "" if it can.
func unclustered(k *ir.Kernel, l *device.Launch, shape *device.Shape) string {
	size, dim, only := clusterBlocks(l), [3]int{max(l.Cluster, 1), max(l.ClusterY, 1), max(l.ClusterZ, 1)}, k.OnlyClusterDim
	for i, n := range []int{l.Cluster, l.ClusterY, l.ClusterZ} {
		if n < 0 || dim[i] > cluster.MaxBlocks {
			size = n
		}
	}
	switch {
	case size < 0 || size > cluster.MaxBlocks:
		return fmt.Sprintf("a cluster of %d blocks; it may have 1 to %d", size, cluster.MaxBlocks)
	case k.OnlyCluster > 0 && dim != only && only[1]*only[2] == 1 && dim[1]*dim[2] == 1:
		return fmt.Sprintf("a cluster of %d blocks; the kernel is for clusters of %d (.reqnctapercluster)", dim[0], only[0])
	case k.OnlyCluster > 0 && dim != only:
		return fmt.Sprintf("a cluster of %dx%dx%d blocks; the kernel is for clusters of %dx%dx%d (.reqnctapercluster)", dim[0], dim[1], dim[2], only[0], only[1], only[2])
	}
	for i, name := range "xyz" {
		if shape.Grid[i]%dim[i] != 0 {
			return fmt.Sprintf("a grid of %d blocks along %c, which clusters of %d do not divide", shape.Grid[i], name, dim[i])
		}
	}
	return ""
}

// clusterBlocks returns the number of blocks of a cluster of a launch.
func clusterBlocks(l *device.Launch) int {
	return max(l.Cluster, 1) * max(l.ClusterY, 1) * max(l.ClusterZ, 1)
}

// ClusterDim returns the numbers of blocks of a cluster along each dimension, at least 1.
func (g *Grid) ClusterDim() [3]int {
	if c := g.Shape.Clusters; c != [3]int{} {
		return c
	}
	return [3]int{g.Cluster, 1, 1}
}

// clusterPlace returns the index of a block in its cluster along a dimension, and how many blocks the cluster has along it.
func (g *Grid) clusterPlace(block, dimension int) (index, size int) {
	c := g.ClusterDim()
	return g.Shape.Place(block)[dimension] % c[dimension], c[dimension]
}
