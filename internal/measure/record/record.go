package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/outfile"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/scheduler"
)

// Plan describes what to record.
type Plan struct {
	// Open opens the device again. If byHand is true, hand-written binaries replace the kernels that have one.
	Open func(byHand bool) (device.Device, error)
	// Inspect asks the driver about a kernel, or about its hand-written version on a device that has it.
	Inspect func(dev device.Device, k *device.Kernel) (results.Kernel, error)
	// Overhead returns what the device takes off the measured time of each launch, in seconds. Two processes on one GPU
	// differ in it, by up to some microseconds: see "Times" in docs/hardware.md.
	Overhead func(dev device.Device) float64
	Meta     results.Meta
	Graphs   []string // files or generators
	Repeats  int      // timed runs of each pair, after one verified run
	// Probes are kernels that are only inspected, not run.
	Probes []*device.Kernel
	// ByHand are the pairs that have hand-written kernels; if empty, that part is omitted.
	ByHand []Pair
	// Profile, if not nil, reads hardware counters of a pair on the graphs for which Profiled returns true, and
	// ProfileMicro reads those of some micro-kernels.
	Profile      func(ctx context.Context, pair Pair, graph string) ([]results.KernelCounters, error)
	Profiled     func(graph string) bool
	ProfileMicro func(ctx context.Context) (results.MicroCounters, error)
	// Missing returns the requested counters that a profile lacks.
	Missing func([]results.KernelCounters) []string
	// Parts are the parts to record, from Parts(); if empty, all.
	Parts []string
	Out   string    // folder to write to
	Log   io.Writer // one line for each completed step

	litmusSeeds int // seeds of a litmus test for each of Repeats; 0: the constant of this name
}

// Pair is an algorithm with a scheme.
type Pair struct{ Algorithm, Scheduler string }

// Run records everything. It continues after a wrong answer or a failed row, which the record names, and returns an
// error with their number at the end.
func (p *Plan) Run(ctx context.Context) error {
	if err := os.MkdirAll(p.Out, 0o777); err != nil {
		return err
	}
	if err := p.write("meta.json", p.Meta); err != nil {
		return err
	}
	dev, err := p.Open(false)
	if err != nil {
		return err
	}
	defer dev.Close()
	bad := 0
	for _, part := range parts {
		if len(p.Parts) > 0 && !slices.Contains(p.Parts, part.name) {
			continue
		}
		n, err := part.run(p, ctx, dev)
		bad += n
		if err != nil {
			return err
		}
	}
	if bad > 0 {
		return &FailedError{bad, p.Out}
	}
	return nil
}

// FailedError says how many measurements of a record, which is complete otherwise, failed.
type FailedError struct {
	Count int
	Out   string // the folder
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d measurements failed or gave wrong answers; the record in %s names them", e.Count, e.Out)
}

// parts are the parts of a record, in order.
var parts = []struct {
	name string
	run  func(*Plan, context.Context, device.Device) (bad int, err error)
}{
	{"kernels", (*Plan).kernels},
	{"registers", (*Plan).registers},
	{"micro", (*Plan).micro},
	{"micro-counters", (*Plan).microCounters},
	{"litmus", (*Plan).litmus},
	{"host", (*Plan).host},
	{"runs", (*Plan).runs},
	{"byhand", (*Plan).byHand},
}

// Parts returns the names of the parts of a record: each is a file, in addition to meta.json.
func Parts() []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

func (p *Plan) write(name string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	var plan outfile.Plan
	f, err := plan.New("record", filepath.Join(p.Out, name))
	if err != nil {
		return err
	}
	return f.Write(context.Background(), func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

func (p *Plan) logf(format string, args ...any) { fmt.Fprintf(p.Log, format+"\n", args...) }

// kernels asks the driver about every entry point.
func (p *Plan) kernels(ctx context.Context, dev device.Device) (bad int, err error) {
	c, err := catalog.Kernels()
	if err != nil {
		return 0, err
	}
	var list []results.Kernel
	micros, err := c.Entries("internal/kernels/micro")
	if err != nil {
		return 0, err
	}
	all := catalog.EntryPoints()
	for _, name := range micros {
		all = append(all, scheduler.EntryPoint{Name: name, Bind: bound(name)})
	}
	for _, e := range all {
		if ctx.Err() != nil {
			return bad, ctx.Err()
		}
		k, err := c.Kernel(ctx, e.Name, e.Bind)
		if err != nil {
			return bad, err
		}
		info, err := p.Inspect(dev, k)
		if err != nil {
			p.logf("kernel %s: %v", e.Name, err)
			bad++
			continue
		}
		list = append(list, info)
	}
	for _, k := range p.Probes {
		info, err := p.Inspect(dev, k)
		if err != nil {
			p.logf("kernel %s: %v", k.Name, err)
			bad++
			continue
		}
		list = append(list, info)
	}
	p.logf("kernels: %d", len(list))
	return bad, p.write("kernels.json", list)
}

// bound returns values for the compile-time parameters of micro-kernels.
func bound(kernel string) map[string]any {
	if strings.Contains(kernel, ".AtomicThroughput") {
		return map[string]any{"pattern": micro.Random}
	}
	return nil
}

// micro measures the table of micro-kernels.
func (p *Plan) micro(ctx context.Context, dev device.Device) (bad int, err error) {
	c, err := catalog.Kernels()
	if err != nil {
		return 0, err
	}
	r := micro.Runner{Device: dev, Kernels: c, Repeats: max(p.Repeats, 3)}
	values, err := r.Run(ctx, micro.Rows())
	var list []results.Micro
	for _, v := range values {
		list = append(list, results.Micro{Group: v.Group, Name: v.Name, Unit: v.Unit, Median: v.Median, Min: v.Min, Max: v.Max, Runs: v.Runs, Error: v.Error})
		if v.Error != "" {
			p.logf("micro: %s: %s: %s", v.Group, v.Name, v.Error)
			bad++
		}
	}
	p.logf("micro: %d rows", len(list))
	return bad, errors.Join(err, p.write("micro.json", list))
}

// microCounters reads the counters of some micro-kernels, without those of failed rows.
func (p *Plan) microCounters(ctx context.Context, _ device.Device) (bad int, err error) {
	if p.ProfileMicro == nil {
		return 0, nil
	}
	start := time.Now()
	c, err := p.ProfileMicro(ctx)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		p.logf("counters of micro-kernels: %v", err)
		bad++
	}
	if len(c.Launches) == 0 {
		return bad, nil
	}
	p.logf("counters of micro-kernels: %d launches, %.1f s", len(c.Launches), time.Since(start).Seconds())
	if missing := p.Missing(c.Launches); len(missing) > 0 {
		p.logf("counters that this GPU lacks: %s", strings.Join(missing, " "))
	}
	return bad, p.write("micro-counters.json", c)
}

// runs measures every pair on every graph.
func (p *Plan) runs(ctx context.Context, dev device.Device) (bad int, err error) {
	var list []results.Run
	var known []results.Graph
	for _, spec := range p.Graphs {
		g, _, err := graph.Open(ctx, spec, graph.LoadOptions{})
		if err != nil {
			return bad, errors.Join(err, p.write("runs.json", list))
		}
		start := time.Now()
		facts, err := choice.Describe(ctx, filepath.Base(spec), g)
		if err != nil {
			return bad, err
		}
		known = append(known, facts)
		if err := p.write("graphs.json", known); err != nil {
			return bad, err
		}
		runs, err := toMeasure(ctx, g)
		if err != nil {
			return bad, err
		}
		for _, what := range runs {
			r := p.measure(ctx, dev, g, what)
			r.Graph = filepath.Base(spec)
			if p.Profile != nil && r.Error == "" && len(r.Params) == 0 && p.Profiled(r.Graph) {
				if r.ByKernel, err = p.Profile(ctx, Pair{r.Algorithm, r.Scheduler}, spec); err != nil {
					p.logf("counters of %s/%s on %s: %v", r.Algorithm, r.Scheduler, r.Graph, err)
					r.ByKernel = nil // incomplete
					bad++
				}
			}
			list = append(list, r)
			if r.Error != "" {
				p.logf("%s/%s on %s: %s", r.Algorithm, r.Scheduler, r.Graph, r.Error)
				bad++
			}
			if ctx.Err() != nil {
				return bad, errors.Join(ctx.Err(), p.write("runs.json", list))
			}
		}
		p.logf("%s: %.1f s", spec, time.Since(start).Seconds())
		if err := p.write("runs.json", list); err != nil { // so that results are kept if time runs out
			return bad, err
		}
	}
	return bad, nil
}

// measure verifies a pair once and times it Repeats times.
func (p *Plan) measure(ctx context.Context, dev device.Device, g *graph.CSR, what measured) results.Run {
	source, _ := g.MaxDegreeVertex()
	r := results.Run{Algorithm: what.Algorithm, Scheduler: what.Scheduler, Params: what.params, Graph: g.Name, Vertices: g.Vertices(), Arcs: g.Arcs(), Source: source}
	var kernels, algorithm, wall []float64
	for i := range p.Repeats + 1 {
		start := time.Now()
		res, err := catalog.Run(ctx, dev, catalog.Request{Algorithm: what.Algorithm, Scheduler: what.Scheduler, Params: what.params, Graph: g, Source: source, Verify: i == 0})
		if err == nil && i == 0 {
			r.Verified, err = res.Verified, res.Mismatch
		}
		if err != nil {
			r.Error = err.Error()
			return r
		}
		if i > 0 {
			kernels, wall = append(kernels, res.KernelSeconds()), append(wall, time.Since(start).Seconds())
			algorithm = append(algorithm, res.AlgorithmSeconds)
		}
		r.Iterations, r.Launches = res.Iterations, res.Launches()
	}
	r.Kernels, r.Whole, r.Wall = results.NewTiming(kernels), results.NewTiming(algorithm), results.NewTiming(wall)
	return r
}

// byHand times our kernels and the hand-written ones.
func (p *Plan) byHand(ctx context.Context, ours device.Device) (bad int, err error) {
	if len(p.ByHand) == 0 {
		return 0, nil
	}
	theirs, err := p.Open(true)
	if err != nil {
		return 0, err
	}
	defer theirs.Close()
	// Both are compared by what one of the two devices takes off.
	more := p.Overhead(theirs) - p.Overhead(ours)
	c, err := catalog.Kernels()
	if err != nil {
		return 0, err
	}
	var list []results.ByHand
	for _, spec := range p.Graphs {
		g, _, err := graph.Open(ctx, spec, graph.LoadOptions{})
		if err != nil {
			return bad, err
		}
		for _, pair := range p.ByHand {
			a, b := p.measure(ctx, ours, g, measured{Pair: pair}), p.measure(ctx, theirs, g, measured{Pair: pair})
			if ctx.Err() != nil {
				return bad, errors.Join(ctx.Err(), p.write("byhand.json", list))
			}
			if a.Error != "" || b.Error != "" {
				p.logf("by hand: %s/%s on %s: ours %q, theirs %q", pair.Algorithm, pair.Scheduler, spec, a.Error, b.Error)
				bad++
				continue
			}
			b.Kernels = b.Kernels.Later(float64(b.Launches) * more)
			h := results.ByHand{Graph: filepath.Base(spec), Ours: a.Kernels, Theirs: b.Kernels, Ratio: a.Kernels.Median / b.Kernels.Median}
			e, err := catalog.Lookup(pair.Algorithm, pair.Scheduler)
			if err != nil {
				return bad, err
			}
			h.Kernel = e.Kernel
			k, err := c.Kernel(ctx, e.Kernel, nil)
			if err != nil {
				return bad, err
			}
			for _, side := range []struct {
				dev  device.Device
				regs *int
			}{{ours, &h.OursRegisters}, {theirs, &h.TheirsRegisters}} {
				info, err := p.Inspect(side.dev, k)
				if err != nil {
					return bad, err
				}
				*side.regs = info.Registers
			}
			list = append(list, h)
		}
	}
	p.logf("by hand: %d pairs", len(list))
	return bad, p.write("byhand.json", list)
}
