package main

// cases are runs with the same graph and algorithm.
type cases struct {
	table      string // bytes, times or scaling
	device     string // func, or a preset of the simulator
	graph      string // a generator's, or a file in the folder of --graphs
	algorithms []string
	gpus       []int
	exchanges  []string
	ways       []way
}

// way is how values travel.
type way struct {
	transfer string
	overlap  bool
}

var (
	exchanges = []string{"all", "ms", "vr-offline", "vr-online"}
	compared  = []string{"all", "ms", "vr-online"}
	peer      = []way{{"peer", false}}
	twoWays   = []way{{"host", false}, {"peer", false}}
	direct    = []way{{"peer", false}, {"store", false}}
	stores    = []way{{"store", false}}
	allWays   = []way{{"host", false}, {"peer", false}, {"peer", true}}
)

// plan is the experiment. Bytes do not depend on time, so the functional executor counts them. Times are those of
// the papers' GPU. R-MAT of degree 10 is RM33V335E of the slides, scaled down; the others stand for a social network, a
// web graph, a road map and a graph with few arcs per vertex.
var plan = []cases{
	{"bytes", "func", "rmat:scale=16,degree=10,seed=1", []string{"bfs", "cc", "sssp", "sswp"}, []int{2, 3, 4}, exchanges, peer},
	{"bytes", "func", "rmat:scale=13,degree=10,seed=1", []string{"pagerank", "pagerank-pull", "nn"}, []int{2, 4}, compared, peer},
	{"bytes", "func", "soc-Slashdot0902.txt.gz", []string{"bfs", "cc", "sssp", "sswp"}, []int{2, 3, 4}, compared, peer},
	{"bytes", "func", "web-NotreDame.txt.gz", []string{"bfs"}, []int{2, 4}, compared, peer},
	{"bytes", "func", "grid:width=100,keep=0.8,seed=1", []string{"bfs", "cc", "sssp", "sswp"}, []int{2, 4}, compared, peer},

	{"times", "gtx780", "rmat:scale=18,degree=10,seed=1", []string{"bfs"}, []int{2, 4}, compared, twoWays},
	{"times", "gtx780", "uniform:n=131072,degree=3,seed=1", []string{"bfs"}, []int{2, 4}, compared, allWays},
	{"times", "gtx780", "uniform:n=524288,degree=3,seed=1", []string{"bfs"}, []int{4}, compared, peer},
	{"times", "gtx780", "uniform:n=1048576,degree=3,seed=1", []string{"bfs"}, []int{4}, compared, peer},
	{"times", "gtx780", "rmat:scale=15,degree=10,seed=1", []string{"sssp"}, []int{2, 4}, compared, twoWays},
	{"times", "gtx780", "rmat:scale=13,degree=10,seed=1", []string{"pagerank-pull"}, []int{2, 4}, compared, twoWays},
	{"times", "gtx780", "grid:width=64,keep=0.9,seed=1", []string{"bfs"}, []int{2, 4}, compared, twoWays},

	{"scaling", "h200", "rmat:scale=20,degree=16,seed=1", []string{"bfs"}, []int{1}, []string{"vr-online"}, peer},
	{"scaling", "h200", "rmat:scale=20,degree=16,seed=1", []string{"bfs"}, []int{2, 4, 8}, []string{"vr-online"}, direct},
	{"scaling", "h200", "uniform:n=1048576,degree=16,seed=1", []string{"bfs"}, []int{1}, []string{"vr-online"}, peer},
	{"scaling", "h200", "uniform:n=1048576,degree=16,seed=1", []string{"bfs"}, []int{2, 4, 8}, []string{"vr-online"}, direct},
	{"scaling", "h200", "uniform:n=4194304,degree=16,seed=1", []string{"bfs"}, []int{1}, []string{"vr-online"}, peer},
	{"scaling", "h200", "uniform:n=4194304,degree=16,seed=1", []string{"bfs"}, []int{2, 4, 8}, []string{"vr-online"}, stores},
}
