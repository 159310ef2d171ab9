package option

// These options say what a search for hangs or a litmus test is given.
var (
	MemoryModel = declare(Option{
		Name: "model", Kind: Text, Value: "NAME,...",
		Help: "decide under the axioms of this model: ptx",
	})

	ProgressModels = declare(Option{
		Name: "model", Kind: List, Names: ModelNames, Value: "NAME,...", Default: []string{"all"},
		Help: "progress models: %s, or all",
	})

	Verdicts = declare(Option{
		Name: "expect", Kind: Text, Value: "FILE",
		Help: "compare with the verdicts of this CSV file",
	})

	Outcomes = declare(Option{
		Name: "outcomes", Kind: Switch,
		Help: "print all final states that the model allows; for a single test, the first 20 are printed anyway",
	})

	Witness = declare(Option{
		Name: "witness", Kind: Switch,
		Help: "print an execution that decides the verdict, if one does",
	})

	Bound = declare(Option{
		Name: "bound", Kind: Whole, Limits: atLeast(1), Value: "N",
		Help: "how often a thread goes round a loop that does more than wait",
	})

	MaxExecutions = declare(Option{
		Name: "max-executions", Kind: Whole, Limits: atLeast(1), Value: "N",
		Help: "give a test up if more executions have to be looked at",
	})

	Instances = declare(Option{
		Name: "instances", Kind: Whole, Limits: atLeast(1), Value: "N", Default: 100_000,
		Help: "how many instances of each test to run",
		Own: map[string]Form{
			"progress": {Default: 1, Help: "with --run: instances of the test in a launch, each with its own cells"},
		},
	})

	Seeds = declare(Option{
		Name: "seeds", Kind: Whole, Limits: atLeast(1), Value: "N", Default: 64,
		Help: "how many launches to spread them over, at least; each has a seed of its own",
	})

	Counterexample = declare(Option{
		Name: "counterexample", Kind: Switch,
		Help: "print an execution that never ends for each test that may hang",
	})

	WriteSchedule = declare(Option{
		Name: "write-schedule", Kind: Text, Value: "FILE",
		Help: "write the execution that never ends as a schedule for simulated machines, of one test under one model",
	})

	States = declare(Option{
		Name: "states", Kind: Whole, Limits: atLeast(1), Value: "N",
		Help: "give a program up as undecided if it has more states",
	})

	Threads = declare(Option{
		Name: "threads", Kind: Text, Value: "WHAT", Default: "blocks",
		Help: "of a kernel: what the threads of the progress model are: blocks, warps or lanes",
	})

	RunTests = declare(Option{
		Name: "run", Kind: Switch,
		Help: "run the tests on a device instead of exploring their schedules",
	})

	ThreadsAs = declare(Option{
		Name: "as", Kind: Text, Value: "NAME", Default: "blocks",
		Help: "with --run: what the threads of a test are: blocks, or lanes of a warp",
	})

	Launches = declare(Option{
		Name: "launches", Kind: Whole, Limits: atLeast(1), Value: "N", Default: 10,
		Help: "with --run: launches of each test",
	})
)
