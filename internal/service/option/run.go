package option

// These options say what a run of an algorithm is given.
var (
	Algorithms = declare(Option{
		Name: "algorithm", Kind: List, Names: AlgorithmNames, Value: "NAME,...", Default: []string{"bfs", "pagerank", "pagerank-pull"},
		Help: `algorithms to simulate; "weft list algorithms"`,
	})

	Scheduler = declare(Option{
		Name: "scheduler", Kind: Text, Names: SchedulerNames, Key: "scheduler", Value: "NAME", Default: "warp",
		Help: `how work is distributed; auto chooses by the graph; "weft list schedulers"`,
		Own: map[string]Form{
			"ir":  {Help: "for an algorithm: how work is distributed"},
			"ptx": {Help: "for an algorithm: how work is distributed"},
		},
	})

	Schedulers = declare(Option{
		Name: "scheduler", Kind: List, Names: SchedulerNames, Value: "NAME", Default: []string{"warp", "thread"},
		Help: `how work is distributed; auto chooses by the graph; "weft list schedulers"`,
		Own: map[string]Form{
			"sweep": {Value: "NAME,...", Default: []string(nil), Help: `schedulers to cross; "weft list schedulers"`},
		},
	})

	Source = declare(Option{
		Name: "source", Kind: Text, Key: "source", Value: "VERTEX", Default: MaxDegree,
		Help: "start vertex, if the algorithm has one: its id in the graph's file, or max-degree",
	})

	Sources = declare(Option{
		Name: "sources", Kind: Whole, Limits: atLeast(1), Value: "N",
		Help: "run from N start vertices of non-zero degree, drawn by --seed, and summarise the times; see docs/protocol.md",
	})

	Component = declare(Option{
		Name: "component", Kind: Text, Value: "NAME", Default: "any",
		Help: "with --sources or --protocol: draw start vertices from any component, or from the largest: %s",
	})

	Protocol = declare(Option{
		Name: "protocol", Kind: Text, Value: "NAME",
		Help: "run as often, and from such start vertices, as a benchmark asks for: %s; see docs/protocol.md",
	})

	Param = declare(Option{
		Name: "param", Kind: Each, Key: "param.", Value: "NAME=VALUE,...",
		Help: `parameters of the algorithm and of the scheduler: damping=0.9,block=64; see "weft list"`,
		Own: map[string]Form{
			"sweep": {Value: "NAME=VALUES", Help: "values of parameters of the algorithm and the scheduler: block=64,128,256"},
		},
	})

	BlockParam = declare(Option{
		Name: "block", Kind: Whole, Value: "N",
		Help: "short for --param block=N, threads per block",
	})

	MaxIterations = declare(Option{
		Name: "max-iterations", Kind: Whole, Value: "N",
		Help: "short for --param max-iterations=N",
	})

	NoVerify = declare(Option{
		Name: "no-verify", Kind: Switch, Key: "verify",
		Help: "do not compare the answer with the CPU reference",
	})

	CPU = declare(Option{
		Name: "cpu", Kind: Switch, Key: "cpu",
		Help: "measure how long this machine's processor takes for the same problem, by the best sequential code and on all cores",
	})

	Expect = declare(Option{
		Name: "expect", Kind: Text, Value: "FILE",
		Help: "compare the answer with this file, one vertex and value per line as written by --answer",
	})

	Answer = declare(Option{
		Name: "answer", Kind: Text, Value: "FILE",
		Help: "write the value of each vertex to this file, one vertex and value per line",
	})

	Tolerance = declare(Option{
		Name: "tolerance", Kind: Number, Key: "tolerance", Value: "REL",
		Help: "with --expect: maximum relative difference of floats from the expected values, such as 1e-5; 0 requires equal values",
		Own: map[string]Form{
			"launch": {Help: "tolerance for floats in --compare-with: with 1e-5, 1.00001 equals 1"},
		},
	})

	Top = declare(Option{
		Name: "top", Kind: Whole, Limits: atLeast(1), Value: "N", Default: 10,
		Help: "number of lines, addresses and launches in the summaries",
		Own: map[string]Form{
			"launch": {Help: "with --annotate: number of lines, addresses and launches in the summaries"},
		},
	})

	Against = declare(Option{
		Name: "against", Kind: Text, Value: "SCHEDULER",
		Help: "run this scheduler as well, and show the differences",
		Own: map[string]Form{
			"launch": {Value: "KERNEL", Help: "with --annotate: launch this kernel as well, and show the differences"},
		},
	})

	JSON = declare(Option{
		Name: "json", Kind: Switch,
		Help: "print one JSON object",
		Own: map[string]Form{
			"list":     {Help: "print JSON"},
			"litmus":   {Help: "print one JSON object per line, for each test"},
			"progress": {Help: "print one JSON object per line, for each test and model"},
		},
	})
)
