package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/laps"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/scheduler"
)

// Request describes a run.
type Request struct {
	Algorithm string // "bfs", or "./dir.Type"
	Scheduler string // "warp", or Auto
	Graph     *graph.CSR
	Source    uint32 // for algorithms that have one
	// Params are parameters of the algorithm and of the scheme, as for Entry.Parameters; nil means the defaults.
	Params map[string]string
	Verify bool // compare the answer with the CPU reference, if there is one
	// Progress, if not nil, is called after each launch.
	Progress func(scheduler.Step)
}

// Result is the result of a run. If Run returns an error, it holds what was known when the run ended.
type Result struct {
	Algorithm string
	Scheduler string
	Chosen    *choice.Choice // why Auto chose the scheduler; nil if the request names one
	Kernel    string         // the entry point that did the work: that of the first iteration, or the first one not used for setup
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
	DeviceBytes uint64 // of the buffers; see scheduler.Outcome

	outcome *scheduler.Outcome
}

// KernelSeconds returns the device time of the launches, not including setup; comparisons and records use it.
func (r *Result) KernelSeconds() (seconds float64) {
	for _, s := range r.Steps {
		if !s.Setup {
			seconds += s.Seconds
		}
	}
	return seconds
}

// Launches returns the number of launches, not including setup.
func (r *Result) Launches() (n int) {
	for _, s := range r.Steps {
		if !s.Setup {
			n++
		}
	}
	return n
}

// Checked is a request whose names and values have been checked, with what they stand for. Catalog.Check makes it, and Run
// trusts it. The Source of the request may be set until then.
type Checked struct {
	Request
	Entry  Entry      // of the algorithm with the scheduler that is named, or that Auto chose for the graph
	Values Parameters // of both
	on     *Catalog
}

// Check resolves the names of a request for a device of so many GPUs, and checks its parameters.
func (c *Catalog) Check(ctx context.Context, req Request, dev string, gpus int) (*Checked, error) {
	if req.Graph == nil {
		return nil, errors.New("no graph to run on")
	}
	e, err := c.Resolve(ctx, req.Algorithm, req.Scheduler, req.Graph, gpus)
	if err != nil {
		return nil, err
	}
	if err := c.Fits(e, dev, gpus); err != nil {
		return nil, err
	}
	params, err := e.ParametersOn(gpus, req.Params)
	if err != nil {
		return nil, err
	}
	return &Checked{req, e, params, c}, nil
}

// Run performs a request on a device. The result is nil only if the request itself is invalid; a wrong answer is not
// an error but is reported in Result.Mismatch.
func (c *Catalog) Run(ctx context.Context, dev device.Device, req Request) (*Result, error) {
	gpus := 1
	if g, ok := device.AsGroup(dev); ok {
		gpus = g.GPUs()
	}
	checked, err := c.Check(ctx, req, dev.Name(), gpus)
	if err != nil {
		return nil, err
	}
	return checked.Run(ctx, dev)
}

// Run performs the request on the device that it was checked for. Its result and its error are those of Catalog.Run: what
// remains to go wrong before the first launch is the graph, which the algorithm may need with weights.
func (c *Checked) Run(ctx context.Context, dev device.Device) (*Result, error) {
	e, req := c.Entry, c.Request
	res := &Result{Algorithm: req.Algorithm, Scheduler: e.Scheduler.Name, Chosen: e.Chosen, Kernel: e.Kernel, Value: "value"}
	if err := res.prepare(ctx, e, req.Graph); err != nil {
		return nil, err
	}
	params, err := c.Values.on(e, res.Graph)
	if err != nil {
		return nil, err
	}
	res.Params = params.Algorithm
	if h := e.Algorithm.Host; h != nil && h.Phased != nil && !h.Phased(params.scalars) {
		e.Type.Phased = false
	}
	clock := newClocked(dev)
	job := scheduler.Job{Device: clock, Kernels: c.on.compiler, Algorithm: e.Type, AlgorithmParams: params.Algorithm,
		Graph: res.Graph, Source: req.Source, Params: params.values, Progress: req.Progress}
	if h := e.Algorithm.Host; h != nil {
		job.Linked = h.Device
	}
	moved := device.RemoteUses(dev)
	err = res.run(ctx, e.Scheduler, job)
	if res.Communication != nil {
		res.Communication.Remote = scheduler.ByCause(e.Scheduler.Remote, moved, device.RemoteUses(dev))
	}
	res.Report = dev.Total()
	if err != nil {
		return res, err
	}
	res.AlgorithmSeconds, res.SolveSeconds = clock.seconds(), clock.until(res.outcome.Solved)
	res.DeviceBytes, res.HostWork = res.outcome.DeviceBytes, res.outcome.HostWork.Since(clock.before)
	in := scheduler.Input{Graph: res.Graph, Source: req.Source, Params: params.scalars}
	if g := res.outcome.Graph; g != nil {
		in.Graph = g
		in.Source, _ = g.VertexOf(res.Graph.FileID(req.Source))
	}
	err = res.judge(ctx, e.Algorithm.Host, req, in)
	res.reorder(e.Algorithm.Host)
	return res, err
}

// Fits returns an error if the scheme of an entry uses one GPU, or does so for its algorithm, and the device is a group of several. The error names
// those that run the algorithm on all.
func (c *Catalog) Fits(e Entry, dev string, gpus int) error {
	why := e.TakesGroup()
	if gpus <= 1 || why == nil {
		return nil
	}
	var all []string
	for _, s := range c.Schedulers() {
		defaults, err := s.Values(nil)
		if err == nil && s.Accepts(e.Type, defaults) == nil && s.AcceptsGroup(e.Type, defaults) == nil {
			all = append(all, s.Name)
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("%w, and %s is a group of %d; no scheduler runs %s on several", why, dev, gpus, e.Algorithm.Name)
	}
	return fmt.Errorf("%w, and %s is a group of %d; schedulers that run %s on all of them: %s", why, dev, gpus, e.Algorithm.Name, strings.Join(all, ", "))
}

// TakesGroup returns nil if the scheme of an entry spreads the work of its algorithm over several GPUs; otherwise the error says why not.
func (e Entry) TakesGroup() error {
	defaults, err := e.Scheduler.Values(nil)
	if err != nil {
		return err
	}
	return e.Scheduler.AcceptsGroup(e.Type, defaults)
}

// run executes the scheme's host loop; everything measured for a whole run is measured here.
func (r *Result) run(ctx context.Context, s scheduler.Scheme, job scheduler.Job) error {
	out, err := s.Run(ctx, job)
	if out == nil {
		return err
	}
	r.outcome, r.Steps, r.Iterations, r.Values, r.Arrays = out, out.Steps, out.Iterations, out.Values, out.Arrays
	r.Series, r.Communication = out.Series, out.Communication
	if i := slices.IndexFunc(r.Steps, func(s scheduler.Step) bool { return s.Iteration > 0 }); i >= 0 {
		r.Kernel = r.Steps[i].Kernel
	} else if i := slices.IndexFunc(r.Steps, func(s scheduler.Step) bool { return !s.Setup }); i >= 0 {
		r.Kernel = r.Steps[i].Kernel
	}
	return errors.Join(err, declared(s, r.Steps))
}

// declared checks that a run reports only quantities that the scheme lists.
func declared(s scheduler.Scheme, steps []scheduler.Step) error {
	for _, step := range steps {
		for _, n := range step.Numbers {
			if !slices.ContainsFunc(s.Quantities, func(q scheduler.Quantity) bool { return q.Name == n.Name }) {
				return fmt.Errorf("scheduler %s reports %q of a launch of %s, which is none of its Quantities", s.Name, n.Name, step.Kernel)
			}
		}
	}
	return nil
}

// prepare converts the graph to the kind that the algorithm requires, and adds notes. It assigns weights if a graph
// has none, and never replaces existing ones.
func (r *Result) prepare(ctx context.Context, e Entry, g *graph.CSR) (err error) {
	if h := e.Algorithm.Host; h != nil {
		r.Value, r.Reference = cmp.Or(h.Value, r.Value), h.Checks()
	}
	if e.Type.Symmetric && !g.Symmetric {
		before := g.Arcs()
		directed := g
		if g, err = memo.Do(ctx, closureOf{directed}, (*graph.CSR).Bytes, func() (*graph.CSR, error) { return directed.Symmetrize(ctx) }); err != nil {
			return err
		}
		r.Notes = append(r.Notes, fmt.Sprintf("the graph is directed: %s runs on its symmetric closure (%d arcs added)", r.Algorithm, g.Arcs()-before))
	}
	if e.Type.Weighted {
		if g.BadWeights != nil {
			return fmt.Errorf("%s uses weights: %w", r.Algorithm, g.BadWeights)
		}
		if g.Weight == nil {
			bare := g
			if g, err = memo.Do(ctx, weightedOf{bare}, (*graph.CSR).Bytes, func() (*graph.CSR, error) {
				weighted, _, err := bare.WithWeights(ctx)
				return weighted, err
			}); err != nil {
				return err
			}
			r.Notes = append(r.Notes, "the graph has no weights: assigned "+graph.HashRule)
		}
	}
	r.Graph = g
	return nil
}

// The keys of graphs that a memo keeps: the symmetric closure of a graph, and a graph with weights.
type (
	closureOf  struct{ *graph.CSR }
	weightedOf struct{ *graph.CSR }
)

// judge converts values to the answer and compares it with the reference.
func (r *Result) judge(ctx context.Context, h *scheduler.Host, req Request, in scheduler.Input) (err error) {
	if h == nil {
		return nil
	}
	out := r.outcome
	if h.Answer != nil {
		if r.Values, err = h.Answer(out); err != nil {
			return err
		}
	}
	if h.Summary != nil {
		r.Summary = h.Summary(r.Values)
	}
	if req.Verify && h.Checks() {
		ctx := laps.With(ctx, nil) // the reference's preparation is not the run's
		r.Tolerance, r.Mismatch = h.Judge(ctx, in, out, r.Values)
		if err := ctx.Err(); err != nil {
			r.Mismatch = nil // unknown
			return err
		}
		if none := (*reference.NoBoundError)(nil); errors.As(r.Mismatch, &none) {
			r.Mismatch, r.Unchecked = nil, none
			return nil
		}
		r.Checked, r.Verified = true, r.Mismatch == nil
	}
	return nil
}

// typeOf describes an algorithm's type, once.
func (c *Catalog) typeOf(a Algorithm) (scheduler.Type, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.types[a.Type]; ok {
		return t, nil
	}
	dot := strings.LastIndex(a.Type, ".")
	t, _, err := c.describe(a.Type[:dot], a.Type[dot+1:])
	if err == nil {
		c.types[a.Type] = t
	}
	return t, err
}

// Params returns the parameters of an algorithm with their defaults.
func (c *Catalog) Params(a Algorithm) (map[string]string, error) {
	t, err := c.typeOf(a)
	if err != nil {
		return nil, err
	}
	values, err := t.Scalars(nil)
	if err != nil {
		return nil, err
	}
	params := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		params[name] = fmt.Sprint(values[name])
	}
	return params, nil
}

// shared returns the program's catalog.
var shared = sync.OnceValues(func() (*Catalog, error) { return New() })

// Shared returns the program's catalog.
func Shared() (*Catalog, error) { return shared() }

// Extend adds schemes and algorithms to the program's catalog. It returns the same errors as New.
func Extend(x Extensions) error {
	c, err := shared()
	if err != nil {
		return err
	}
	return c.Extend(x)
}

// Kernels returns the compiler for the program's own sources: a device.Kernels that can also list and check kernels. It takes
// kernels of files of PTX as well: "prog.ptx:add", or "prog.ptx" if it has one kernel.
func Kernels() (Compiler, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	extending.Do(func() {
		extended = &withModules{Compiler: c.Compiler(), modules: map[string]*readptx.Module{}, files: map[string]bool{}, kernels: map[*ir.Kernel]*device.Kernel{}}
	})
	return extended, nil
}

// extended is the compiler of the program's catalog, with the modules of PTX that were read.
var (
	extending sync.Once
	extended  *withModules
)

// Lookup calls Catalog.Lookup of the program's catalog.
func Lookup(algorithm, sched string) (Entry, error) {
	c, err := shared()
	if err != nil {
		return Entry{}, err
	}
	return c.Lookup(algorithm, sched)
}

// Params calls Catalog.Params of the program's catalog.
func Params(a Algorithm) (map[string]string, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return c.Params(a)
}

// Run calls Catalog.Run of the program's catalog.
func Run(ctx context.Context, dev device.Device, req Request) (*Result, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, dev, req)
}
