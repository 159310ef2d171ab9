package run

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/internal/bound"
	"github.com/weft-gpu/weft/internal/buildinfo"
	"github.com/weft-gpu/weft/internal/calibrate"
	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/graphs"
	"github.com/weft-gpu/weft/internal/signals"
	"github.com/weft-gpu/weft/scheduler"
)

// The words for an answer in Result.
const (
	AnswerVerified   = "verified"     // it agrees with the CPU reference
	AnswerWrong      = "wrong"        // it does not
	AnswerUnchecked  = "not verified" // nobody compared it
	AnswerIncomplete = "incomplete"   // the run ended early
)

// Result is what a run gave: the object that --json prints. Numbers that a
// device does not have (func has no clock) are left out.
type Result struct {
	Command   string         `json:"command"`
	Build     buildinfo.Info `json:"build"`
	Algorithm string         `json:"algorithm"`
	Scheduler string         `json:"scheduler"`
	Kernel    string         `json:"kernel"` // entry point that did the work

	On

	Detail *devices.Detail `json:"detail,omitempty"` // where --detail was given

	Graph     graphs.Facts      `json:"graph"`
	Notes     []string          `json:"notes,omitempty"`  // what the run changed about the graph
	Source    *uint64           `json:"source,omitempty"` // its id in the graph's file
	AlgParams map[string]string `json:"algorithm_parameters,omitempty"`
	// SchedulerParams are the scheme's, defaults included, and SchedulerSet those
	// that have another value.
	SchedulerParams map[string]string `json:"scheduler_parameters,omitempty"`
	SchedulerSet    map[string]string `json:"-"`

	Answer   string `json:"answer"`            // one of the answer constants
	Against  string `json:"against,omitempty"` // the file of answers that it was compared with; left out if that is the CPU reference
	Verified *bool  `json:"verified"`          // null where nobody compared it
	// Tolerance is how exactly a verified answer agrees; left out where it agrees bit by bit.
	Tolerance *reference.Tolerance `json:"tolerance,omitempty"`
	Why       string               `json:"why,omitempty"`
	Error     *Failure             `json:"error,omitempty"`

	Iterations int `json:"iterations"`
	Work
	// PerIteration are the launches of iterations, and OtherLaunches those that
	// belong to none; Quantities explains the numbers in both.
	PerIteration  []scheduler.Step     `json:"per_iteration,omitempty"`
	OtherLaunches []scheduler.Step     `json:"other_launches,omitempty"`
	Quantities    []scheduler.Quantity `json:"quantities,omitempty"`

	Summary string `json:"-"` // of the values
	Values  any    `json:"-"` // by vertex; vertices by the numbers of the graph's file
}

// On is the device that something ran on: part of the objects that --json prints.
type On struct {
	Device     string            `json:"device"`
	Parameters map[string]string `json:"parameters,omitempty"` // of the machine, where set
	// Machine is every parameter of a simulated machine, those of --set among them, and
	// MachineHash stands for them all: runs with the same one have the same cycles.
	Machine     map[string]any `json:"machine,omitempty"`
	MachineHash string         `json:"machine_hash,omitempty"`

	Seed uint64 `json:"seed"`
}

// OnDevice describes a device.
func OnDevice(s *devices.Spec) On {
	on := On{Device: s.Name, Parameters: s.Overrides(), Seed: s.Options.Seed}
	on.Machine, on.MachineHash = s.Machine()
	return on
}

// Work is what a device did and how long that took: part of the objects that --json
// prints. Numbers that a device does not have (func has no clock) are left out.
type Work struct {
	Launches         int     `json:"launches"`
	Cycles           uint64  `json:"cycles,omitempty"`
	SimulatedSeconds float64 `json:"simulated_seconds,omitempty"`
	// KernelSeconds are the launches' that do the algorithm's work, by their steps,
	// and AlgorithmSeconds from the first launch until the host has the answer.
	KernelSeconds     float64            `json:"kernel_seconds,omitempty"`
	AlgorithmSeconds  float64            `json:"algorithm_seconds,omitempty"`
	WallSeconds       float64            `json:"wall_seconds"`        // compile, copy, launch, verify
	LaunchWallSeconds float64            `json:"launch_wall_seconds"` // inside launches only
	WarpInstructions  float64            `json:"warp_instructions"`
	Rate              float64            `json:"warp_instructions_per_second"` // of LaunchWallSeconds
	Calibration       calibrate.Measured `json:"calibration"`
	PeakMemory        uint64             `json:"peak_memory_bytes,omitempty"` // of this process
	Counters          map[string]float64 `json:"counters"`
	// Kernels are the kernels that were launched, the one with the most time first, and
	// Bound is what decides how long all of it takes.
	Kernels []bound.Kernel `json:"kernels,omitempty"`
	Bound   *bound.Bound   `json:"bound,omitempty"`

	All []device.Counter `json:"-"` // in the device's order, for people
}

// Take fills in what a device reports of all that it did, and what that took on this
// machine: wall in all, inside of it in launches.
func (w *Work) Take(rep *device.Report, wall, inside time.Duration) {
	w.WallSeconds, w.LaunchWallSeconds = wall.Seconds(), inside.Seconds()
	w.PeakMemory = peakMemory()
	w.Counters = map[string]float64{}
	if rep != nil {
		w.Launches, w.Cycles, w.SimulatedSeconds = rep.Launches, rep.Cycles, rep.Seconds
		w.All = rep.Counters
		for _, c := range rep.Counters {
			w.Counters[c.Name] = c.Value
		}
		w.WarpInstructions, _ = rep.Counter(WarpInstructions)
	}
	if w.LaunchWallSeconds > 0 {
		w.Rate = w.WarpInstructions / w.LaunchWallSeconds
	}
}

// Explain takes over what is known of the kernels. AlgorithmSeconds is there already,
// if the device has a clock.
func (w *Work) Explain(kernels []bound.Kernel) {
	w.Kernels, w.Bound = kernels, bound.OfRun(kernels, w.AlgorithmSeconds)
}

// ErrWrong is the error of a run whose answer the reference refutes.
var ErrWrong = errors.New("wrong answer")

// Err is ErrWrong, with where the answer is wrong, or nil.
func (r *Result) Err() error {
	if r.Answer == AnswerWrong {
		return fmt.Errorf("%w: %s", ErrWrong, r.Why)
	}
	return nil
}

// Failure is why a run ended early.
type Failure struct {
	Kind    string `json:"kind"` // "hang", "undecided", "fault", "interrupted", "failure"
	Message string `json:"message"`
	Details any    `json:"details,omitempty"` // but of the last two
}

// FailureOf says of what kind an error is that ended a run early.
func FailureOf(err error) *Failure {
	var hang *device.HangError
	var undecided *device.UndecidedError
	var fault *device.Fault
	e := &Failure{Kind: "failure", Message: err.Error()}
	switch {
	case errors.As(err, &hang):
		e.Kind, e.Details = "hang", hang
	case errors.As(err, &undecided):
		e.Kind, e.Details = "undecided", undecided
	case errors.As(err, &fault):
		e.Kind, e.Details = "fault", fault
	case signals.Ended(err):
		e.Kind, e.Message = "interrupted", signals.Interrupted.Error()
	}
	return e
}

// WarpInstructions is the counter of warp instructions executed.
const WarpInstructions = counter.WarpInstructions

// fill takes over what the catalog's run gave; err is how it ended.
func (r *Result) fill(res *catalog.Result, err error) {
	r.Kernel, r.Notes = res.Kernel, res.Notes
	r.Iterations = res.Iterations
	if r.Detail == nil { // the other launches take no time
		r.KernelSeconds, r.AlgorithmSeconds = res.KernelSeconds(), res.AlgorithmSeconds
	}
	for _, step := range res.Steps {
		if step.Iteration > 0 {
			r.PerIteration = append(r.PerIteration, step)
		} else {
			r.OtherLaunches = append(r.OtherLaunches, step)
		}
	}
	switch {
	case err != nil:
		r.Answer, r.Error = AnswerIncomplete, FailureOf(err)
	case res.Checked:
		r.Answer, r.Verified = AnswerVerified, &res.Verified
		r.Tolerance = res.Tolerance
		if res.Mismatch != nil {
			r.Answer, r.Why = AnswerWrong, res.Mismatch.Error()
		}
	case !res.Reference:
		r.Answer, r.Why = AnswerUnchecked, "there is no CPU reference for this algorithm; --expect FILE compares it with answers of your own"
	case res.Unchecked != nil:
		r.Answer, r.Why, r.Tolerance = AnswerUnchecked, res.Unchecked.Error(), res.Tolerance
	default:
		r.Answer, r.Why = AnswerUnchecked, "as asked"
	}
	r.Values = res.Values
	if res.Values != nil {
		r.Summary = summarize(res.Values, res.Reference)
	}
}

// peakMemory is the largest resident size of this process so far, in bytes; 0
// where the system does not say.
func peakMemory() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
