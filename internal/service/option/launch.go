package option

// These options say what a launch of a kernel is given.
var (
	Grid = declare(Option{
		Name: "grid", Kind: Text, Key: "grid", Field: "Launch.Grid", Value: "BLOCKS",
		Help: "blocks of the grid: 61, fit, eq1, fit+1; as --set blocks=61",
		Own: map[string]Form{
			"launch":   {Help: "blocks of the grid: 64, 64x32 or 64x32x2"},
			"progress": {Help: "of a kernel: blocks of the grid: 4, 2x2 or 2x2x2"},
		},
	})

	Block = declare(Option{
		Name: "block", Kind: Text, Key: "block", Value: "THREADS",
		Help: "threads per block: 256, 16x16 or 8x8x4",
		Own: map[string]Form{
			"progress": {Help: "of a kernel: threads per block: 32, 8x4 or 4x4x2"},
		},
	})

	Shared = declare(Option{
		Name: "shared", Kind: Whole, Limits: atLeast(0), Key: "shared", Value: "BYTES",
		Help: "bytes of dynamic shared memory per block",
		Own: map[string]Form{
			"progress": {Help: "of a kernel: bytes of dynamic shared memory per block"},
		},
	})

	Cluster = declare(Option{
		Name: "cluster", Kind: Whole, Limits: from(0, 16), Key: "cluster", Field: "Launch.Cluster", Value: "BLOCKS",
		Help: "blocks of a cluster, along x: 2, 4, 8 or 16; 0 for none",
		Own: map[string]Form{
			"progress": {Help: "of a kernel: blocks of a cluster, along x"},
		},
	})

	Cooperative = declare(Option{
		Name: "cooperative", Kind: Switch, Key: "cooperative", Field: "Launch.Cooperative",
		Help: "launch cooperatively: reject a grid whose blocks cannot all be resident",
	})

	Registers = declare(Option{
		Name: "registers", Kind: Whole, Limits: atLeast(0), Key: "registers", Value: "N",
		Help: "registers per thread; as --set registers=110",
		Own: map[string]Form{
			"launch": {Help: "registers per thread, for occupancy; 0 for the kernel's own"},
		},
	})

	Repeat = declare(Option{
		Name: "repeat", Kind: Whole, Limits: from(1, 1000), Key: "launches", Value: "N", Default: 3,
		Help: "how often each is measured; the median counts",
		Own: map[string]Form{
			"sim":    {Default: 1, Help: "number of repeats of each run; the median counts"},
			"launch": {Default: 1, Limits: atLeast(1), Help: "number of launches, one after the other on the same buffers"},
			"micro":  {Default: 0, Limits: from(0, 1000), Help: "number of measurements of each row, after a warm-up run; the median counts (0: one, without warm-up)"},
			"record": {Default: 5, Help: "number of timed runs of each pair, after one that is checked"},
		},
	})

	Arg = declare(Option{
		Name: "arg", Kind: Each, Key: "arg.", Value: "NAME=VALUE",
		Help: "an argument: n=1024, x=random:n, y=zeros:n; once for each parameter",
		Own: map[string]Form{
			"progress": {Help: "of a kernel: an argument, as for weft launch: n=4, x=zeros:n; once for each parameter"},
		},
	})

	Bind = declare(Option{
		Name: "bind", Kind: Each, Key: "bind.", Value: "NAME=VALUE",
		Help: "a parameter that is a constant of the compiled kernel: n=1024",
		Own: map[string]Form{
			"progress": {Help: "of a kernel: a parameter that is a constant of the compiled kernel: n=4"},
		},
	})

	Print = declare(Option{
		Name: "print", Kind: Each, Value: "BUFFER",
		Help: "print a buffer after the launch, or a part: y, y[7], y[0:16]",
	})

	Save = declare(Option{
		Name: "save", Kind: Each, Value: "BUFFER=FILE",
		Help: "write a buffer after the launch to a file: y=FILE; as text if its name ends in .txt, else as in memory",
	})

	CompareWith = declare(Option{
		Name: "compare-with", Kind: Text, Names: DeviceNames, Key: "compare-with", Value: "DEVICE",
		Help: "also launch on this device, and compare all buffers; such as func",
	})

	AnswerBuffers = declare(Option{
		Name: "answer", Kind: List, Value: "BUFFER,...",
		Help: "with --compare-with or --explore: the buffers that are the answer; all are, if it is not given",
	})

	AnnotateLines = declare(Option{
		Name: "annotate", Kind: Switch,
		Help: "on a simulated machine: show the source with the cost of each line",
	})
)
