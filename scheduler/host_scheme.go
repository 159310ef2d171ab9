//go:build !kernel

package scheduler

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
)

// Scheme is a way to distribute an algorithm's work over a GPU, written once for all
// algorithms. Each package below this one exports one or more; the rest of the program
// knows nothing else about them.
type Scheme struct {
	Name string // as a user types it: "warp"
	Doc  string // one line
	// Sources are the packages of device code with the scheme's kernels, and those that
	// they import besides gpu and scheduler.
	Sources []gpu.Package
	// Params are the parameters that a user can set. Quantities are what each step reports
	// besides the time.
	Params     []Param
	Quantities []Quantity
	// PhasesInKernel reports whether a kernel goes from phase to phase by itself, so that a
	// phase of an algorithm costs no launch.
	PhasesInKernel bool
	// Groups reports whether the scheme spreads its work over all GPUs of a device.Group. On a
	// group, a scheme that does not would use GPU 0 alone.
	Groups bool
	// TakesGroup returns nil if the scheme can run an algorithm that it takes, with these parameters, on several GPUs; otherwise the error says why not. A nil
	// TakesGroup accepts all, if Groups is set.
	TakesGroup func(a Type, p Values) error
	// Remote says of buffers, by name, why a GPU of a group accesses them in the memory of another one, or copies into them.
	Remote map[string]Cause
	// WholeRows reports whether the graph in device memory that a pull traverses has the row of every vertex, under its own
	// number, so that algorithms may look at rows (Edge.Common).
	WholeRows bool
	// Takes returns nil if the scheme can run an algorithm with these parameters; otherwise
	// the error says why not. A nil Takes accepts every algorithm.
	Takes func(a Type, p Values) error
	// Kernels returns all kernels that the scheme may launch for an algorithm that it
	// takes, whatever its parameters. The first one is the one that does the work by
	// default.
	Kernels func(a Type) []EntryPoint
	// Run is the host loop. After the first launch it returns an outcome even if there is
	// an error: the steps so far, without values.
	Run func(ctx context.Context, j Job) (*Outcome, error)
}

// Accepts returns nil if the scheme can run an algorithm with these parameters; otherwise the error says why not.
func (s Scheme) Accepts(a Type, p Values) error {
	if a.Neighbors && !s.WholeRows {
		return fmt.Errorf("%s looks at the neighbors of both ends of an arc (Edge.Common), and the scheme does not have the whole graph in one piece", a.Name)
	}
	if s.Takes == nil {
		return nil
	}
	return s.Takes(a, p)
}

// AcceptsGroup returns nil if the scheme can run an algorithm that it accepts on several GPUs with these parameters; otherwise the error says why not.
func (s Scheme) AcceptsGroup(a Type, p Values) error {
	if !s.Groups {
		return fmt.Errorf("scheduler %s uses one GPU", s.Name)
	}
	if s.TakesGroup == nil {
		return nil
	}
	return s.TakesGroup(a, p)
}

// EntryPoint is a kernel that a scheme launches.
type EntryPoint struct {
	// Name is the kernel as the compiler accepts it: "bsp.Push[kernels.BFS,
	// scheduler.WarpPerVertex, uint32]". A kernel of another module has its import path
	// before it: "example.com/mine/octet.Push[kernels.BFS, uint32]".
	Name string
	Bind map[string]any // values of parameters that are bound at compile time; may be nil
	What string         // what the kernel does: "one push iteration"
}

// Job is one run of an algorithm by a scheme.
type Job struct {
	Device    device.Device // a device.Concurrent if it can run several launches at the same time
	Kernels   device.Kernels
	Algorithm Type
	// Linked is a value of the algorithm's type, for schemes whose host runs its methods
	// (Expand); nil if the type is only compiled for devices.
	Linked any
	// AlgorithmParams are values of the algorithm's scalar fields by name; fields that are
	// not given have their defaults.
	AlgorithmParams map[string]string
	Graph           *graph.CSR
	Source          uint32
	Params          Values // of the scheme, see Scheme.Values
	// Progress, if set, is called after each step.
	Progress func(Step)
}

// Check returns an error if the graph has no vertices or does not contain the source.
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

// Outcome is the result of a run.
type Outcome struct {
	Values any            // a slice with one value per vertex; nil after an error
	Arrays map[string]any // the algorithm's arrays, by field name
	Steps  []Step         // the launches, in order
	Series []Series       // what the scheme recorded over time; nil if nothing
	// Graph is the graph in whose numbers of vertices Values and Arrays are, if the scheme has renumbered that of the job (RunDivided);
	// otherwise nil.
	Graph *graph.CSR
	// Iterations is the number of times that all active vertices were processed; 0 if the
	// scheme has no iterations.
	Iterations int
	// Solved is the time on the device's clock at which the host knew the end of the last launch, or of
	// what it read last: the answer is complete in device memory. It is 0 if the device has no clock.
	Solved float64
	// HostWork is what a simulated host had done by then.
	HostWork device.HostWork
	// DeviceBytes is the size of all buffers in device memory; 0 for a scheme whose GPUs each have their own.
	DeviceBytes uint64
	// Rounds is the number of times that a vertex may have been processed, if Iterations
	// does not say so. Bounds of rounding errors depend on it.
	Rounds int
	// Communication is what the GPUs of a group sent each other; nil if the scheme uses one GPU.
	Communication *Communication
}

// MostRounds returns the number of times that a vertex may have been processed: the larger
// one of Rounds and Iterations.
func (o *Outcome) MostRounds() int { return max(o.Rounds, o.Iterations) }

// NotConverged is the error of a run that reached its limit of iterations.
type NotConverged struct {
	Algorithm  string
	Iterations int
	Active     int // vertices that are still active
}

// Error names the algorithm and the limit.
func (e *NotConverged) Error() string {
	return fmt.Sprintf("%s did not end within %d iterations: %d vertices are still active", e.Algorithm, e.Iterations, e.Active)
}
