package option

import (
	"time"

	"github.com/weft-gpu/weft/device"
)

// Values of packages that this one must not import, since their own tests reach this package. TestSame compares them.
const (
	maxGPUs  = 16          // sim.MaxGPUs
	loopback = "127.0.0.1" // monitor.Loopback
)

// These options say how a device is opened and what is recorded while it runs.
var (
	Device = declare(Option{
		Name: "device", Kind: Text, Names: DeviceNames, Key: "device", Field: "its name", Value: "DEVICE", Default: DefaultDevice,
		Help: `func, sim:PRESET or sim:./FILE.yaml; "weft list devices"`,
		Own: map[string]Form{
			"sim":      {Help: `simulated machine, sim:PRESET or sim:./FILE.yaml; "weft list devices"`},
			"compare":  {Help: "the device whose error is measured"},
			"hang":     {Help: `func, sim:PRESET, sim:./FILE.yaml or hw; "weft list devices"`},
			"litmus":   {Help: `run the tests on func, sim:PRESET, sim:./FILE.yaml or hw; "weft list devices"`},
			"micro":    {Help: `sim:PRESET, sim:./FILE.yaml or hw; "weft list devices"`},
			"progress": {Help: "with --run: hw, func, sim:PRESET or sim:./FILE.yaml"},
			"record":   {Default: "hw", Help: "the GPU: hw, hw:1, ..."},
		},
	})

	Devices = declare(Option{
		Name: "device", Kind: List, Names: DeviceNames, Value: "DEVICE,...",
		Help: `devices to cross; "weft list devices"`,
	})

	GPUs = declare(Option{
		Name: "gpus", Kind: Whole, Key: "gpus", Value: "N", Limits: from(1, maxGPUs), Field: "Options.GPUs",
		Help: "open a group of this many GPUs, as --device sim:PRESETx2 does; for schedulers that use several",
		Own: map[string]Form{
			"run":     {Help: "open a group of this many GPUs, as --device sim:PRESETx2 does; for schedulers that use several; auto: as many as are fastest, of those of --device"},
			"sim":     {Help: "measure a group of this many GPUs, as --device sim:PRESETx2 does; for schedulers that use several"},
			"compare": {Help: "open groups of this many GPUs, as --device sim:PRESETx2 --with hw:0,1 does; for schedulers that use several"},
			"micro":   {Help: "measure the links of a group of this many GPUs, as --device sim:PRESETx2 does"},
		},
	})

	Set = declare(Option{
		Name: "set", Kind: Each, Names: ParameterNames, Key: "set", Value: "PARAMETER=VALUE,...", Field: "Options.Set", Needs: device.Parameters,
		Help: `parameters of the simulated machine: sm.count=16,l2.latency=200; "weft list parameters"`,
		Own: map[string]Form{
			"sim":       {Help: "parameters of the machine: sm.count=16,l2.latency=200"},
			"calibrate": {Help: "values that the record does not say, and that are not to be fitted: l2.bytes=48MiB,dram.channels=8"},
			"compare":   {Help: "parameters of the first device: sm.count=16,l2.latency=200"},
			"hang":      {Help: "parameters of the scenario and of the simulated machine: blocks=61,sm.count=4"},
			"litmus":    {Help: `parameters of the simulated machine: l2.far=300,jitter.message=200; without any, %s in every second launch; "weft list parameters"`},
			"micro":     {Help: "parameters of the simulated machine: sm.count=16,l2.latency=200"},
			"progress":  {Help: "with --run: parameters of the simulated machine; without them, those that make schedules vary with the seed"},
			"sweep":     {Value: "PARAMETER=VALUES", Help: `values of machine parameters: sm.count=16,32 or l2.latency=66:528:66; "weft list parameters"`},
		},
	})

	Seed = declare(Option{
		Name: "seed", Kind: Natural, Key: "seed", Value: "N", Default: 1, Field: "Options.Seed",
		Help: "seed of the simulated machine's random choices",
		Own: map[string]Form{
			"run":      {Help: "seed of the simulated machine's random choices, and of the start vertices of --sources"},
			"compare":  {Help: "seed of simulated machines"},
			"launch":   {Help: "seed of random arguments, and of the simulated machine's random choices"},
			"litmus":   {Help: "the first seed: it decides where threads and words are, when threads start, and what other warps do"},
			"progress": {Help: "with --run: seed of the first launch of each test; each later one has the next seed"},
		},
	})

	Check = declare(Option{
		Name: "check", Kind: Switch, Field: "Options.Check", Needs: device.Deadline,
		Help: "on a real GPU: keep bounds and division checks (simulated devices always check)",
		Own: map[string]Form{
			"ptx": {Help: "keep bounds and divisor checks"},
		},
	})

	Deadline = declare(Option{
		Name: "deadline", Kind: Time, Value: "TIME", Field: "Options.Deadline", Needs: device.Deadline,
		Help: "on a real GPU: end a kernel that runs longer, and report where it was (such as 5s)",
		Own: map[string]Form{
			"hang":     {Default: 500 * time.Millisecond, Help: "on a real GPU: end a kernel that runs longer"},
			"litmus":   {Help: "on a real GPU: threads that still loop after this time hang (default 30ms)"},
			"progress": {Default: 200 * time.Millisecond, Help: "with --run on a real GPU: a kernel that runs longer hangs"},
		},
	})

	Budget = declare(Option{
		Name: "budget", Kind: Natural, Key: "budget", Value: "N", Field: "Options.Budget", Needs: device.Budget,
		Help: "end a launch that takes more cycles (on func: warp instructions) as undecided; 0 for none: then one is given up only if it looks like a livelock",
		Own: map[string]Form{
			"progress": {Default: 2_000_000, Help: "with --run: end a launch that takes more cycles as undecided"},
		},
	})

	HostThreads = declare(Option{
		Name: "threads", Kind: Whole, Value: "N", Limits: from(1, 1024), Field: "Options.Threads", Needs: device.Parameters,
		Help: "threads of this computer that simulate a launch; results do not depend on their number (default: all, shared with --jobs)",
		Own: map[string]Form{
			"sim": {Help: "threads of this computer that simulate a launch; with several, look at the wall time (default 1)"},
		},
	})

	AgainstThreads = declare(Option{
		Name: "against-threads", Kind: Whole, Value: "N", Limits: from(0, 1024), Needs: device.Parameters,
		Help: "measure each run on this many threads as well, right after: how much faster it is, and whether cycles and all counters are equal (0: do not)",
	})

	Unwritten = declare(Option{
		Name: "allow-unwritten", Kind: Switch, Field: "Options.Unwritten", Needs: device.Unwritten,
		Help: "on func: let kernels read memory that has not been written, which is an error otherwise",
	})

	Strict = declare(Option{
		Name: "strict", Kind: Switch, Field: "Options.Strict", Needs: device.Strict,
		Help: "end a launch at what PTX leaves undefined, as func does unless --strict=false is given; docs/undefined.md lists what",
	})

	Race = declare(Option{
		Name: "race", Kind: Switch, Field: "Options.Race", Needs: device.RaceDetection,
		Help: "on simulated devices: look for data races between threads, and fail if there are any; docs/races.md explains the reports",
	})

	Monitor = declare(Option{
		Name: "monitor", Kind: Whole, Value: "PORT",
		Help: "serve a web page at this port that shows the running simulation (Akita's monitor)",
	})

	MonitorAddress = declare(Option{
		Name: "monitor-address", Kind: Text, Value: "ADDRESS", Default: loopback,
		Help: "local address at which --monitor listens; with 0.0.0.0 other machines can connect and pause the simulation",
	})

	Counters = declare(Option{
		Name: "counters", Kind: Switch,
		Help: "print all counters, not only the key ones",
	})

	Pprof = declare(Option{
		Name: "pprof", Kind: Text, Value: "FILE", Field: "Options.Profile", Needs: device.Profile,
		Help: `write simulated cycles by source line, for "go tool pprof", to this file`,
	})

	Trace = declare(Option{
		Name: "trace", Kind: Text, Key: "trace", Value: "FILE", Field: "Options.Trace", Needs: device.Trace,
		Help: "write a timeline of launches, blocks and load, for Perfetto, to this file",
	})

	Sample = declare(Option{
		Name: "sample", Kind: Text, Key: "sample", Value: "ERROR", Field: "Options.Sample", Needs: device.CycleLevel,
		Help: "simulate only so many launches and blocks that the time of kernels is off by at most this, such as 0.02, and execute the others functionally",
	})

	Detail = declare(Option{
		Name: "detail", Kind: Text, Value: "launches=N-N", Needs: device.CycleLevel,
		Help: "simulate only these launches at cycle level, the others functionally: launches=10-20",
	})
)
