package choice

import (
	"strings"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// Rule is a row of the list by which schemes are chosen.
type Rule struct {
	// If says in words when the rule holds, for an algorithm that the scheme takes with these parameters.
	If    string
	holds func(a scheduler.Type, g graph.Shape) bool
	// Scheme is the name of the scheme; "" for the first of Weft's schemes, by name, that takes the algorithm.
	Scheme string
	Params map[string]string // those that differ from their defaults
	// Evidence says what was measured, and where.
	Evidence string
}

// The numbers of the conditions.
const (
	shortRow   = 64   // arcs: one thread follows them while the others of its block wait
	longRow    = 400  // arcs: a warp takes so many rounds that a block is faster
	fewArcs    = 4    // per vertex
	smallLevel = 1000 // vertices, on average: the largest level then fits the queue of one block
	fewLevels  = 4    // there are no launches to save
	wordBytes  = 4
)

// SmallLevels says in words when a run from one vertex has many small levels, so that one block can process them without a
// launch for each.
const SmallLevels = "the algorithm starts from one vertex and has values of 32 bits, no degree is larger than 64, " +
	"and there are more than 4 levels, of at most 1,000 vertices on average"

func smallLevels(a scheduler.Type, g graph.Shape) bool {
	return a.Source && a.Value.Size() == wordBytes && g.MaxDegree <= shortRow && g.Levels > fewLevels && g.LevelSize <= smallLevel
}

// oneBlock are parameters of hierq with which one block processes levels of up to 4,000 vertices. Two queues of that
// length, and 768 threads of 40 registers, fit every machine, sim:tiny included.
var oneBlock = map[string]string{"levels": "block", "block-length": "4000", "one-block": "4000", "one-block-threads": "768"}

// rules is the list. The first rule that holds decides.
var rules = []Rule{
	{
		If:       "the answer is one value for each component (Spreads)",
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return a.Spreads },
		Scheme:   "union-find",
		Evidence: "other programs on an H200: ECL-CC, which hooks, takes 0.29 ms on a grid of 1,400 x 1,400 vertices, our label propagation 219 ms; 0.28 and 1.72 on cnr-2000",
	},
	{
		If: "small levels, and a vertex is visited once in an iteration (Unique)",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return smallLevels(a, g) && !strings.HasPrefix(a.From["Unique"], "scheduler.")
		},
		Scheme: "hierq",
		Params: oneBlock,
		Evidence: "bfs on USA-road-d.NY (416 levels, the largest of 1,432 vertices), H200, algorithm time: 2.93 ms with queues of 8,192 and 1,024 threads; " +
			"hierq by default 5.2, block 6.9, block-queue 7.5, warpseg 7.5, warp 8.3, vwc 9.2, wolf 14.4; " +
			"simulated H200: 2.90 with 4,000 and 768, 2.74 with 8,192 and 1,024; delaunay_n16 1.32, warp 2.64; rgg_n_2_15_s0 2.28, warp 4.53",
	},
	{
		If:     "small levels, and at most 4 arcs per vertex on average",
		holds:  func(a scheduler.Type, g graph.Shape) bool { return smallLevels(a, g) && g.MeanDegree <= fewArcs },
		Scheme: "hierq",
		Params: oneBlock,
		Evidence: "sssp on luxembourg_osm, simulated H200, algorithm time: 7.0 ms, warp 25; with more arcs a thread per vertex is slower: " +
			"on rgg_n_2_15_s0, of 10 arcs per vertex, 12.3 ms, warp 7.3",
	},
	{
		If: "cannot be pushed, and the largest degree is at most 2 for each 1,000 vertices",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return a.Pushes() != nil && 500*uint64(g.MaxDegree) <= g.Vertices
		},
		Scheme: "thread",
		Evidence: "pagerank-pull, H200, kernel time: 0.62 ms on USA-road-d.NY, warp 2.58; 0.38 and 1.08 on delaunay_n16; 2.32 and 3.89 on coAuthorsDBLP; " +
			"but 2.34 and 0.88 on ca-AstroPh, where the largest degree is 28 for each 1,000 vertices; " +
			"simulated H200, algorithm time, delaunay_n16: 1.43 ms, vwc of 2 lanes 1.50, warpseg 1.57",
	},
	{
		If:       "cannot be pushed",
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return a.Pushes() != nil },
		Scheme:   "warp",
		Evidence: "pagerank-pull, H200, kernel time: 9.0 ms on cnr-2000, block 18.0, thread 117; 1.77 on soc-Slashdot0902, block 3.21, thread 8.72",
	},
	{
		If: "starts from all vertices, at most 3 arcs per vertex on average and 32 at most",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return !a.Source && g.MeanDegree <= 3 && g.MaxDegree <= 32
		},
		Scheme:   "block-queue",
		Evidence: "USA-road-d.NY, H200, algorithm time: pagerank 3.14 ms, thread 3.77, warp 5.15, block 5.56; cc 13.5, warp 14.0, thread 14.6, block 14.9",
	},
	{
		If:     "a degree of more than 400",
		holds:  func(_ scheduler.Type, g graph.Shape) bool { return g.MaxDegree > longRow },
		Scheme: "block",
		Evidence: "H200, algorithm time: cnr-2000, bfs 1.16 ms, warp 1.38, thread 12.7; cc 2.41, warp 6.26; pagerank 4.11, warp 4.41; sssp 2.29, warp 3.19; " +
			"soc-Slashdot0902, pagerank 2.34, warp 4.80",
	},
	{
		If:       "otherwise",
		holds:    func(scheduler.Type, graph.Shape) bool { return true },
		Scheme:   "warp",
		Evidence: "H200, algorithm time: delaunay_n16, sssp 2.58 ms, block 2.98, block-queue 4.70; coAuthorsDBLP, bfs 0.56, block 0.59, block-queue 1.26",
	},
	{
		If:       "otherwise, if warp does not take the algorithm",
		holds:    func(scheduler.Type, graph.Shape) bool { return true },
		Evidence: "none: for algorithms with phases or speculation, which few schemes take",
	},
}

// AnyScheme is the Scheme of a rule that names none, in words.
const AnyScheme = "the first, by name, that takes the algorithm"

// Rules returns the list, in order.
func Rules() []Rule { return append([]Rule(nil), rules...) }
