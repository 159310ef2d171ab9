package choice

import (
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// Rule is a row of the list by which schemes are chosen.
type Rule struct {
	// If says in words when the rule holds, for an algorithm that the scheme takes with these parameters.
	If    string
	holds func(a scheduler.Type, g graph.Shape) bool
	// Group reports whether the rule is for several GPUs. The others are for one.
	Group bool
	// Scheme is the name of the scheme; "" for the first of Weft's schemes, by name, that takes the algorithm.
	Scheme string
	Params map[string]string // those that differ from their defaults
	// Evidence says what was measured: times on an H200 until the answer is complete in device memory.
	Evidence string
}

// The numbers of the conditions.
const (
	skewed      = 1         // variation of the degrees: the standard deviation is larger than the mean
	nearFarArcs = 3_000_000 // with fewer, the barriers of near-far take longer than what it saves
	someArcs    = 1_000_000 // pulling saves most of them in the largest iterations
	manyArcs    = 8_000_000 // iterations of that many arcs fill a large GPU, and pulling saves most of them
	fewLevels   = 10        // there are few barriers to save
	smallSize   = 4000      // vertices per level, which do not fill a large GPU

	pivotSize  = 10_000 // vertices per level; on smaller ones searches take longer than signatures
	roadDegree = 4      // of road maps and grids, of which a level is one load after the other
)

// listLevels is how many levels a search has at most in which looking at all vertices costs less than keeping lists of them.
const listLevels = 16

// The conditions. A search starts from one vertex and pushes.
func searches(a scheduler.Type) bool { return a.Source && a.Pushes() == nil && !a.Speculates() }

func addsUp(a scheduler.Type) bool {
	return a.Pushes() == nil && a.Pulls() == nil && a.OwnTake() && !a.Phased
}

func large(g graph.Shape) bool { return g.Arcs >= manyArcs }

func uneven(g graph.Shape) bool { return g.DegreeVariation > skewed }

// SmallLevels says in words when a search has many levels that do not fill a large GPU, so that the barriers between them
// take most of the time.
const SmallLevels = "more than 10 levels, of at most 4,000 vertices on average, and degrees that do not vary much"

func smallLevels(g graph.Shape) bool {
	return g.Levels > fewLevels && g.LevelSize <= smallSize && !uneven(g)
}

// rules is the list. The first rule that holds decides.
var rules = []Rule{
	{
		If:     "the answer is one value for each component (Spreads)",
		holds:  func(a scheduler.Type, _ graph.Shape) bool { return a.Spreads },
		Scheme: "union-find",
		Evidence: "cc: 0.096 ms on USA-road-d.NY, simdx 3.4, atos 6.5; 0.24 on a grid of 1,400 x 1,400, simdx 71; 0.20 on R-MAT of scale 20, simdx 1.5; " +
			"the fastest of all schemes on all 18 graphs of results/pairs",
	},
	{
		If: "a search (it starts from one vertex and pushes) in which the first iteration that reaches a vertex gives it its value (Reaches), unless levels are small and degrees are less than 4 on average",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return searches(a) && a.Reaches && !(smallLevels(g) && g.MeanDegree < roadDegree)
		},
		Scheme: "bitmap",
		Evidence: "bfs, medians of 64 or 16 random start vertices: 0.34 ms on cnr-2000, simdx 0.62, atos 1.4; 0.15 on coAuthorsDBLP, simdx 0.25; 0.21 on web-NotreDame, simdx 0.51; 0.16 on R-MAT of scale 20, simdx 0.29; 0.26 of scale 22, simdx 0.50; " +
			"0.16 on uniform of 1 M vertices, simdx 0.26; 1.8 of 16 M, simdx 3.1; 0.20 on a small world of 1 M, simdx 0.29; 0.63 on rgg_n_2_15_s0, with 64 blocks simdx 0.72; 0.53 on delaunay_n16, simdx 0.54; but 2.5 on USA-road-d.NY, 1.9; " +
			"10.4 on a grid of 1,400 x 1,400, 8.7; 3.4 on luxembourg_osm, 3.0; parents: 0.22 on coAuthorsDBLP, simdx 0.36; 0.51 on cnr-2000, 0.73",
	},
	{
		If:       "a search, and small levels",
		holds:    func(a scheduler.Type, g graph.Shape) bool { return searches(a) && smallLevels(g) },
		Scheme:   "simdx",
		Params:   map[string]string{"blocks": "64"},
		Evidence: "bfs: 1.51 ms on USA-road-d.NY with 64 blocks, 1.87 with all, atos 1.79, hierq 2.9 to 5.2, warp 6.0; 11.4 on the grid, atos 12.5; sssp: 3.7 on USA-road-d.NY with 132, atos 7.3",
	},
	{
		If: "a search that can be pulled as well, on at least a million arcs",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return searches(a) && g.Arcs >= someArcs && a.Pulls() == nil && !a.Phased
		},
		Scheme: "simdx",
		Params: map[string]string{"fusion": "all", "pull-above": "0.1"},
		Evidence: "bfs, medians of 64 or 16 random start vertices: 0.28 ms on coAuthorsDBLP, atos 0.37; 0.19 on soc-Slashdot0902, atos 0.20; 0.28 on uniform of 1 M vertices, push-pull 0.37; " +
			"0.29 on a small world of 1 M, push-pull 0.36; 0.61 on cnr-2000 with 512 threads per block, atos 1.37, but from the vertex of largest degree atos takes 0.40 there; " +
			"0.52 on web-NotreDame, atos 0.41; 0.31 on R-MAT of scale 20, and 3.1 on uniform of 16 M vertices",
	},
	{
		If: "a search with weights and phases, on at least 3 million arcs and at most 16 levels",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return searches(a) && a.Weighted && a.Phased && g.Arcs >= nearFarArcs && g.Levels <= listLevels
		},
		Scheme: "near-far",
		Evidence: "sssp: 2.2 ms on R-MAT of scale 22, simdx 2.7; 4.5 on uniform of 8 M vertices, 8.4; 4.2 on a small world of 8 M, 9.8; 0.66 on R-MAT of scale 20, 0.93; 0.31 of scale 18, 0.58, atos 0.61; 0.66 on uniform of 1 M vertices, simdx 0.72; " +
			"0.83 on a small world of 1 M, 1.65; but 1.5 on cnr-2000, atos 0.97; 1.03 on web-NotreDame, atos 0.53; 0.30 on uniform of 100,000, simdx 0.24; 20.6 on a grid of 1,000 x 1,000, simdx 10.4",
	},
	{
		If:     "a search on degrees that vary much, and on fewer than 8 million arcs",
		holds:  func(a scheduler.Type, g graph.Shape) bool { return searches(a) && uneven(g) && !large(g) },
		Scheme: "atos",
		Evidence: "bfs: 0.14 ms on email-Enron, block 0.21, simdx 0.28; " +
			"sssp: 0.92 on cnr-2000, simdx 1.5; 0.53 on web-NotreDame, block 1.18, simdx 1.29; sswp: 0.63 on cnr-2000, simdx 1.07",
	},
	{
		If:     "speculative, on degrees that vary much",
		holds:  func(a scheduler.Type, g graph.Shape) bool { return a.Speculates() && uneven(g) },
		Scheme: "atos",
		Evidence: "colouring: 7.3 ms on R-MAT of scale 20, simdx 18; 0.36 on wiki-Vote, block 0.73, simdx 0.89; 0.50 on email-Enron, warp 0.95, simdx 1.04; " +
			"but 1.9 on coAuthorsDBLP, simdx 1.7",
	},
	{
		If:     "adds updates up, and can be both pushed and pulled",
		holds:  func(a scheduler.Type, _ graph.Shape) bool { return addsUp(a) },
		Scheme: "simdx",
		Params: map[string]string{"direction": "pull"},
		Evidence: "pagerank: 0.68 ms on USA-road-d.NY, vwc 1.33; 2.3 on the grid, vwc 6.2; 3.8 on uniform of 1 M vertices, vwc 5.0; 4.5 on cnr-2000; " +
			"pushed and pulled in turn 3.6 on USA-road-d.NY and 5.8 on cnr-2000",
	},
	{
		If:       "the answer is the number of triangles of each vertex (Triangles)",
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return a.Triangles },
		Scheme:   "oriented",
		Evidence: "tc: 23 ms on R-MAT of scale 20, block 1,270; 0.57 on web-NotreDame, block 9.0; 0.45 on a grid of 1,400 x 1,400, block 1.9; 0.12 on USA-road-d.NY, block 0.30; 3.5 on uniform of 1 M vertices, block 9.5",
	},
	{
		If:       "looks at the neighbors of both ends of an arc (Edge.Common), so that work grows faster than degrees",
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return a.Neighbors },
		Scheme:   "block",
		Evidence: "simulated H100, tc: 0.67 ms on R-MAT of scale 12 by block, warp 2.1, vwc 4.3, thread 9.8, simdx more than 4.3; 0.166 on uniform of 20,000 vertices, thread 0.174",
	},
	{
		If:     "has levels and goes back through them (Levels), on at least 8 million arcs and at most 16 levels",
		holds:  func(a scheduler.Type, g graph.Shape) bool { return a.Levels && large(g) && g.Levels <= listLevels },
		Scheme: "simdx",
		Params: map[string]string{"level-lists": "false"},
		Evidence: "bc, medians of 32 random start vertices: 1.27 ms on R-MAT of scale 20, with lists of levels 1.76; 2.6 on R-MAT of scale 22, 4.1; 1.43 on uniform of 1 M vertices, 1.68; 0.93 on a small world of 1 M, 1.10; " +
			"but 1.50 on web-NotreDame, 0.96, and on smaller graphs: 0.52 on R-MAT of scale 18, 0.47",
	},
	{
		If: "the answer is a vertex of the strongly connected component of each vertex (Strong), and there are more than 10 levels, of at most 10,000 vertices on average",
		holds: func(a scheduler.Type, g graph.Shape) bool {
			return a.Strong && g.Levels > fewLevels && g.LevelSize <= pivotSize
		},
		Scheme: "forward-backward",
		Params: map[string]string{"pivot": "never"},
		Evidence: "scc, medians of 16 runs: 1.11 ms on cnr-2000, with searches 1.39, simdx 4.1; 0.75 on web-NotreDame, 0.84, 3.1; 1.48 on USA-road-d.NY, 2.1, 4.0; 1.49 on a grid of 1,400 x 1,400, 14, 23; " +
			"1.44 on luxembourg_osm, 3.1, 8.3; 0.30 on rgg_n_2_15_s0, 0.75, 2.0",
	},
	{
		If:     "the answer is a vertex of the strongly connected component of each vertex (Strong)",
		holds:  func(a scheduler.Type, _ graph.Shape) bool { return a.Strong },
		Scheme: "forward-backward",
		Evidence: "scc, medians of 16 runs: 0.38 ms on uniform of 1 M vertices, simdx 2.2; 0.29 on R-MAT of scale 20, simdx 2.0; 0.17 on R-MAT of scale 16, simdx 0.60; 0.33 on a small world of 1 M, simdx 2.2; " +
			"0.27 on coAuthorsDBLP, simdx 1.0; 0.60 on uniform of 1 M vertices and 2 M arcs, without searches 0.78, simdx 2.5",
	},
	{
		If:     "otherwise",
		holds:  func(scheduler.Type, graph.Shape) bool { return true },
		Scheme: "simdx",
		Evidence: "kcore: 0.41 ms on USA-road-d.NY, hierq 1.0; 9.8 on R-MAT of scale 20, block 16; " +
			"pagerank-pull: 0.50 on luxembourg_osm, thread 0.79; 1.56 on soc-Slashdot0902, warp 2.41; heat, circuit, nn, bp: fastest on most of 12 graphs, at most 1.5 times behind",
	},
	{
		If:       "otherwise, if simdx does not take the algorithm",
		holds:    func(scheduler.Type, graph.Shape) bool { return true },
		Evidence: "none",
	},
	{
		If:       "on several GPUs, the answer is one value for each component (Spreads)",
		Group:    true,
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return a.Spreads },
		Scheme:   "union-find",
		Evidence: "two simulated H200: cc on uniform of 500,000 vertices: 0.16 ms, with a launch for each step 0.33, multi 1.12; but 0.14 and 0.12 on a grid of 490,000, 0.20 and 0.13 on uniform of 300,000 and 600,000 arcs",
	},
	{
		If:       "on several GPUs, a search in which the first iteration that reaches a vertex gives it its value (Reaches)",
		Group:    true,
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return searches(a) && a.Reaches },
		Scheme:   "bitmap",
		Evidence: "kernels of two H200, links awake: bfs from 16 vertices on R-MAT of scale 22 0.29 ms, on uniform of 8 M vertices 0.55; multi with loop=device, links asleep at the start, 0.78 and 1.27",
	},
	{
		If:       "on several GPUs, a search with weights",
		Group:    true,
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return searches(a) && a.Weighted },
		Scheme:   "near-far",
		Evidence: "two H200: sssp on uniform of 8 M vertices 2.4 ms, multi with loop=device 21.7; simulated on uniform of 60,000 0.32, 0.49, atos 0.87",
	},
	{
		If:       "on several GPUs, a search that needs no phases",
		Group:    true,
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return searches(a) && a.Unphased() == nil },
		Scheme:   "multi",
		Params:   map[string]string{"loop": "device"},
		Evidence: "two H100: bfs on R-MAT of scale 20: 0.84 ms, 4.87 with loop=host",
	},
	{
		If:       "on several GPUs, adds updates up, and can be both pushed and pulled",
		Group:    true,
		holds:    func(a scheduler.Type, _ graph.Shape) bool { return addsUp(a) },
		Scheme:   "multi",
		Params:   map[string]string{"loop": "device", "direction": "pull", "exchange": "all", "useful": "false"},
		Evidence: "two H200: pagerank on R-MAT of scale 22: 39 ms, 43 with 512 threads per block, 41 with exchange=ms, 230 with loop=host; on uniform of 8 M vertices 19, 23 with exchange=ms",
	},
	{
		If:       "otherwise, on several GPUs",
		Group:    true,
		holds:    func(scheduler.Type, graph.Shape) bool { return true },
		Scheme:   "multi",
		Evidence: "no other scheme runs the rest on several GPUs",
	},
}

// AnyScheme is the Scheme of a rule that names none, in words.
const AnyScheme = "the first, by name, that takes the algorithm"

// Rules returns the list, in order.
func Rules() []Rule { return append([]Rule(nil), rules...) }
