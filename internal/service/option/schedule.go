package option

import (
	"github.com/weft-gpu/weft/device"
)

// These options say in which order blocks and warps run, and what is noted of a hang.
var (
	Schedule = declare(Option{
		Name: "schedule", Kind: Text, Value: "FILE", Needs: device.Schedules,
		Help: "on a simulated machine: let blocks and warps run in the order of this file, or of a JSON object; see docs/schedules.md",
		Own: map[string]Form{
			"progress": {Help: "with --run on a simulated machine: let blocks run in the order of this file, such as one of --write-schedule"},
		},
	})

	ProgressModel = declare(Option{
		Name: "progress-model", Kind: Text, Names: ModelNames, Value: "NAME", Needs: device.Schedules,
		Help: "on a simulated machine: let blocks run only as a progress model promises, in an order drawn from --seed: %s",
	})

	Explore = declare(Option{
		Name: "explore", Kind: Whole, Limits: atLeast(1), Value: "N",
		Help: "on a simulated machine: run under N schedules drawn from --seed and the next ones, stop at the first that fails, and reduce it",
	})

	KeepGoing = declare(Option{
		Name: "keep-going", Kind: Switch,
		Help: "with --explore: run all schedules, also after one has failed",
	})

	HangDot = declare(Option{
		Name: "hang-dot", Kind: Text, Value: "FILE",
		Help: "if the kernel hangs: write who waits for whom, for Graphviz, to this file",
	})

	HangJSON = declare(Option{
		Name: "hang-json", Kind: Text, Value: "FILE",
		Help: "if the kernel hangs: write who waits for whom, as JSON, to this file",
	})

	BlockOfScenario = declare(Option{
		Name: "block", Kind: Whole, Limits: atLeast(0), Value: "N",
		Help: "threads per block; as --set threads=128",
	})

	Largest = declare(Option{
		Name: "largest", Kind: Switch,
		Help: "find the largest grid with which the scenario ends",
	})

	Describe = declare(Option{
		Name: "describe", Kind: Switch,
		Help: "print what the scenario is about, and its parameters",
	})

	All = declare(Option{
		Name: "all", Kind: Switch,
		Help: "compare every recorded pair",
		Own: map[string]Form{
			"hang": {Help: "run all scenarios, and compare with what is expected"},
		},
	})
)
