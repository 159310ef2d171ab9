package run

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/calibrate"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/cpu"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// The values of Result.Answer.
const (
	AnswerVerified   = "verified"     // it agrees with the CPU reference
	AnswerWrong      = "wrong"        // it does not
	AnswerUnchecked  = "not verified" // it was not compared
	AnswerIncomplete = "incomplete"   // the run ended early
)

// Result is the result of a run: the object that --json prints. Numbers that a
// device does not have (func has no clock) are left out.
type Result struct {
	Command   string         `json:"command"`
	Build     buildinfo.Info `json:"build"`
	Algorithm string         `json:"algorithm"`
	Scheduler string         `json:"scheduler"`
	Chosen    *choice.Choice `json:"chosen_by,omitempty"` // why the scheduler was chosen, if the user asked for a choice
	Kernel    string         `json:"kernel"`              // entry point that does the work

	On

	Detail *devices.Detail `json:"detail,omitempty"` // set if --detail was given

	Graph     graphs.Facts      `json:"graph"`
	Notes     []string          `json:"notes,omitempty"`         // what the loader changed in the graph, and what the run did about it
	Source    *uint64           `json:"source,omitempty"`        // its id in the graph's file
	Vertex    *uint32           `json:"source_vertex,omitempty"` // the same as graph.CSR numbers vertices; left out if that is its id
	AlgParams map[string]string `json:"algorithm_parameters,omitempty"`
	// SchedulerParams are the scheme's parameters, including defaults.
	// SchedulerSet are those that differ from their defaults.
	SchedulerParams map[string]string `json:"scheduler_parameters,omitempty"`
	SchedulerSet    map[string]string `json:"-"`

	Answer   string `json:"answer"`            // null if it was not compared
	Against  string `json:"against,omitempty"` // the file of answers that it was compared with; left out if that is the CPU reference
	Verified *bool  `json:"verified"`          // null where nobody compared it
	// Tolerance is how exactly a verified answer agrees; left out where it agrees bit by bit.
	Tolerance *graph.Tolerance `json:"tolerance,omitempty"`
	Why       string           `json:"why,omitempty"`
	Error     *Failure         `json:"error,omitempty"`

	Iterations int `json:"iterations"`
	Work
	CPU   *cpu.Times `json:"cpu,omitempty"`   // of this machine; set if --cpu was given
	Group *Group     `json:"group,omitempty"` // left out for a single device
	// PerIteration lists the launches of iterations, OtherLaunches those that
	// belong to none. Quantities explains the numbers in both.
	PerIteration  []scheduler.Step     `json:"per_iteration,omitempty"`
	OtherLaunches []scheduler.Step     `json:"other_launches,omitempty"`
	Quantities    []scheduler.Quantity `json:"quantities,omitempty"`
	Series        []scheduler.Series   `json:"series,omitempty"` // what the scheme recorded over time

	Found   string `json:"summary,omitempty"` // what the algorithm says of its answer: "12 colours"
	Summary string `json:"-"`                 // the range of the values
	Values  any    `json:"-"`                 // by vertex; values that are vertices are numbered as in the graph's file
}

// On describes the device that something ran on. It is part of the objects that
// --json prints.
type On struct {
	Device string `json:"device"`
	GPUs   int    `json:"gpus,omitempty"` // of a group; left out for a single device
	// ChosenGPUs says why it has as many GPUs, if the user asked for a choice.
	ChosenGPUs *choice.GPUs      `json:"gpus_chosen_by,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"` // parameters of the machine that were set
	// Machine has every parameter of a simulated machine, including those of
	// --set. MachineHash identifies them: runs with the same hash take the same
	// cycles.
	Machine     map[string]any `json:"machine,omitempty"`
	MachineHash string         `json:"machine_hash,omitempty"`

	Seed uint64 `json:"seed"`

	one string // the name of one GPU of a group
}

// OwnMachine reports whether the machine is not a preset as it stands, so that its name
// does not identify it.
func (o *On) OwnMachine() bool {
	return o.MachineHash != "" && (len(o.Parameters) > 0 || !slices.Contains(config.Presets(), strings.TrimPrefix(cmp.Or(o.one, o.Device), "sim:")))
}

// OnDevice describes a device.
func OnDevice(s *devices.Spec) On {
	on := On{Device: s.Name, GPUs: s.GPUs, one: s.One, Parameters: s.Overrides(), Seed: s.Options.Seed}
	on.Machine, on.MachineHash = s.Machine()
	return on
}

// Work is what a device did and how long it took. It is part of the objects
// that --json prints. Numbers that a device does not have (func has no clock)
// are left out.
type Work struct {
	Launches         int     `json:"launches"`
	Cycles           uint64  `json:"cycles,omitempty"`
	SimulatedSeconds float64 `json:"simulated_seconds,omitempty"`
	// KernelSeconds is the time of the launches that do the algorithm's work,
	// according to their steps. AlgorithmSeconds is the time from the first
	// launch until the host has the answer, SolveSeconds the part of it until
	// the host knows that the answer is complete in device memory.
	KernelSeconds     float64            `json:"kernel_seconds,omitempty"`
	AlgorithmSeconds  float64            `json:"algorithm_seconds,omitempty"`
	SolveSeconds      float64            `json:"solve_seconds,omitempty"`
	HostWork          device.HostWork    `json:"-"`                             // of a simulated host, in SolveSeconds beside the kernels
	DeviceBytes       uint64             `json:"device_memory_bytes,omitempty"` // of the buffers of an algorithm on one device
	WallSeconds       float64            `json:"wall_seconds"`                  // compile, copy, launch, verify
	LaunchWallSeconds float64            `json:"launch_wall_seconds"`           // inside launches only
	WarpInstructions  float64            `json:"warp_instructions"`
	Rate              float64            `json:"warp_instructions_per_second"` // per second of LaunchWallSeconds
	Calibration       calibrate.Measured `json:"calibration"`
	PeakMemory        uint64             `json:"peak_memory_bytes,omitempty"` // of this process
	Counters          map[string]float64 `json:"counters"`
	Sampled           *sim.Sampled       `json:"sampled,omitempty"` // set if --sample was given
	// Contended are the words of device memory for which atomics waited longest, the one with the most waiting time first.
	Contended []device.ContendedWord `json:"contended_words,omitempty"`
	// Kernels are the kernels that were launched, the one with the most time first, and
	// Bound is what decides how long all of it takes.
	Kernels []bound.Kernel `json:"kernels,omitempty"`
	Bound   *bound.Bound   `json:"bound,omitempty"`

	// Races are the data races that were found, those that the source marks as intended
	// last; nil if nobody looked for them.
	Races []device.Race `json:"races,omitzero"`
	// RacesForgotten counts accesses that were not compared with all later ones; see device.Races.Forget.
	RacesForgotten uint64 `json:"races_forgotten_accesses,omitempty"`

	Early string           `json:"-"` // how the work ended, if it ended early: the kind of the Failure
	All   []device.Counter `json:"-"` // in the device's order, for printing
}

// Take takes over a device's report of everything that it did, and the times on
// this machine: wall in total, inside within launches.
func (w *Work) Take(rep *device.Report, wall, inside time.Duration) {
	w.WallSeconds, w.LaunchWallSeconds = wall.Seconds(), inside.Seconds()
	w.PeakMemory = peakMemory()
	w.Counters = map[string]float64{}
	if rep != nil {
		w.Launches, w.Cycles, w.SimulatedSeconds = rep.Launches, rep.Cycles, rep.Seconds
		w.All, w.Contended = rep.Counters, rep.Contended
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

// RaceErr returns the error for races that the source does not mark as intended; nil if
// there are none.
func (w *Work) RaceErr() error { return device.RaceErr(w.Races) }

// ErrWrong is the error of a run whose answer the reference refutes.
var ErrWrong = errors.New("wrong answer")

// Err returns ErrWrong, with where the answer is wrong, or nil.
func (r *Result) Err() error {
	if r.Answer == AnswerWrong {
		return fmt.Errorf("%w: %s", ErrWrong, r.Why)
	}
	return nil
}

// Failure says why a run ended early.
type Failure struct {
	Kind    string `json:"kind"` // "hang", "undecided", "fault", "interrupted", "failure"
	Message string `json:"message"`
	Details any    `json:"details,omitempty"` // not set for the last kind, and for an interrupted run only if a kernel had run for long
}

// FailureOf returns the kind of an error that ended a run early.
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
		var stopped *device.InterruptedError
		if errors.As(err, &stopped) {
			e.Details = stopped
		}
	}
	return e
}

// WarpInstructions is the counter of warp instructions executed.
const WarpInstructions = counter.WarpInstructions

// fill takes over the result of the catalog's run; err is how it ended.
func (r *Result) fill(res *catalog.Result, err error) {
	r.Kernel, r.Notes, r.AlgParams = res.Kernel, res.Notes, res.Params
	r.Iterations, r.DeviceBytes, r.HostWork = res.Iterations, res.DeviceBytes, res.HostWork
	if r.Detail == nil { // the other launches take no simulated time
		r.KernelSeconds, r.AlgorithmSeconds, r.SolveSeconds = res.KernelSeconds(), res.AlgorithmSeconds, res.SolveSeconds
	}
	if x := r.Sampled; x != nil && r.KernelSeconds > 0 {
		r.KernelSeconds, r.AlgorithmSeconds, r.SolveSeconds = r.KernelSeconds+x.Corrected, r.AlgorithmSeconds+x.Corrected, r.SolveSeconds+x.Corrected
	}
	r.Series = res.Series
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
		r.Early = r.Error.Kind
	case res.Checked:
		r.Answer, r.Verified = AnswerVerified, &res.Verified
		r.Tolerance = res.Tolerance
		if res.Mismatch != nil {
			r.Answer, r.Why = AnswerWrong, res.Mismatch.Error()
		}
	case !res.Reference:
		r.Answer, r.Why = AnswerUnchecked, fmt.Sprintf("there is no CPU reference for this algorithm; %s compares it with answers of your own", option.Expect.With("FILE"))
	case res.Unchecked != nil:
		r.Answer, r.Why, r.Tolerance = AnswerUnchecked, res.Unchecked.Error(), res.Tolerance
	default:
		r.Answer, r.Why = AnswerUnchecked, "as asked"
	}
	r.Values, r.Found = res.Values, res.Summary
	if res.Values != nil {
		r.Summary = summarize(res.Values, res.Reference)
	}
}

// peakMemory returns the maximum resident set size of this process so far, in
// bytes; 0 if the system does not report it.
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
