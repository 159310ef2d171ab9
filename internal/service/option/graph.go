package option

import (
	"github.com/weft-gpu/weft/graph"
)

// These options say which graph is loaded, and how.
var (
	Graph = declare(Option{
		Name: "graph", Kind: Text, Names: GraphNames, Key: "graph", Value: "GRAPH", Default: graph.DemoName,
		Help: `file, generator or demo; "weft graph --help"`,
	})

	Graphs = declare(Option{
		Name: "graph", Kind: Each, Names: GraphNames, Value: "GRAPH", Default: []string{"grid:width=400,keep=0.9,seed=1", "rmat:scale=16,degree=16,seed=1"},
		Help: `file or generator; may be repeated; "weft graph --help"`,
		Own: map[string]Form{
			"sweep": {Default: []string(nil), Help: `a graph; may be repeated; "weft graph --help"`},
		},
	})

	GraphFolder = declare(Option{
		Name: "graphs", Kind: Text, Names: FolderNames, Value: "FOLDER",
		Help: "with --all, --counters and --times: a folder of graph files",
		Own: map[string]Form{
			"record": {Help: "folder of graph files (default only the demo graph)"},
			"sweep":  {Help: "folder of the graph files that are named without a folder"},
		},
	})

	MaxArcs = declare(Option{
		Name: "max-arcs", Kind: Whole, Limits: atLeast(1), Value: "N", Default: 1_000_000,
		Help: "with --all, --counters and --times: leave out graphs with more arcs",
	})

	Symmetrize = declare(Option{
		Name: "symmetrize", Kind: Switch, Key: "symmetrize",
		Help: "add the opposite of every arc that lacks it",
	})

	DropIsolated = declare(Option{
		Name: "drop-isolated", Kind: Switch, Key: "drop-isolated",
		Help: "drop vertices without arcs",
	})

	Permute = declare(Option{
		Name: "permute", Kind: Natural, Key: "permute", Value: "SEED",
		Help: "renumber the vertices at random, with this seed; 0 keeps their order",
	})

	Power = declare(Option{
		Name: "power", Kind: Whole, Limits: from(1, graph.MaxPower), Key: "power", Value: "P", Default: 1,
		Help: "add an arc for every path of at most P arcs, up to 4; weights are numbers of arcs",
	})

	GraphFormat = declare(Option{
		Name: "format", Kind: Text, Key: "format", Value: "FORMAT",
		Help: "format of the file, if content and name do not tell: mtx, snap, dimacs, metis",
	})

	Weights = declare(Option{
		Name: "weights", Kind: Text, Key: "weights", Value: "NAME",
		Help: "where arc weights come from: file, hash or unit (default file if the file has weights, else hash)",
	})
)
