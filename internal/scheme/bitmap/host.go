//go:build !kernel

package bitmap

import (
	"cmp"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of the parameter direction.
const (
	auto = "auto"
	push = "push"
)

// The quantities of a step, besides those of every scheme with a frontier.
const (
	arcs       = "arcs"
	iterations = "iterations"
	pulls      = "pulls"
	aloneOnes  = "one-block-iterations"
	start      = "start-cycles"
)

// mostThreads is the largest block, for which the kernel is built: see its comment //weft:block. With fewer registers than that leaves, thin frontiers take longer; with smaller
// blocks, wide ones.
const mostThreads = 768

// New returns the scheme. It accepts searches in which the first iteration that reaches a vertex gives it its value.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:    "bitmap",
		Doc:     "a search in one kernel, by bitmaps of the vertices that were reached: pushes by equal parts of arcs, pulls whose lanes take the vertices that were not reached",
		Sources: []gpu.Package{Sources},
		Params: append(append(append(shapeParams(), searchParams()...),
			scheduler.Param{Name: "history", Type: scheduler.IntParam, Unit: "iteration", Default: "0", Max: 1 << 24,
				Doc: "first iterations of which the kernel records frontier, direction and cycles; the result has them as series"},
			scheduler.MaxIterationsParam()), scheduler.PartitionParams()...),
		Quantities: append(scheduler.FrontierQuantities(),
			scheduler.Quantity{Name: arcs, Unit: "arc", Doc: "arcs of the vertices processed"},
			scheduler.Quantity{Name: iterations, Unit: "iteration", Doc: "iterations of the launch; frontier, arcs and pulls are sums over them"},
			scheduler.Quantity{Name: pulls, Unit: "iteration", Doc: "iterations that pulled"},
			scheduler.Quantity{Name: aloneOnes, Unit: "iteration", Doc: "iterations that one block ran alone"},
			scheduler.Quantity{Name: start, Unit: "cycle", Doc: "before the first iteration, on the SM of the first block: the first values, and on several GPUs until all have begun"}),
		WholeRows:  true,
		Groups:     true,
		TakesGroup: takesGroup,
		Remote: map[string]scheduler.Cause{"inbox": scheduler.ForValues, "values": scheduler.ForValues, "first": scheduler.ForFrontier, "second": scheduler.ForFrontier,
			"heard": scheduler.ForCounters, scheduler.GroupBarrierWords: scheduler.ForBarriers},
		Takes: takes,
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			return []scheduler.EntryPoint{entryPoint(a), groupEntryPoint(a)}
		},
		Run: run,
	}
}

// shapeParams are the parameters of a launch.
func shapeParams() []scheduler.Param {
	return []scheduler.Param{
		{Name: "block", Type: scheduler.IntParam, Unit: "thread", Default: "0", Min: 0, Max: mostThreads, Multiple: gpu.WarpSize,
			Doc: fmt.Sprintf("threads per block; 0: %d, or half of that, and so on, until a block fits on an SM", mostThreads)},
		{Name: "blocks", Type: scheduler.IntParam, Unit: "block", Default: "0", Max: 1 << 20, Doc: "most blocks; 0: one on each SM"},
	}
}

// searchParams are the parameters of searches, by which every scheme of this package finds vertices.
func searchParams() []scheduler.Param {
	return []scheduler.Param{
		{Name: "direction", Type: scheduler.WordParam, Words: []string{auto, push}, Default: auto,
			Doc: "push: along outgoing arcs alone; auto: iterations whose frontier is large pull along incoming ones"},
		{Name: "pull-above", Type: scheduler.FloatParam, Default: "0.2", Max: 1,
			Doc: "part of the arcs of vertices that were not reached; direction=auto pulls a frontier with more arcs"},
		{Name: "push-below", Type: scheduler.FloatParam, Default: "0.02", Max: 1,
			Doc: "part of all vertices; after a pull, direction=auto pushes a frontier with fewer, unless pull-above holds"},
		{Name: "rest", Type: scheduler.IntParam, Unit: "arc", Default: "512", Max: 1 << 20,
			Doc: "direction=auto: arcs that a warp looks at in a pull for its 32 vertices, besides the first few of each; if they have more, all warps share these"},
		{Name: "one-block", Type: scheduler.IntParam, Unit: "piece", Default: "256", Max: 4096,
			Doc: fmt.Sprintf("largest frontier that one block pushes alone, without a barrier of all blocks, if it has at most %d arcs for each of these, or %d on several GPUs, of which each has a part; 0: none", aloneArcs, groupArcs*aloneArcs)},
		{Name: "stage", Type: scheduler.IntParam, Unit: "piece", Default: "1024", Max: 1 << 13,
			Doc: fmt.Sprintf("pieces of the next frontier, of up to %d arcs of a vertex, that a block keeps in shared memory, as far as there is room", PieceArcs)},
	}
}

// takes says why the scheme does not run an algorithm.
func takes(a scheduler.Type, p scheduler.Values) error {
	switch {
	case !a.Reaches:
		return fmt.Errorf("%s has no method Reaches that returns true: a vertex may get another value after the first iteration that reaches it", a.Name)
	case a.Consumes() || a.Turns():
		return fmt.Errorf("%s has a method Take or Turn that changes values, and Reaches, by which they are final", a.Name)
	}
	if err := a.Unphased(); err != nil {
		return err
	}
	return cmp.Or(a.Pushes(), scheduler.CheckPartition(p))
}

// takesGroup says why several GPUs do not run an algorithm.
func takesGroup(a scheduler.Type, _ scheduler.Values) error {
	if a.Neighbors {
		return fmt.Errorf("%s looks at the neighbors of both ends of an arc (Edge.Common), and a GPU of several has a part of each row", a.Name)
	}
	return nil
}

// entryPoint returns the kernel for an algorithm.
func entryPoint(a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("bitmap.Search[%s, %s]", a.Name, a.Value), What: "a whole search"}
}

// groupEntryPoint returns the kernel for an algorithm on several GPUs.
func groupEntryPoint(a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("bitmap.SearchGroup[%s, %s]", a.Name, a.Value), What: "a whole search, on one of several GPUs"}
}
