package weft

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/profile"
)

// Options configures a device. Open refuses what the device cannot do.
type Options struct {
	// Set changes parameters of a simulated machine: "sm.count=16", "l2.latency=200".
	// "weft list parameters" has all of them.
	Set []string
	// GPUs opens a group of so many GPUs: "sim:h200" with 2 is "sim:h200x2". 0 opens what
	// the name says.
	GPUs int
	// Seed of what a simulated machine chooses at random, and of random policies.
	// Devices that choose nothing at random ignore it.
	Seed uint64
	// Budget ends a launch after that many cycles (on func: warp instructions) with a
	// *device.UndecidedError. With 0, so ends only one that looks like a livelock.
	Budget uint64
	// Threads is how many threads of this computer simulate a launch on a simulated machine; 0 is all. Results are the same for
	// every number.
	Threads int
	// Sample, such as 0.02 for 2%, lets a simulated machine simulate only a part of the launches and blocks, and execute the
	// others functionally: values stay exact, and Device.Sampled says how far off time and counters may be. 0 simulates everything.
	Sample float64
	// Unwritten lets kernels on func read memory that nothing has written.
	Unwritten bool
	// Strict ends launches on simulated machines at what PTX and CUDA leave undefined, as func
	// always does: docs/undefined.md lists what.
	Strict bool
	// Race looks for data races between threads in the launches, for Device.Races. Only
	// simulated machines and func can.
	Race bool
	// Check keeps checks of bounds and divisors on a real GPU. Other devices always
	// check.
	Check bool
	// Deadline ends a launch on a real GPU with an error that says where the kernel
	// was. 0 is none.
	Deadline time.Duration
	// Profile notes the costs of each line of source, for Device.Annotate and
	// Device.WriteProfile; Trace notes what happens over time, for Device.WriteTrace.
	// Only simulated machines can.
	Profile, Trace bool
}

// Device is an open device. It embeds a device.Device, whose methods it has: Name;
// Total, the report on all launches so far; Occupancy(k, n), how many blocks of n
// threads fit an SM and what limits them; Now, the time as the host sees it; Close, which may be
// called during a Launch: that ends with device.ErrClosed.
// Functions Alloc and Upload, with the methods of Buffer, replace its Alloc,
// Write and Read. Use a device from one goroutine; Close may be called from any.
type Device struct {
	device.Device // collects what launches do, by kernel
	collected     *bound.Collector
	inner         device.Device // without the collector
	spec          *devices.Spec
	profile       *profile.Profile // nil without Options.Profile
	trace         *profile.Trace   // nil without Options.Trace
	races         *device.Races    // nil without Options.Race
}

// Launch is a launch of a kernel: Kernel, Grid (blocks), Block (threads per
// block), Args and less common settings; "go doc device.Launch" has all. Args has
// one element for each parameter after gpu.Thread that is not bound: a Buffer of
// this package (or a device.Buffer) for a slice or pointer, a Go value for a
// scalar. A struct or array stands for a struct or array parameter; its fields
// are the parameter's in order, with buffers in place of slices and pointers.
//
// A launch finds in the L2 what earlier launches left there, as on a GPU. To compare
// the cycles of kernels on one device, set Fresh, which starts with empty caches.
type Launch = device.Launch

// Report says what a launch, or all launches so far, did: Cycles, Seconds and
// Counters, each with name, unit and meaning. Report.Counter finds one by name;
// printed, it is a table.
type Report = device.Report

// Race is a data race between two lines of a kernel: both accesses with their
// threads, the address, and what would order them. Printed, it is a report.
type Race = device.Race

// Open opens a device by name:
//
//	func             the functional executor: every check, no time
//	sim:h200         a simulated GPU; "weft list devices" has all presets
//	sim:./gpu.yaml   a simulated GPU that a file describes
//	hw, hw:1         an NVIDIA GPU, by the number that the driver gives it
//	sim:h200x2       a group of two; funcx2 and hw:0,1 are others
//
// A group is a device.Group: device.AsGroup(d.Device) returns it, and Run runs an algorithm
// on it by a scheme for several GPUs. As a Device it is its first GPU.
//
// The error says what is wrong with the name or the options, and what to write
// instead. On hw it may be that the machine has no GPU or no driver: see IsMissing
// of package hw. Close the device to release what it holds; ctx ending does not.
func Open(ctx context.Context, name string, o Options) (*Device, error) {
	d := &Device{}
	var err error
	d.spec, err = devices.New(name, devices.Options{GPUs: o.GPUs, Set: o.Set, Seed: o.Seed, Budget: o.Budget, Threads: o.Threads, Sample: o.Sample, Unwritten: o.Unwritten, Strict: strictness(o), Race: o.Race, Check: o.Check, Deadline: o.Deadline})
	if err != nil {
		return nil, openError(name, err)
	}
	var watch devices.Watch
	if o.Profile {
		if err := d.spec.Need(option.Pprof, option.Pprof.Needs); err != nil {
			return nil, openError(name, err)
		}
		d.profile = profile.New(0)
		watch.Profile = d.profile
	}
	if o.Trace {
		if err := d.spec.Need(option.Trace, option.Trace.Needs); err != nil {
			return nil, openError(name, err)
		}
		d.trace = profile.NewTrace(0, 0)
		watch.Trace = d.trace
	}
	if o.Race {
		d.races = device.NewRaces()
		watch.Races = d.races
	}
	if d.inner, err = d.spec.Open(ctx, watch); err != nil {
		return nil, openError(name, err)
	}
	timed := run.NewTimed(d.inner)
	d.Device, d.collected = timed, timed.Kernels
	return d, nil
}

// openError is err with its hint, in the words of a program.
func openError(name string, err error) error {
	var u *usage.Error
	if !errors.As(err, &u) {
		return fmt.Errorf("weft.Open(%q): %w", name, err)
	}
	text := u.In(usage.Program)
	if hint := u.Hint.In(usage.Program); hint != "" {
		text += "; " + strings.ReplaceAll(strings.ReplaceAll(hint, "?\n", "? "), "\n", "; ")
	}
	return fmt.Errorf("weft.Open(%q): %s", name, text)
}

// Launch runs a kernel to its end and reports what it did. What goes wrong in the
// kernel is a *device.Fault, a *device.HangError or a *device.UndecidedError, each
// with file:line:col; arguments that do not fit are a *device.ArgError. If ctx ends,
// the launch ends early with ctx's error and a report of what it did so far; if the
// device is closed meanwhile, with device.ErrClosed.
func (d *Device) Launch(ctx context.Context, l Launch) (*Report, error) {
	if l.Kernel == nil {
		return nil, errors.New("weft.Device.Launch: Launch.Kernel is nil; Package.Kernel compiles one")
	}
	l.Args = plainArgs(l.Args)
	r, err := d.Device.Launch(ctx, l)
	return r, d.advised(err)
}

// Races returns the data races of all launches so far, one for each pair of lines,
// those that the source marks as intended ("//weft:racy REASON") last. It is nil
// without Options.Race. Fix is the rule for such a race, and Untried says why it was not
// tried; "weft launch --race" and "weft run --race" run a program again to try it.
func (d *Device) Races() []Race {
	list := d.races.List()
	for i := range list {
		if r := &list[i]; r.Checked == 0 && r.Racy == "" {
			r.Untried = untried
		}
	}
	return list
}

// untried says why no cure of a race is tried: between launches the program reads, writes and decides, which the device
// cannot repeat.
const untried = "the program would have to run again, which a Device cannot do"

// Sampled says how much of the launches so far was simulated, and how far off time and counters may be; nil without
// Options.Sample.
func (d *Device) Sampled() *sim.Sampled {
	if x, ok := d.inner.(interface{ Sampled() *sim.Sampled }); ok {
		return x.Sampled()
	}
	return nil
}

// LaunchAll runs launches to their end, those with different values of Stream at
// the same time, and reports on each. It is an error on devices without streams:
// func and hw.
func (d *Device) LaunchAll(ctx context.Context, ls []Launch) ([]*Report, error) {
	plain := make([]Launch, len(ls))
	for i, l := range ls {
		l.Args = plainArgs(l.Args)
		plain[i] = l
	}
	reports, err := device.LaunchAll(ctx, d.Device, plain)
	return reports, d.advised(err)
}

// advised adds to an error of a launch which options of the library help. A Device that a
// program put together itself was opened with none.
func (d *Device) advised(err error) error {
	if d.spec == nil {
		return err
	}
	if hint := usage.HintOf(d.spec.Advise(err, true)); !hint.Empty() {
		return fmt.Errorf("%w\n%s", err, hint.In(usage.Program))
	}
	return err
}

// strictness returns the device's option for Options.Strict.
func strictness(o Options) devices.Strictness {
	if o.Strict {
		return devices.Strict
	}
	return devices.DeviceDecides
}
