package weft

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/scheduler"
)

// Request is a run of a graph algorithm. "weft list" has the names and parameters; Extend adds to them.
type Request struct {
	Algorithm string     // "bfs", or "./dir.Type" for a type in a directory
	Scheduler string     // "warp", or "auto"
	Graph     *graph.CSR // package graph reads and generates graphs
	Source    uint32     // a vertex, for algorithms that have one
	// Params are parameters of the algorithm and of the scheme by name; nil means the defaults.
	Params map[string]string
	Verify bool // compare the answer with the CPU reference, if there is one
	// Progress, if not nil, is called after each launch.
	Progress func(scheduler.Step)
}

// Result is what a run gave. If Run returns an error, it holds what was known when the run ended.
type Result struct {
	Algorithm string
	Scheduler string
	Chosen    *Choice // why "auto" chose the scheduler; nil if the request names one
	Kernel    string  // the entry point that did the work: that of the first iteration, or the first one not used for setup
	// Graph is the graph on which the algorithm ran: the request's, or one made symmetric or given weights, as Notes
	// say.
	Graph *graph.CSR
	Notes []string
	// Params are the values of the algorithm's parameters in this run, by name; defaults may depend on the graph.
	Params map[string]string
	// Reference means that the algorithm has a CPU reference; Checked, that the answer was compared with it; Verified,
	// that they agree. Mismatch says how they differ, and Unchecked why they could not be compared.
	Reference, Checked, Verified bool
	Mismatch, Unchecked          error
	Tolerance                    *graph.Tolerance         // how closely they agree; nil if values must be equal, or nothing was checked
	Values                       any                      // by vertex: []uint32, []float32, ...; nil after an error
	Value                        string                   // the meaning of a value: "level", "rank"; "value" for a user's algorithm
	Summary                      string                   // what the values amount to, if the algorithm says so: "12 colours"
	Arrays                       map[string]any           // the algorithm's own arrays, by field name
	Steps                        []scheduler.Step         // the launches, in order
	Series                       []scheduler.Series       // what the scheme recorded over time; nil if nothing
	Communication                *scheduler.Communication // what the GPUs of a group sent each other; nil if the scheme uses one GPU
	Iterations                   int                      // 0 for a scheme without iterations
	Report                       *device.Report           // total over everything that the device has done so far
	// AlgorithmSeconds is the time on the device's clock from the first launch until the host has the answer:
	// launches, copies and the host loop, but neither the earlier copy of the graph to the device nor later work on
	// the answer. It is 0 if the device has no clock or the run ended early.
	AlgorithmSeconds float64
	// SolveSeconds is the part of AlgorithmSeconds until the host knows that the answer is complete in device memory:
	// all but the copy of the answer to the host.
	SolveSeconds float64
	// HostWork is what a simulated host did in SolveSeconds beside the kernels.
	HostWork    device.HostWork
	DeviceBytes uint64 // of the buffers
}

// Choice is which scheme "auto" chose, and why.
type Choice struct {
	By        string            // "auto"
	Rule      int               // the number of the rule, from 1; "weft list auto" prints the rules
	Condition string            // the rule's
	Scheme    string            // the scheme that it chose
	Params    map[string]string // parameters of the scheme that the rule sets; a request's own replace them
	Evidence  string            // what the rule rests on
	Facts     graph.Shape       // what was known of the graph
}

// String says by which rule the scheme was chosen, in one line.
func (c Choice) String() string { return choice.Choice(c).String() }

// Extensions are schemes and algorithms of your own: functions that return a
// scheduler.Scheme, and functions that return a scheduler.Host.
type Extensions struct {
	Schemes    []func() scheduler.Scheme
	Algorithms []func() scheduler.Host
}

// KernelSeconds returns the device time of the launches, not including setup; comparisons and records use it.
func (r *Result) KernelSeconds() (seconds float64) {
	return (&catalog.Result{Steps: r.Steps}).KernelSeconds()
}

// Launches returns the number of launches, not including setup.
func (r *Result) Launches() (n int) { return (&catalog.Result{Steps: r.Steps}).Launches() }

// Run runs a graph algorithm on a device. A wrong answer is no error: see
// Result.Mismatch. If an error or ctx ends the run early, the result has what is
// known of it; it is nil if nothing was run.
func Run(ctx context.Context, dev *Device, r Request) (*Result, error) {
	res, err := catalog.Run(ctx, dev.Device, catalog.Request(r))
	return resultOf(res), err
}

// resultOf returns what a user may see of a result. TestResult checks that nothing is left out.
func resultOf(r *catalog.Result) *Result {
	if r == nil {
		return nil
	}
	return &Result{
		Algorithm: r.Algorithm, Scheduler: r.Scheduler, Chosen: (*Choice)(r.Chosen), Kernel: r.Kernel, Graph: r.Graph, Notes: r.Notes, Params: r.Params,
		Reference: r.Reference, Checked: r.Checked, Verified: r.Verified, Mismatch: r.Mismatch, Unchecked: r.Unchecked, Tolerance: r.Tolerance,
		Values: r.Values, Value: r.Value, Summary: r.Summary, Arrays: r.Arrays, Steps: r.Steps, Series: r.Series, Communication: r.Communication,
		Iterations: r.Iterations, Report: r.Report, AlgorithmSeconds: r.AlgorithmSeconds, SolveSeconds: r.SolveSeconds, DeviceBytes: r.DeviceBytes, HostWork: r.HostWork,
	}
}

// Extend makes schemes and algorithms available to Run and to the command line, by
// their names. It is an error if one is not valid, or if there is another
// algorithm or scheme of its name.
func Extend(x Extensions) error { return catalog.Extend(catalog.Extensions(x)) }
