package hierq

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Chain is what kernels that start each other keep in device memory ("Or use dynamic parallelism"), where a loop on the
// host would keep it. All words are 0 before the first launch.
type Chain struct {
	Words []uint32
	// Limit is the largest frontier for the kernel of one block, 0 for no such kernel; Most and Block are the largest grid
	// of the other one and its threads a block, and Last is the last iteration.
	Limit, Most, Block, Last uint32
	// Large and Small are the numbers of the kernels that may follow this one.
	Large, Small uint32
}

// The elements of Chain.Words.
const (
	ChainNext      = iota // number of the kernel that follows, and its blocks
	ChainBlocks           //
	ChainFrontier         // vertices in the frontier of the next launch
	ChainIteration        // its first iteration
	ChainEnded            // blocks of this launch that have ended
	ChainLaunches         // launches so far
	ChainCounts           // Output.Counts of the launch that runs

	ChainLog = ChainCounts + Counts // and as each launch left them
)

// PushNested is [Push] as a kernel that starts the next one.
func PushNested[A scheduler.Algorithm[V], L Levels, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out Output, shape Shape, c Chain) {
	in.Count, out.Iteration = c.begin(in.Count, out.Iteration)
	Push[A, L, V](t, alg, g, values, in, out, shape)
	c.end(t, out)
}

// PushSmallNested is [PushSmall] as a kernel that starts the next one: that of one block again, or the grid
// when the frontier has become too large ("to launch Kernel 2 from Kernel 1").
func PushSmallNested[A scheduler.Algorithm[V], L Levels, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out Output, shape Shape, c Chain) {
	in.Count, out.Iteration = c.begin(in.Count, out.Iteration)
	PushSmall[A, L, V](t, alg, g, values, in, out, shape, c.Limit, c.Last-out.Iteration+1)
	c.end(t, out)
}

// begin returns the size of the frontier and the first iteration of a launch: those that the host gave, or else, since a kernel
// started it, those that the launch before it left.
func (c Chain) begin(frontier, iteration uint32) (uint32, uint32) {
	if frontier > 0 {
		return frontier, iteration
	}
	return gpu.Load(&c.Words[ChainFrontier]), gpu.Load(&c.Words[ChainIteration])
}

// end does in the last block of a grid what the loop on the host does after a launch: it notes what the launch counted, and
// starts the kernel for the frontier that the launch found.
func (c Chain) end(t gpu.Thread, out Output) {
	t.Sync()
	if t.Idx() != 0 {
		return
	}
	gpu.Fence() // what this block stored, before its arrival
	if gpu.AtomicAdd(&c.Words[ChainEnded], 1) != t.GridDim()-1 {
		return
	}
	gpu.Fence() // the arrival of the others, before what they counted
	frontier, done := gpu.Load(&out.Counts[NextCount]), max(gpu.Load(&out.Counts[IterationsCount]), 1)
	log := c.Words[ChainLog+gpu.Load(&c.Words[ChainLaunches])*Counts:]
	for i := uint32(0); i < Counts; i++ {
		log[i] = gpu.Load(&out.Counts[i])
		gpu.Store(&out.Counts[i], 0)
	}
	gpu.Store(&c.Words[ChainEnded], 0)
	gpu.Store(&c.Words[ChainLaunches], gpu.Load(&c.Words[ChainLaunches])+1)
	gpu.Store(&c.Words[ChainFrontier], frontier)
	gpu.Store(&c.Words[ChainIteration], out.Iteration+done)
	switch next := c.Words[ChainNext : ChainBlocks+1]; {
	case frontier == 0 || out.Iteration+done > c.Last:
	case frontier <= c.Limit:
		scheduler.StartNext(next, c.Small, 1)
	default:
		scheduler.StartNext(next, c.Large, min((frontier+c.Block-1)/c.Block, c.Most))
	}
}
