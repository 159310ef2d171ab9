package option

// These options say what is measured, recorded and compared.
var (
	Parts = declare(Option{
		Name: "parts", Kind: List, Value: "NAME,...",
		Help: "only these parts: %s",
	})

	ByHand = declare(Option{
		Name: "by-hand", Kind: Text, Value: "FILE",
		Help: "cubin of hw/testdata/cuda/byhand.cu, for comparison",
	})

	CounterProfile = declare(Option{
		Name: "profile", Kind: Text, Value: "REGEXP",
		Help: "read counters with ncu: for some micro-kernels, and on the graphs whose file name matches this regular expression",
	})

	Base = declare(Option{
		Name: "base", Kind: Text, Value: "MACHINE",
		Help: "a preset or a machine's file, whose values are those of all parameters that no row isolates (default: the preset nearest to the GPU's compute capability)",
	})

	Calibrate = declare(Option{
		Name: "calibrate", Kind: Switch,
		Help: "measure the micro-kernels (or the --parts that are named), and make a simulated machine of the GPU from them: machine.yaml in the folder --out",
	})

	Only = declare(Option{
		Name: "only", Kind: Text, Value: "REGEXP",
		Help: `with --times: only the rows "graph algorithm scheduler parameters" that match this regular expression`,
		Own: map[string]Form{
			"micro": {Help: "only the rows whose group and name match this regular expression"},
		},
	})

	ExportRecord = declare(Option{
		Name: "record", Kind: Text, Value: "FILE",
		Help: "add the runs to this record, a JSON file: one row for all runs of a point, in place of rows of the same points",
	})

	Records = declare(Option{
		Name: "record", Kind: Text, Names: FolderNames, Value: "DIR",
		Help: "the folder of records to compare with, as weft record and weft results --record write them (default $WEFT_RECORDS, else those that are built in)",
	})

	Others = declare(Option{
		Name: "others", Kind: Text, Value: "SPEC",
		Help: "print the fastest runs beside the times of other systems that this specification has, as Markdown",
	})

	TimeLimit = declare(Option{
		Name: "limit", Kind: Time, Value: "TIME",
		Help: "end after this time, such as 8m, and say how much is missing; on this machine only",
		Own: map[string]Form{
			"compare": {Help: "end a comparison of many rows after this time, such as 8m, and summarise the rows so far"},
		},
	})

	With = declare(Option{
		Name: "with", Kind: Text, Names: DeviceNames, Value: "DEVICE", Default: "record",
		Help: "what to compare with: a device, the word record, or with --micro a file of weft micro --json",
	})

	NCU = declare(Option{
		Name: "ncu", Kind: Text, Value: "FILE",
		Help: "counters of the second side, a GPU or a record, as written by ncu --csv",
	})

	GPU = declare(Option{
		Name: "gpu", Kind: Text, Value: "NAME",
		Help: "the GPU whose record to compare with (default that of the device)",
	})

	Micro = declare(Option{
		Name: "micro", Kind: Switch,
		Help: "compare the micro-kernels",
	})

	CompareCounters = declare(Option{
		Name: "counters", Kind: Switch,
		Help: "compare the counters of every kernel whose counters were recorded",
	})

	Light = declare(Option{
		Name: "light", Kind: Switch,
		Help: "with --micro: leave out the rows with large footprints, which take as long to simulate as all others together",
	})

	Times = declare(Option{
		Name: "times", Kind: Text, Value: "FILE",
		Help: "compare with the times of a record, as written by weft results --record",
	})

	Heavy = declare(Option{
		Name: "heavy", Kind: Switch,
		Help: "include the rows with large footprints",
	})

	Instructions = declare(Option{
		Name: "instructions", Kind: List, Value: "N,...", Default: []string{"3e6"},
		Help: "number of warp instructions after which a run ends; one or more numbers, such as 1e5,1e8",
	})

	CPUProfile = declare(Option{
		Name: "cpuprofile", Kind: Text, Value: "FILE",
		Help: `write a CPU profile of this program, for "go tool pprof", to this file`,
	})

	Metric = declare(Option{
		Name: "metric", Kind: List, Value: "NAME,...", Default: []string{"kernel_seconds"},
		Help: `metrics to compare; "weft results STORE --names"; with a pattern such as '*', those that differ, the largest factor first`,
	})

	Except = declare(Option{
		Name: "except", Kind: List, Value: "NAME,...",
		Help: "settings that do not tell points apart",
	})
)
