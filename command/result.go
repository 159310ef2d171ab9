package command

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/internal/buildinfo"
	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/scheduler/bsp"
)

// The words for an answer in runResult.
const (
	answerVerified   = "verified"     // it agrees with the CPU reference
	answerWrong      = "wrong"        // it does not
	answerUnchecked  = "not verified" // nobody compared it
	answerIncomplete = "incomplete"   // the run ended early
)

// runResult is what a run gave: the object that --json prints. Numbers that a
// device does not have (func has no clock) are left out.
type runResult struct {
	Command   string         `json:"command"`
	Build     buildinfo.Info `json:"build"`
	Algorithm string         `json:"algorithm"`
	Scheduler string         `json:"scheduler"`
	Kernel    string         `json:"kernel"` // entry point of an iteration

	Device     string            `json:"device"`
	Parameters map[string]string `json:"parameters,omitempty"` // of the machine, where set
	Seed       uint64            `json:"seed"`
	Detail     *devices.Detail   `json:"detail,omitempty"` // where --detail was given

	Graph     graphFacts        `json:"graph"`
	Notes     []string          `json:"notes,omitempty"`  // what the run changed about the graph
	Source    *uint64           `json:"source,omitempty"` // its id in the graph's file
	AlgParams map[string]string `json:"algorithm_parameters,omitempty"`

	Answer   string `json:"answer"`   // one of the answer constants
	Verified *bool  `json:"verified"` // null where nobody compared it
	// Tolerance is how exactly a verified answer agrees; left out where it agrees bit by bit.
	Tolerance *reference.Tolerance `json:"tolerance,omitempty"`
	Why       string               `json:"why,omitempty"`
	Error     *errorJSON           `json:"error,omitempty"`

	Iterations        int                `json:"iterations"`
	Launches          int                `json:"launches"`
	Cycles            uint64             `json:"cycles,omitempty"`
	SimulatedSeconds  float64            `json:"simulated_seconds,omitempty"`
	WallSeconds       float64            `json:"wall_seconds"`        // compile, copy, launch, verify
	LaunchWallSeconds float64            `json:"launch_wall_seconds"` // inside launches only
	WarpInstructions  float64            `json:"warp_instructions"`
	Rate              float64            `json:"warp_instructions_per_second"` // of LaunchWallSeconds
	Calibration       calibration        `json:"calibration"`
	PeakMemory        uint64             `json:"peak_memory_bytes,omitempty"` // of this process
	Counters          map[string]float64 `json:"counters"`
	PerIteration      []bsp.Iteration    `json:"per_iteration,omitempty"`

	counters []device.Counter // in the device's order, for people
	summary  string           // of the values
}

// calibration is a rate of a fixed loop, measured in the same run, so that
// rates compare across machines.
type calibration struct {
	What string  `json:"what"`
	Rate float64 `json:"per_second"`
}

// errorJSON is why a run ended early.
type errorJSON struct {
	Kind    string `json:"kind"` // "hang", "undecided", "fault", "interrupted", "failure"
	Message string `json:"message"`
	Details any    `json:"details,omitempty"` // but of the last two
}

func errorOf(err error) *errorJSON {
	var hang *device.HangError
	var undecided *device.UndecidedError
	var fault *device.Fault
	e := &errorJSON{Kind: "failure", Message: err.Error()}
	switch {
	case errors.As(err, &hang):
		e.Kind, e.Details = "hang", hang
	case errors.As(err, &undecided):
		e.Kind, e.Details = "undecided", undecided
	case errors.As(err, &fault):
		e.Kind, e.Details = "fault", fault
	case hasEnded(err):
		e.Kind, e.Message = "interrupted", errInterrupted.Error()
	}
	return e
}

// warpInstructions is the counter of warp instructions executed.
const warpInstructions = "smsp__inst_executed.sum"

// fill takes over what the catalog's run gave; err is how it ended.
func (r *runResult) fill(res *catalog.Result, err error) {
	r.Kernel, r.Notes = res.Kernel, res.Notes
	r.Iterations, r.PerIteration = len(res.Iterations), res.Iterations
	switch {
	case err != nil:
		r.Answer, r.Error = answerIncomplete, errorOf(err)
	case res.Checked:
		r.Answer, r.Verified = answerVerified, &res.Verified
		r.Tolerance = res.Tolerance
		if res.Mismatch != nil {
			r.Answer, r.Why = answerWrong, res.Mismatch.Error()
		}
	case !res.Reference:
		r.Answer, r.Why = answerUnchecked, "there is no CPU reference for this algorithm"
	case res.Unchecked != nil:
		r.Answer, r.Why, r.Tolerance = answerUnchecked, res.Unchecked.Error(), res.Tolerance
	default:
		r.Answer, r.Why = answerUnchecked, "as asked"
	}
	if res.Values != nil {
		r.summary = summarize(res.Values, res.Reference)
	}
	if rep := res.Report; rep != nil {
		r.Launches, r.Cycles, r.SimulatedSeconds = rep.Launches, rep.Cycles, rep.Seconds
		r.counters = rep.Counters
		for _, c := range rep.Counters {
			r.Counters[c.Name] = c.Value
		}
		r.WarpInstructions, _ = rep.Counter(warpInstructions)
	}
	if r.LaunchWallSeconds > 0 {
		r.Rate = r.WarpInstructions / r.LaunchWallSeconds
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
