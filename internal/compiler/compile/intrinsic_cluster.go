package compile

import "github.com/weft-gpu/weft/internal/compiler/ir"

// arriveCluster lowers an arrival with release order at the barrier of a cluster: the instruction of the barrier alone orders nothing,
// and a fence makes it what barrier.cluster.arrive.release is (on an H100 ptxas makes one of it, too; results/hw/clusters).
func arriveCluster(c *icall) []leaf {
	f := c.emit(ir.OpFence, ir.Void)
	f.Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeDevice}
	return c.atCluster(ir.OpClusterArrive)
}

// atCluster emits an op on the barrier of the cluster, at which a warp comes as a whole.
func (c *icall) atCluster(op ir.Op) []leaf {
	c.emit(op, ir.Void, c.constant(ir.U32, 1<<32-1))
	return nil
}

// mapShared lowers gpu.MapShared. The address must be one of shared memory, as far as that is known.
func mapShared(c *icall) []leaf {
	a := c.pointer(1) // argument 0 is the thread
	if r := c.root(a); r != nil && r.Op != ir.OpShared {
		c.fail(c.at, "gpu.MapShared of a pointer into global memory; it is for variables of gpu.Shared")
	}
	return c.one(c.pure(ir.OpMapShared, ir.U64, ir.Void, a, c.arg(2)))
}
