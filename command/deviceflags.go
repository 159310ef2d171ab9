package command

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/monitor"
	"github.com/weft-gpu/weft/sim/policy"
)

// deviceFlags holds the flags of every command that runs kernels on a device:
// which device, how to open it, and what to record.
type deviceFlags struct {
	device    string
	gpus      gpuCount
	set       []string
	seed      uint64
	json      bool
	counters  bool
	page      watchPage
	check     bool
	deadline  time.Duration
	budget    uint64
	unwritten bool
	strict    strictness
	race      bool
	pprof     string
	trace     string
	hang      hangFlags
	control   policy.Control // of --schedule and --progress-model; nil for neither
}

func (o *deviceFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.device, "device", devices.Default, "func, sim:PRESET or sim:./FILE.yaml; \"weft list devices\"")
	f.Var(&o.gpus, "gpus", "open a group of this many GPUs, as --device sim:PRESETx2 does; for schedulers that use several")
	f.StringArrayVar(&o.set, "set", nil, "parameters of the simulated machine: sm.count=16,l2.latency=200; \"weft list parameters\"")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the simulated machine's random choices")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.IntVar(&o.page.port, "monitor", 0, "serve a web page at this port that shows the running simulation (Akita's monitor)")
	f.StringVar(&o.page.address, "monitor-address", monitor.Loopback, "local address at which --monitor listens; with 0.0.0.0 other machines can connect and pause the simulation")
	f.BoolVar(&o.counters, "counters", false, "print all counters, not only the key ones")
	f.BoolVar(&o.check, "check", false, "on a real GPU: keep bounds and division checks (simulated devices always check)")
	f.DurationVar(&o.deadline, "deadline", 0, "on a real GPU: end a kernel that runs longer, and report where it was (such as 5s)")
	f.Uint64Var(&o.budget, "budget", 0, "end a launch that takes more cycles (on func: warp instructions) as undecided; 0 for no limit")
	f.BoolVar(&o.unwritten, "allow-unwritten", false, "on func: let kernels read memory that has not been written, which is an error otherwise")
	f.Var(&o.strict, "strict", "end a launch at what PTX leaves undefined, as func does unless --strict=false is given; docs/undefined.md lists what")
	f.Lookup("strict").NoOptDefVal = "true"
	f.BoolVar(&o.race, "race", false, "on simulated devices: look for data races between threads, and fail if there are any; docs/races.md explains the reports")
	f.StringVar(&o.pprof, "pprof", "", "write simulated cycles by source line, for \"go tool pprof\", to this file")
	f.StringVar(&o.trace, "trace", "", "write a timeline of launches, blocks and load, for Perfetto, to this file")
	o.hang.register(cmd)
}

// options returns the device's options.
func (o *deviceFlags) options() devices.Options {
	return devices.Options{GPUs: int(o.gpus), Set: o.set, Seed: o.seed, Budget: o.budget, Unwritten: o.unwritten, Strict: devices.Strictness(o.strict), Race: o.race, Check: o.check, Deadline: o.deadline, Control: o.control}
}

// spec checks the flags and returns the device.
func (o *deviceFlags) spec() (*devices.Spec, error) { return devices.New(o.device, o.options()) }

// gpuCount is the value of --gpus; 0 if it is not given.
type gpuCount int

// String returns "" for 0, as pflag wants for a value that is not shown.
func (n *gpuCount) String() string {
	if *n == 0 {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// Set parses a number of GPUs.
func (n *gpuCount) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 || v > devices.MaxGPUs {
		return fmt.Errorf("%q is no number of GPUs", text)
	}
	*n = gpuCount(v)
	return nil
}

// Type returns the key of valueKinds.
func (n *gpuCount) Type() string { return "gpus" }

// strictness is the value of --strict.
type strictness devices.Strictness

// String returns "" if the flag is not given, as pflag wants for a value that is
// not shown.
func (s *strictness) String() string {
	switch devices.Strictness(*s) {
	case devices.Strict:
		return "true"
	case devices.Lax:
		return "false"
	}
	return ""
}

// Set parses a bool.
func (s *strictness) Set(text string) error {
	on, err := strconv.ParseBool(text)
	switch {
	case err != nil:
		return fmt.Errorf("%q is neither true nor false", text)
	case on:
		*s = strictness(devices.Strict)
	default:
		*s = strictness(devices.Lax)
	}
	return nil
}

// Type returns the type of the value.
func (s *strictness) Type() string { return "bool" }
