package command

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
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
	threads   int
	sampled   string // --sample
	unwritten bool
	strict    strictness
	race      bool
	pprof     string
	trace     string
	hang      hangFlags
	control   policy.Control // of --schedule and --progress-model; nil for neither
}

func (o *deviceFlags) register(cmd *cobra.Command) {
	flag(cmd, &o.device, option.Device)
	flag(cmd, &o.gpus, option.GPUs)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.seed, option.Seed)
	flag(cmd, &o.json, option.JSON)
	flag(cmd, &o.page.port, option.Monitor)
	flag(cmd, &o.page.address, option.MonitorAddress)
	flag(cmd, &o.counters, option.Counters)
	flag(cmd, &o.check, option.Check)
	flag(cmd, &o.deadline, option.Deadline)
	flag(cmd, &o.budget, option.Budget)
	flag(cmd, &o.unwritten, option.Unwritten)
	flag(cmd, &o.strict, option.Strict)
	flag(cmd, &o.race, option.Race)
	flag(cmd, &o.pprof, option.Pprof)
	flag(cmd, &o.trace, option.Trace)
	o.hang.register(cmd)
}

// options returns the device's options.
func (o *deviceFlags) options() (devices.Options, error) {
	sample, err := devices.ParseSample(o.sampled)
	return devices.Options{GPUs: int(o.gpus), Set: o.set, Seed: o.seed, Budget: o.budget, Threads: o.threads, Sample: sample, Unwritten: o.unwritten, Strict: devices.Strictness(o.strict), Race: o.race, Check: o.check, Deadline: o.deadline, Control: o.control}, err
}

// spec checks the flags and returns the device.
func (o *deviceFlags) spec() (*devices.Spec, error) {
	options, err := o.options()
	if err != nil {
		return nil, err
	}
	return devices.New(o.device, options)
}

// gpuCount is the value of --gpus; 0 if it is not given, and autoGPUs for the word auto.
type gpuCount int

// autoGPUs stands for as many GPUs as a run is fastest with; commands that choose none refuse it, as any number of GPUs that there cannot be.
const (
	autoGPUs gpuCount = devices.AutoGPUs
	autoWord          = "auto"
)

// String returns "" for 0, as pflag wants for a value that is not shown.
func (n *gpuCount) String() string {
	switch *n {
	case 0:
		return ""
	case autoGPUs:
		return autoWord
	}
	return strconv.Itoa(int(*n))
}

// Set parses a number of GPUs.
func (n *gpuCount) Set(text string) error {
	if text == autoWord {
		*n = autoGPUs
		return nil
	}
	v, err := strconv.Atoi(text)
	if err != nil || !option.GPUs.Limits.Has(v) {
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
