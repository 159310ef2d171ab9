package choice

import (
	"fmt"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/scheduler"
)

// GPUs is how many GPUs of a group a rule chose for a run, and why.
type GPUs struct {
	Count  int    `json:"gpus"`
	Of     int    `json:"of"`     // the GPUs of the group
	Reason string `json:"reason"` // the rule that holds, in words
	// Bytes is an estimate of what a run needs on one GPU, and Memory what the smallest of them has; 0 if it is not known.
	Bytes    uint64 `json:"bytes_on_one"`
	Memory   uint64 `json:"memory,omitempty"`
	Evidence string `json:"evidence"`
}

// String says in one line how many GPUs were chosen.
func (g GPUs) String() string {
	return fmt.Sprintf("%d of %d, by %s: %s", g.Count, g.Of, Name, g.Reason)
}

// GPURule is a row of the list by which a number of GPUs is chosen. The first that holds decides.
type GPURule struct {
	If       string // when it holds, in words
	holds    func(a scheduler.Type, g graph.Shape) bool
	Most     int // GPUs, or as many as there are
	Evidence string
}

// From these numbers on, two GPUs were faster on all graphs that were measured.
const (
	manyVertices = 4_000_000
	divideArcs   = 100_000_000
	weightedArcs = 60_000_000
)

// gpuRules is the list for graphs that fit on one GPU.
var gpuRules = []GPURule{
	{
		If:    "adds updates up, can be both pushed and pulled, and at least 8 million arcs",
		holds: func(a scheduler.Type, g graph.Shape) bool { return addsUp(a) && large(g) },
		Most:  2,
		Evidence: "two H200 beside the fastest scheme on one: pagerank on R-MAT of scale 20 9.5 ms and 14.9, of scale 22 39 and 66, on uniform of 4 M vertices 8.4 and 13.5, of 8 M 19.2 and 33.4, " +
			"on a small world of 4 M 5.7 and 8.2, on a grid of 3,000 x 3,000 5.4 and 7.3; on three graphs of a million arcs two are slower; more than two were not measured",
	},
	{
		If:    "the answer is one value for each component (Spreads), on at least 4 million vertices",
		holds: func(a scheduler.Type, g graph.Shape) bool { return a.Spreads && g.Vertices >= manyVertices },
		Most:  2,
		Evidence: "two H200 beside one: cc on R-MAT of scale 22 0.32 ms and 0.42, of scale 23 0.53 and 0.65, on uniform of 8 M vertices 0.62 and 1.02, on a small world of 8 M 0.45 and 0.67, on a grid of 5,000 x 5,000 1.03 and 1.96, of 2,000 x 2,000 0.28 and 0.30; " +
			"but on R-MAT of scale 21 0.23 and 0.21; more than two were not measured",
	},
	{
		If: "a search with weights and phases, on at least 60 million arcs and at most 16 levels",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return searches(a) && a.Weighted && a.Phased && g.Arcs >= weightedArcs && g.Levels <= listLevels
		},
		Most:     2,
		Evidence: "two H200 beside the fastest scheme on one: sssp on R-MAT of scale 22 1.16 ms and 2.19, on uniform of 8 M vertices 2.37 and 4.48, on a small world of 8 M 2.73 and 4.16; but on a grid of 1,000 x 1,000 21.6 and 10.3; more than two were not measured",
	},
	{
		If: "a search in which the first iteration that reaches a vertex gives it its value (Reaches), on at least 100 million arcs and at most 16 levels",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return searches(a) && a.Reaches && g.Arcs >= divideArcs && g.Levels <= listLevels
		},
		Most:     2,
		Evidence: "two H200 beside one: bfs from 16 vertices on R-MAT of scale 23 0.48 ms and 0.57, on uniform of 8 M vertices 0.61 and 0.76, on a small world of 8 M 0.73 and 0.79; from one vertex of R-MAT of scale 22 0.32 and 0.30; more than two were not measured",
	},
	{
		If:    "any other run, which two GPUs do not make clearly faster",
		holds: func(scheduler.Type, graph.Shape) bool { return true },
		Most:  1,
		Evidence: "two H100 or H200 beside one: bfs on R-MAT of scale 22 0.32 ms and 0.30; cc on R-MAT of scale 20 0.20 and 0.17, on uniform of 1 M vertices 0.21 and 0.20; " +
			"kcore, scc, wcc and bc on R-MAT of scale 20 take 2.6 to 25 times as long on two",
	},
}

// GPURules returns the list, in order.
func GPURules() []GPURule { return append([]GPURule(nil), gpuRules...) }

// reserved is the part of a GPU's memory that the estimate of what a run needs may fill: the driver, queues and lists take the rest.
const reserved = 0.75

// ChooseGPUs returns how many of most GPUs a run of an algorithm on a graph of the given shape uses. directed says that the graph has other
// incoming arcs than outgoing ones. has is what a GPU has, in bytes; 0 if that is not known, so that everything fits.
func ChooseGPUs(a scheduler.Type, g graph.Shape, directed bool, most int, has uint64) GPUs {
	c := GPUs{Count: 1, Of: most, Bytes: need(a, g, directed, 1), Memory: has}
	room := uint64(reserved * float64(has))
	if has > 0 && c.Bytes > room {
		for c.Count = 2; c.Count < most && need(a, g, directed, c.Count) > room; c.Count++ {
		}
		c.Count = min(c.Count, most)
		c.Reason = fmt.Sprintf("a run needs about %s, and %.0f%% of the memory of one GPU are %s", memory.Size(c.Bytes), 100*reserved, memory.Size(room))
		c.Evidence = "arrays of rows, arcs, weights and values"
		return c
	}
	for _, r := range gpuRules {
		if r.holds(a, g) {
			c.Count = min(r.Most, most)
			c.Reason, c.Evidence = r.If, r.Evidence
			break
		}
	}
	return c
}

// perVertex is what queues, marks, lists and boxes take of each GPU for a vertex of the graph, in bytes: up to ten words.
const perVertex = 40

// need estimates the bytes of a run on each of so many GPUs: the rows and the part of the arcs, twice if an algorithm can be pulled and pushed on a directed
// graph, and for all vertices two arrays of values and what queues take.
func need(a scheduler.Type, g graph.Shape, directed bool, gpus int) uint64 {
	arc := uint64(4)
	if a.Weighted {
		arc += 4
	}
	arrays := uint64(1)
	if directed && a.Pulls() == nil && a.Pushes() == nil {
		arrays = 2
	}
	value := uint64(4)
	if a.Value != nil {
		value = uint64(a.Value.Size())
	}
	return arrays*(4*g.Vertices+arc*g.Arcs)/uint64(gpus) + (2*value+perVertex)*g.Vertices
}
