package gpu

import (
	"fmt"
	"reflect"
	"unsafe"

	clusters "github.com/weft-gpu/weft/internal/cluster"
)

// ClusterSize makes each n consecutive blocks along x a cluster; see [MapShared] and [Thread.SyncCluster]. n is at most 16 and divides
// the number of blocks along x.
func ClusterSize(n int) Option { return ClusterDim(Dim{X: n}) }

// ClusterDim is [ClusterSize] for clusters of blocks along several dimensions, at most 16 in all, each of which divides the number of blocks along
// its dimension.
func ClusterDim(d Dim) Option { return func(o *options) { o.clusterDim = d.full() } }

// cluster is a cluster of blocks of a launch.
type cluster struct {
	blocks  []block
	barrier clusters.Barrier
	waits   []*thread // at the barrier
}

// checkCluster returns what is wrong with the size of the clusters of a launch; "" if nothing is.
func (l *launch) checkCluster() string {
	d := l.options.clusterDim.list()
	for _, n := range append(d[:], l.options.clusterDim.size()) {
		if n < 1 || n > clusters.MaxBlocks {
			return fmt.Sprintf("gpu: launch with clusters of %d blocks: want 1 to %d", n, clusters.MaxBlocks)
		}
	}
	for i, blocks := range l.gridDim.list() {
		if blocks%d[i] != 0 {
			return fmt.Sprintf("gpu: launch of %d blocks along %c, which clusters of %d do not divide", blocks, "xyz"[i], d[i])
		}
	}
	return ""
}

// placeOf returns the index of a block along each dimension. Blocks are numbered cluster by cluster.
func (l *launch) placeOf(block int) [3]int {
	c, g := l.clusterDim, l.gridDim
	of := Dim{g.X / c.X, g.Y / c.Y, g.Z / c.Z}
	in, at := c.at(block%c.size()), of.at(block/c.size())
	return [3]int{at[0]*c.X + in[0], at[1]*c.Y + in[1], at[2]*c.Z + in[2]}
}

// numberOf returns the number of a block along x first, then y, then z, as faults have it.
func (l *launch) numberOf(block int) int {
	at := l.placeOf(block)
	return at[0] + l.gridDim.X*(at[1]+l.gridDim.Y*at[2])
}

// join makes the blocks of each cluster one.
func (l *launch) join() {
	n := l.clusterDim.size()
	all := make([]cluster, len(l.blocks)/n)
	for i := range l.blocks {
		c := &all[i/n]
		if l.blocks[i].cluster = c; i%n == 0 {
			c.blocks = l.blocks[i : i+n]
			c.barrier.Start(n * len(l.blocks[i].warps))
		}
	}
}

// cluster arrives at the barrier of the cluster, or waits for it, with the lanes of the warp.
func (th *thread) cluster(wait bool) {
	kind := warpArriveCluster
	if wait {
		kind = warpWaitCluster
	}
	th.warp(kind, FullMask, 0, 0)
}

// atCluster counts a warp whose lanes have all come, and resumes the threads that may continue.
func (b *block) atCluster(l *launch, kind warpKind, lanes []*thread) {
	c, warp := b.cluster, b.place(lanes[0])
	if kind == warpArriveCluster {
		if why := c.barrier.Arrive(warp); why != "" {
			l.err = lanes[0].clusterFault("ArriveCluster", why)
			return
		}
		b.goOn(lanes)
		c.open(l)
		return
	}
	goes, why := c.barrier.Wait(warp)
	switch {
	case why != "":
		l.err = lanes[0].clusterFault("WaitCluster", why)
	case goes:
		b.goOn(lanes)
	default:
		c.waits = append(c.waits, lanes...)
	}
}

// place returns the number of a thread's warp at the barrier of the cluster.
func (b *block) place(th *thread) int {
	return b.index%len(b.cluster.blocks)*len(b.warps) + int(th.idx/WarpSize)
}

// clusterFault returns the fault of a thread that misuses the barrier. It has no position yet.
func (th *thread) clusterFault(name, why string) *Fault {
	return &Fault{What: name + ", and " + why, Block: th.l.numberOf(th.b.index), Thread: int(th.idx), GridDim: th.l.gridDim, BlockDim: th.l.blockDim}
}

// open opens the barrier if all have come that it waits for.
func (c *cluster) open(l *launch) {
	each := len(c.blocks[0].warps)
	if !c.barrier.Open(func(warp int) bool { return c.blocks[warp/each].warps[warp%each].live != 0 }) {
		return
	}
	l.passed = true
	for i, th := range c.waits {
		if warp := th.b.place(th); i == 0 || c.waits[i-1].b.place(c.waits[i-1]) != warp { // lanes of a warp follow each other
			_, _ = c.barrier.Wait(warp) // it goes on
		}
		th.resume(0)
		th.b.waiting--
	}
	c.waits = c.waits[:0]
}

// stuckThreads returns the threads that wait for each other when the block is stuck: its own, or those of its cluster.
func (b *block) stuckThreads(l *launch) []thread {
	if !b.atGate() {
		return b.threads
	}
	first := b.index - b.index%len(b.cluster.blocks)
	return l.threads[first*l.block : (first+len(b.cluster.blocks))*l.block]
}

// atGate reports whether a thread of the block waits at the barrier of the cluster.
func (b *block) atGate() bool {
	for _, th := range b.cluster.waits {
		if th.b == b {
			return true
		}
	}
	return false
}

// stuck reports whether no thread of the cluster can continue.
func (c *cluster) stuck() bool {
	for i := range c.blocks {
		if b := &c.blocks[i]; b.waiting < b.live {
			return false
		}
	}
	return true
}

// mapShared returns the place of what pointer points to, in a shared variable of the thread's block, in another block of the cluster.
func (th *thread) mapShared(pointer any, rank uint32) any {
	typ := reflect.TypeOf(pointer).Elem()
	return reflect.NewAt(typ, th.mapped(reflect.ValueOf(pointer).UnsafePointer(), rank)).Interface()
}

func (th *thread) mapped(p unsafe.Pointer, rank uint32) unsafe.Pointer {
	return th.placeIn(th.other(rank, "MapShared"), p, "MapShared")
}

// other returns the block of the cluster with a rank, whose shared memory the thread uses by a function of some name.
func (th *thread) other(rank uint32, name string) *block {
	c := th.b.cluster
	if rank >= uint32(len(c.blocks)) {
		panic(misuse(fmt.Sprintf("%s to block %d of a cluster, which has %d", name, rank, len(c.blocks))))
	}
	to := &c.blocks[rank]
	if to.live == 0 {
		panic(misuse(fmt.Sprintf("%s to block %d of the cluster, all of whose threads have left: a block must stay until others no longer use its shared memory", name, rank)))
	}
	return to
}

// placeIn returns the place of p, which points into a shared variable of the thread's block, in another block of the cluster.
func (th *thread) placeIn(to *block, p unsafe.Pointer, name string) unsafe.Pointer {
	own := th.b
	if n := len(own.dynamic); n > 0 {
		if off := uintptr(p) - uintptr(unsafe.Pointer(&own.dynamic[0])); off < uintptr(n) {
			return unsafe.Pointer(&to.threads[0].dynamic()[off])
		}
	}
	for i, v := range own.shared {
		if v == nil {
			continue
		}
		at := reflect.ValueOf(v)
		if off := uintptr(p) - at.Pointer(); off < at.Type().Elem().Size() {
			return unsafe.Add(reflect.ValueOf(to.variable(th.l, i)).UnsafePointer(), off)
		}
	}
	panic(misuse(name + " of a pointer that is not into a variable of Shared or DynamicShared"))
}

// has reports whether p points into shared memory of the block.
func (b *block) has(p unsafe.Pointer) bool {
	if n := len(b.dynamic); n > 0 && uintptr(p)-uintptr(unsafe.Pointer(&b.dynamic[0])) < uintptr(n) {
		return true
	}
	for _, v := range b.shared {
		if v == nil {
			continue
		}
		if at := reflect.ValueOf(v); uintptr(p)-at.Pointer() < at.Type().Elem().Size() {
			return true
		}
	}
	return false
}

// ownerOf returns the block of the thread's cluster into whose shared memory p points; nil if it points into none.
func (th *thread) ownerOf(p unsafe.Pointer) *block {
	for i := range th.b.cluster.blocks {
		if b := &th.b.cluster.blocks[i]; b.has(p) {
			return b
		}
	}
	return nil
}
