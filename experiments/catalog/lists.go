package catalog

import (
	"strings"

	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Algorithm is an algorithm by name.
type Algorithm struct {
	Name  string        // "bfs"
	Doc   string        // one line
	Type  string        // the Go type as the compiler finds it: "kernels.BFS"
	Value string        // of a vertex on the device: "uint32"
	Pull  bool          // gathers along incoming arcs, where the others push along outgoing ones
	Host  *kernels.Host // checks and converts answers; nil for a user's algorithm
	User  string        // the directory that a user's algorithm comes from; "" for ours
}

// HasSource says that the algorithm starts from a vertex that the user names.
// Nobody knows that of a user's algorithm, so it may.
func (a Algorithm) HasSource() bool { return a.Host == nil || a.Host.Source }

// HasWeights says that the algorithm looks at weights. Nobody knows that of a
// user's algorithm, so it may.
func (a Algorithm) HasWeights() bool { return a.Host == nil || a.Host.Weighted }

// Scheduler is a scheme by name.
type Scheduler struct {
	Name    string // "warp"
	Doc     string // one line
	Mapping string // the Go type that maps vertices to threads: "scheduler.WarpPerVertex"
	Team    scheduler.Team
	// Kernel is the entry point of a scheme that is written for one algorithm
	// only, which is Only; both empty for the generic ones.
	Kernel, Only string
}

var algorithms = []Algorithm{
	{Name: "bfs", Doc: "breadth-first search: levels from a source", Type: "kernels.BFS", Value: "uint32", Host: &kernels.BFSHost},
	{Name: "cc", Doc: "connected components of the symmetric closure, by label propagation", Type: "kernels.CC", Value: "uint32", Host: &kernels.CCHost},
	{Name: "pagerank", Doc: "PageRank, pushing residuals", Type: "kernels.PageRank", Value: "float32", Host: &kernels.PageRankHost},
	{Name: "pagerank-pull", Doc: "PageRank, pulling the shares of all in-neighbours", Type: "kernels.PageRankPull", Value: "float32", Pull: true, Host: &kernels.PageRankPullHost},
	{Name: "sssp", Doc: "single-source shortest paths, Bellman-Ford with a frontier", Type: "kernels.SSSP", Value: "uint32", Host: &kernels.SSSPHost},
}

var schedulers = []Scheduler{
	{Name: "block", Doc: "bulk-synchronous, a block a vertex", Mapping: "scheduler.BlockPerVertex", Team: scheduler.OneBlock},
	{Name: "block-queue", Doc: "bulk-synchronous, a thread a vertex, a queue in each block's shared memory (bfs only)",
		Mapping: "scheduler.ThreadPerVertex", Team: scheduler.OneThread, Kernel: "kernels.BFSBlockQueue", Only: "bfs"},
	{Name: "thread", Doc: "bulk-synchronous, a thread a vertex", Mapping: "scheduler.ThreadPerVertex", Team: scheduler.OneThread},
	{Name: "warp", Doc: "bulk-synchronous, a warp a vertex", Mapping: "scheduler.WarpPerVertex", Team: scheduler.OneWarp},
}

// Algorithms lists our algorithms, by name.
func Algorithms() []Algorithm { return append([]Algorithm(nil), algorithms...) }

// Schedulers lists the schemes, by name.
func Schedulers() []Scheduler { return append([]Scheduler(nil), schedulers...) }

// Entry is an algorithm under a scheme.
type Entry struct {
	Algorithm Algorithm
	Scheduler Scheduler
	Init      string // entry point that gives vertices their first values
	Kernel    string // entry point of an iteration
}

// Name is "bfs/warp".
func (e Entry) Name() string { return e.Algorithm.Name + "/" + e.Scheduler.Name }

// Entries lists all pairs of our algorithms with a scheme that runs them.
func Entries() []Entry {
	var entries []Entry
	for _, a := range algorithms {
		for _, s := range schedulers {
			if s.Only == "" || s.Only == a.Name {
				entries = append(entries, pair(a, s))
			}
		}
	}
	return entries
}

// pair names the entry points of a and s: package kernels has a variable for
// each pair of ours.
func pair(a Algorithm, s Scheduler) Entry {
	e := Entry{Algorithm: a, Scheduler: s, Kernel: s.Kernel}
	if a.User == "" {
		e.Init = a.Type + "Init"
		if e.Kernel == "" {
			e.Kernel = a.Type + strings.TrimSuffix(strings.TrimPrefix(s.Mapping, "scheduler."), "PerVertex")
		}
		return e
	}
	e.Init = "bsp.Init[" + a.Type + ", " + a.Value + "]"
	e.Kernel = Instance(a, s)
	return e
}

// Instance is the instantiation that runs an iteration of a under s, as the
// compiler takes it: "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]".
func Instance(a Algorithm, s Scheduler) string {
	generic := "bsp.Push"
	if a.Pull {
		generic = "bsp.Pull"
	}
	return generic + "[" + a.Type + ", " + s.Mapping + ", " + a.Value + "]"
}
