//go:build !kernel

package scheduler

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
)

// Scheme is a way to distribute an algorithm's work over a GPU, written once
// for all algorithms: what a package below this one exports, and all that the
// rest of the program knows of it.
type Scheme struct {
	Name string // as a user types it: "warp"
	Doc  string // one line
	// Sources are the packages of device code that hold the scheme's kernels, with
	// those that they import beside gpu and scheduler.
	Sources []gpu.Package
	// Params are what a user may set, and Quantities what its steps say beside
	// the time.
	Params     []Param
	Quantities []Quantity
	// Takes says why the scheme cannot run an algorithm with these parameters;
	// nil where it can. A nil Takes takes every algorithm.
	Takes func(a Type, p Values) error
	// Kernels are all that the scheme may launch for an algorithm that it takes,
	// whatever its parameters; the first is where the work is done by default.
	Kernels func(a Type) []EntryPoint
	// Run is the host loop. Once the first launch was made it returns an outcome
	// also with an error: the steps so far, and no values.
	Run func(ctx context.Context, j Job) (*Outcome, error)
}

// EntryPoint is a kernel that a scheme launches.
type EntryPoint struct {
	// Name is the kernel as the compiler takes it:
	// "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]".
	Name string
	Bind map[string]any // values of parameters that are fixed at compile time; nil for none
	What string         // what it does: "an iteration, pushing"
}

// Job is one run of an algorithm by a scheme.
type Job struct {
	Device    device.Device // a device.Concurrent where it can run several launches at a time
	Kernels   device.Kernels
	Algorithm Type
	// AlgorithmParams are values of the algorithm's scalar fields by name; the
	// others have their defaults.
	AlgorithmParams map[string]string
	Graph           *graph.CSR
	Source          uint32
	Params          Values // of the scheme, see Scheme.Values
	// Progress, where set, is called after each step.
	Progress func(Step)
}

// Check refuses a graph without vertices and a source that is not in it.
func (j Job) Check() error {
	n := j.Graph.Vertices()
	if n < 1 {
		return fmt.Errorf("graph %s has no vertices", j.Graph.Name)
	}
	if uint64(j.Source) >= uint64(n) {
		return fmt.Errorf("source %d: graph %s has vertices 0 to %d", j.Source, j.Graph.Name, n-1)
	}
	return nil
}

// Outcome is what a run left.
type Outcome struct {
	Values any            // a slice with the value of each vertex; nil after an error
	Arrays map[string]any // the algorithm's own arrays, by field name
	Steps  []Step         // what was launched, in order
	// Iterations is how often all active vertices were worked off; 0 in a scheme
	// that has no iterations.
	Iterations int
	// Rounds is how often a vertex may have been worked off, where Iterations does
	// not say it: bounds of rounding errors depend on it.
	Rounds int
}

// MostRounds is how often a vertex may have been worked off: the larger of Rounds
// and Iterations.
func (o *Outcome) MostRounds() int { return max(o.Rounds, o.Iterations) }

// NotConverged is the error of a run that reached its limit of iterations.
type NotConverged struct {
	Algorithm  string
	Iterations int
	Active     int // vertices still active
}

// Error names the algorithm and the limit.
func (e *NotConverged) Error() string {
	return fmt.Sprintf("%s did not end within %d iterations: %d vertices are still active", e.Algorithm, e.Iterations, e.Active)
}
