//go:build !kernel

package nearfar

import (
	"cmp"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// The quantities of a step, besides those of every scheme with a frontier.
const (
	arcs       = "arcs"
	iterations = "iterations"
	phases     = "phases"
	aloneOnes  = "one-block-iterations"
)

// mostThreads is the largest block, for which the kernel is built: see its comment //weft:block.
const mostThreads = 768

// New returns the scheme. It accepts searches whose vertices may be visited several times, in any order.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:    "near-far",
		Doc:     "one kernel on each of up to 8 GPUs: vertices of the phase in a near list that all GPUs visit, each along the arcs to its own vertices, and a bitmap of those that are far",
		Sources: []gpu.Package{Sources},
		Params: append([]scheduler.Param{
			{Name: "block", Type: scheduler.IntParam, Unit: "thread", Default: "0", Min: 0, Max: mostThreads, Multiple: gpu.WarpSize,
				Doc: fmt.Sprintf("threads per block; 0: %d, or half of that, and so on, until a block fits on an SM", mostThreads)},
			{Name: "blocks", Type: scheduler.IntParam, Unit: "block", Default: "0", Max: 1 << 20, Doc: "most blocks; 0: one on each SM"},
			{Name: "one-block", Type: scheduler.IntParam, Unit: "vertex", Default: "256", Max: 4096,
				Doc: fmt.Sprintf("largest near list that one block of each GPU visits alone, without a barrier of all blocks, if it has at most %d arcs for each of these, and at most %d for each place of stage; 0: none", aloneArcs, PieceWords)},
			{Name: "stage", Type: scheduler.IntParam, Unit: "piece", Default: "2048", Max: 1 << 13,
				Doc: fmt.Sprintf("parts of long rows, of up to %d arcs, that a block keeps in shared memory until all warps share them, as far as there is room", PieceArcs)},
			{Name: "history", Type: scheduler.IntParam, Unit: "iteration", Default: "0", Max: 1 << 24,
				Doc: "first iterations of which the kernel records near list, phase and cycles; the result has them as series"},
			maxIterations()}, scheduler.PartitionParams()...),
		Quantities: append(scheduler.FrontierQuantities(),
			scheduler.Quantity{Name: arcs, Unit: "arc", Doc: "arcs of the vertices processed"},
			scheduler.Quantity{Name: iterations, Unit: "iteration", Doc: "iterations of the launch; frontier and arcs are sums over them"},
			scheduler.Quantity{Name: phases, Unit: "phase", Doc: "phases of the launch: near lists that were made of vertices that were far, and the first one"},
			scheduler.Quantity{Name: aloneOnes, Unit: "iteration", Doc: "iterations that one block of each GPU ran alone"}),
		PhasesInKernel: true,
		Groups:         true,
		TakesGroup:     takesGroup,
		Remote: map[string]scheduler.Cause{"inbox": scheduler.ForValues, "heard": scheduler.ForCounters,
			scheduler.GroupBarrierWords: scheduler.ForBarriers},
		Takes:   takes,
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint { return []scheduler.EntryPoint{entryPoint(a)} },
		Run:     run,
	}
}

// maxIterations is the parameter that ends a run that does not converge.
func maxIterations() scheduler.Param {
	p := scheduler.MaxIterationsParam()
	p.Doc = "largest number of iterations of all phases; 0: the number of vertices plus 1000"
	return p
}

// takes says why the scheme does not run an algorithm.
func takes(a scheduler.Type, p scheduler.Values) error {
	if err := a.Pushes(); err != nil {
		return err
	}
	switch {
	case !a.Idempotent():
		return fmt.Errorf("%s does not have the Combine of Min or Max: vertices are visited several times, and an update that arrives twice would count twice", a.Name)
	case a.OwnTake() || a.Turns():
		return fmt.Errorf("%s has a method Take, Consumes or Turn: GPUs send each other the values of vertices", a.Name)
	case a.Neighbors:
		return fmt.Errorf("%s looks at the neighbors of both ends of an arc (Edge.Common), and a GPU of several has a part of each row", a.Name)
	case a.Phased && (a.Reverses() || a.Enters()):
		return fmt.Errorf("%s has a method Reverse or Enter, which only schemes that visit all vertices of a phase call", a.Name)
	}
	return cmp.Or(a.Unphased(), scheduler.CheckPartition(p))
}

// takesGroup says why several GPUs do not run an algorithm.
func takesGroup(a scheduler.Type, _ scheduler.Values) error {
	for _, f := range a.Fields {
		if f.Array {
			return fmt.Errorf("%s has the array %s, of which a GPU of several knows the elements of its own vertices alone", a.Name, f.Name)
		}
	}
	return nil
}

// entryPoint returns the kernel for an algorithm.
func entryPoint(a scheduler.Type) scheduler.EntryPoint {
	way := "Own"
	switch a.From["Update"] {
	case "scheduler.Min":
		way = "Least"
	case "scheduler.Max":
		way = "Most"
	}
	return scheduler.EntryPoint{Name: fmt.Sprintf("nearfar.Search[%s, nearfar.%s, %s]", a.Name, way, a.Value), What: "a whole run, on one GPU or on each of several"}
}

// check says why a graph has no room: places of the inbox, in two halves of a pair or two for each vertex, have numbers of 32 bits.
func check(g *graph.CSR, valueBytes int) error {
	most := 1<<32/(2*words(valueBytes)) - 1
	if g.Vertices() > most {
		return fmt.Errorf("graph %s has %d vertices; scheme near-far has room for %d", g.Name, g.Vertices(), most)
	}
	return nil
}

// words returns how many words of 64 bits a pair of a vertex and its value has.
func words(valueBytes int) int { return max(valueBytes/4, 1) }

// room returns how many places for parts of long rows a GPU needs with so many arcs and warps: those of all rows, what a warp leaves of a chunk when fewer than 32 places are left, and a last chunk for each.
func room(arcs, warps int) int {
	pieces := arcs / PieceArcs
	return pieces + pieces*gpu.WarpSize/(ChunkPieces-gpu.WarpSize) + (warps+1)*ChunkPieces
}
