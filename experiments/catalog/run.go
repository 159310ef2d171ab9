package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/internal/compile"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/scheduler/bsp"
)

// Request is what a user wants to be run.
type Request struct {
	Algorithm string // "bfs", or "./dir.Type"
	Scheduler string // "warp"
	Graph     *graph.CSR
	Source    uint32            // for algorithms that have one
	Params    map[string]string // of the algorithm, by name; nil for the defaults
	Verify    bool              // compare the answer with the CPU reference, where there is one
	// Block is the threads a block; 0 for bsp.DefaultBlock.
	Block int
	// MaxIterations ends a run that does not converge; 0 for bsp's limit.
	MaxIterations int
	// Progress, where set, is called after each iteration.
	Progress func(bsp.Iteration)
}

// Result is what a run gave. With an error of Run it holds what was known when
// the run ended.
type Result struct {
	Algorithm string
	Scheduler string
	Kernel    string // entry point of an iteration
	// Graph is the graph that was run: the request's, made symmetric or given
	// weights where Notes say so.
	Graph *graph.CSR
	Notes []string
	// Reference says that there is a CPU reference for the algorithm; Checked,
	// that the answer was compared with it. Verified is that they agree, and
	// Mismatch says how they differ. Unchecked is why they could not be compared.
	Reference, Checked, Verified bool
	Mismatch, Unchecked          error
	Tolerance                    *reference.Tolerance // how exactly they agree; nil where values must be equal, or nothing was checked
	Values                       any                  // by vertex: []uint32, []float32, ...; nil after an error
	Value                        string               // what one is: "level", "rank"; "value" for a user's algorithm
	Arrays                       map[string]any       // the algorithm's own arrays, by field name
	Iterations                   []bsp.Iteration
	Report                       *device.Report // all that the device has done so far
}

// Run runs a request on a device. The result is never nil unless the request
// itself is wrong; a wrong answer is no error but Result.Mismatch.
func (c *Catalog) Run(ctx context.Context, dev device.Device, req Request) (*Result, error) {
	e, err := c.Lookup(req.Algorithm, req.Scheduler)
	if err != nil {
		return nil, err
	}
	t, err := c.typeOf(e.Algorithm)
	if err != nil {
		return nil, err
	}
	scalars, err := t.Scalars(req.Params)
	if err != nil {
		return nil, err
	}
	if h := e.Algorithm.Host; h != nil && h.Params != nil {
		if err := h.Params(scalars); err != nil {
			return nil, fmt.Errorf("%s: %w", req.Algorithm, err)
		}
	}
	if req.Graph == nil {
		return nil, errors.New("no graph to run on")
	}
	res := &Result{Algorithm: req.Algorithm, Scheduler: req.Scheduler, Kernel: e.Kernel, Value: "value"}
	if err := res.prepare(ctx, e.Algorithm, req.Graph); err != nil {
		return nil, err
	}
	run := bsp.Run{
		Device: dev, Kernels: c.compiler, Algorithm: t, Params: req.Params,
		Init: e.Init, Step: e.Kernel, Team: e.Scheduler.Team,
		Graph: res.Graph, Source: req.Source, Block: req.Block, MaxIterations: req.MaxIterations, Progress: req.Progress,
	}
	loop := bsp.RunPush
	if e.Algorithm.Pull {
		loop = bsp.RunPull
	}
	out, err := loop(ctx, run)
	res.Report = dev.Total()
	if out != nil {
		res.Iterations, res.Values, res.Arrays = out.Iterations, out.Values, out.Arrays
	}
	if err != nil {
		return res, err
	}
	return res, res.judge(ctx, e.Algorithm.Host, req, kernels.Problem{Graph: res.Graph, Source: req.Source, Params: scalars})
}

// prepare gives the algorithm the kind of graph it wants, and says so. Weights
// are assigned where a graph has none, and never in the place of some that it has.
func (r *Result) prepare(ctx context.Context, a Algorithm, g *graph.CSR) (err error) {
	h := a.Host
	if h != nil {
		r.Value, r.Reference = h.Value, h.Check != nil
	}
	if h != nil && h.Symmetric && !g.Symmetric {
		before := g.Arcs()
		if g, err = g.Symmetrize(ctx); err != nil {
			return err
		}
		r.Notes = append(r.Notes, fmt.Sprintf("the graph is directed: %s runs on its symmetric closure (%d arcs added)", r.Algorithm, g.Arcs()-before))
	}
	if a.HasWeights() {
		if g.BadWeights != nil {
			looks := "looks"
			if h == nil {
				looks = "may look"
			}
			return fmt.Errorf("%s %s at weights: %w", r.Algorithm, looks, g.BadWeights)
		}
		var assigned bool
		if g, assigned, err = g.WithWeights(ctx); err != nil {
			return err
		}
		if assigned {
			r.Notes = append(r.Notes, "the graph has no weights: assigned "+graph.HashRule)
		}
	}
	r.Graph = g
	return nil
}

// judge turns values into the answer and compares it with the reference.
func (r *Result) judge(ctx context.Context, h *kernels.Host, req Request, p kernels.Problem) (err error) {
	if h == nil {
		return nil
	}
	left := kernels.Left{Values: r.Values, Arrays: r.Arrays, Iterations: len(r.Iterations)}
	if h.Answer != nil {
		if r.Values, err = h.Answer(left); err != nil {
			return err
		}
	}
	if req.Verify && h.Check != nil {
		r.Tolerance, r.Mismatch = h.Check(ctx, p, left, r.Values)
		if err := ctx.Err(); err != nil {
			r.Mismatch = nil // nobody knows
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

// Params lists the parameters of an algorithm with their defaults.
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

// shared is the catalog of the program.
var shared = sync.OnceValues(New)

// Kernels is the compiler over the program's own sources: a device.Kernels that
// also lists and checks kernels.
func Kernels() (*compile.Compiler, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return c.Compiler(), nil
}

// Lookup is Catalog.Lookup of the program's catalog.
func Lookup(algorithm, sched string) (Entry, error) {
	c, err := shared()
	if err != nil {
		return Entry{}, err
	}
	return c.Lookup(algorithm, sched)
}

// Params is Catalog.Params of the program's catalog.
func Params(a Algorithm) (map[string]string, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return c.Params(a)
}

// Run is Catalog.Run of the program's catalog.
func Run(ctx context.Context, dev device.Device, req Request) (*Result, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, dev, req)
}
