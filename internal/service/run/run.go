package run

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/laps"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/diagnosis/cure"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/cpu"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim"
)

// Request describes a run: everything that affects its result, and the
// callbacks for its progress.
type Request struct {
	Catalog   *catalog.Catalog  // nil for the program's catalog
	Algorithm string            // one of ours, or a user's: "./dir.Type"
	Scheduler string            // a scheme, or catalog.Auto
	Params    map[string]string // values of parameters of the algorithm and the scheduler, if they are set; see catalog.Entry
	Graph     *graph.CSR
	Notes     graph.Notes // the loader's notes
	Source    Source      // ignored by algorithms without one
	Device    *devices.Spec
	// ChosenGPUs says why Device has as many GPUs as it has, if a rule chose the number.
	ChosenGPUs *choice.GPUs
	On         device.Device // that Device opened, which the run closes; nil to open it
	Watch      devices.Watch // what to record of the device; filled by the run

	CPU      bool      // measure how long this machine's processor takes for the same problem; see CheckCPU
	NoVerify bool      // leave out the comparison with the CPU's answer
	Expected *Expected // compare with this answer instead; nil for none

	Progress func(scheduler.Step) // called after each launch; may be nil

	change cure.Change // of all launches; nil for none
}

// Run runs the request. The result is nil if nothing was run; otherwise the
// error, if any, says why the run ended early. A wrong answer is not an error:
// see Result.Err.
func Run(ctx context.Context, q Request) (*Result, error) {
	c := q.Catalog
	if c == nil {
		var err error
		if c, err = catalog.Shared(); err != nil {
			return nil, err
		}
	}
	checked, err := c.Check(ctx, catalog.Request{
		Algorithm: q.Algorithm, Scheduler: q.Scheduler, Graph: q.Graph, Params: q.Params, Verify: !q.NoVerify && q.Expected == nil, Progress: q.Progress,
	}, q.Device.Name, q.Device.GPUs)
	if err != nil {
		return nil, Refused(err)
	}
	entry, params := checked.Entry, checked.Values
	if checked.Source, err = q.Source.In(q.Graph); err != nil {
		return nil, err
	}
	facts, err := memo.Do(ctx, factsOf{q.Graph}, func(graphs.Facts) uint64 { return 0 }, func() (graphs.Facts, error) {
		return graphs.FactsOf(laps.With(ctx, nil), q.Graph, q.Notes) // which no run needs
	})
	if err != nil {
		return nil, err
	}
	if q.Device.Options.Race && q.Watch.Races == nil {
		q.Watch.Races = device.NewRaces()
	}
	dev := q.On
	if dev == nil {
		if dev, err = q.Device.Open(ctx, q.Watch); err != nil {
			return nil, err
		}
	}
	r := &Result{
		Build:     buildinfo.This(),
		Algorithm: q.Algorithm, Scheduler: entry.Scheduler.Name, Chosen: entry.Chosen, Kernel: entry.Kernel,
		On: OnDevice(q.Device), Detail: q.Watch.Detail,
		Graph:           facts,
		SchedulerParams: params.Scheduler, SchedulerSet: NotDefault(entry.Scheduler, params.Scheduler), Quantities: entry.Scheduler.Quantities,
	}
	r.ChosenGPUs = q.ChosenGPUs
	if id := q.Graph.FileID(checked.Source); entry.Type.Source {
		r.Source = &id
		if uint64(checked.Source) != id {
			r.Vertex = &checked.Source
		}
	}
	opened := dev
	if q.change != nil {
		dev = cure.Wrap(dev, q.change)
	}
	clock := NewTimed(dev)
	began := time.Now()
	res, err := checked.Run(ctx, clock)
	kernels := clock.Kernels.List(dev)
	if res != nil {
		r.Group = groupOf(clock, res.Communication)
	}
	r.TakeSampled(opened)
	err = q.Device.Advise(errors.Join(err, dev.Close()), false)
	if res == nil {
		return nil, Refused(err)
	}
	res.Values = FileIDs(entry.Algorithm, q.Graph, res.Values)
	if q.Expected != nil && err == nil {
		q.Expected.judge(res, entry, q.Graph)
		r.Against = q.Expected.File
	}
	r.Take(res.Report, time.Since(began), clock.Inside)
	r.Races, r.RacesForgotten = q.Watch.Races.List(), q.Watch.Races.Forgotten()
	r.fill(res, err)
	r.Explain(kernels)
	if q.CPU && err == nil {
		r.CPU, err = cpu.Measure(ctx, q.Algorithm, res.Graph, checked.Source, res.Params)
	}
	return r, err
}

// TakeSampled notes what was simulated of the launches, if the device samples.
func (w *Work) TakeSampled(dev device.Device) {
	if d, ok := dev.(interface{ Sampled() *sim.Sampled }); ok {
		w.Sampled = d.Sampled()
	}
}

// CheckCPU returns a usage error if an algorithm has no code for processors.
func CheckCPU(algorithm string) error {
	if cpu.Has(algorithm) {
		return nil
	}
	return usage.Errorf(usage.Say("there is for %s", strings.Join(cpu.Algorithms(), ", ")), "%s: there is no CPU code for %s", option.CPU, algorithm)
}

// factsOf is the key of facts that a memo keeps.
type factsOf struct{ *graph.CSR }

// NotDefault returns the parameters of a scheme that differ from their
// defaults.
func NotDefault(s scheduler.Scheme, values map[string]string) map[string]string {
	set := map[string]string{}
	for _, p := range s.Params {
		if values[p.Name] != p.Default {
			set[p.Name] = values[p.Name]
		}
	}
	return set
}

// Refused returns the usage error for a request that the catalog rejects before
// it runs anything. For a wrong name it suggests the nearest one. Errors in a
// user's source are not usage errors, and neither are errors that ended a run.
func Refused(err error) error {
	var source compile.Errors
	var u *catalog.UnknownError
	switch {
	case errors.As(err, &source), signals.Ended(err):
		return err
	case errors.Is(err, graph.ErrWeights):
		return usage.WithHint(err, graphs.WeightsHint)
	case !errors.As(err, &u):
		return usage.Errorf("", "%v", err)
	}
	e := usage.Unknown(u.What, u.Name, u.Have, "").(*usage.Error)
	if u.Hint != "" {
		e.Hint = usage.Say("%s\n%s", e.Hint, u.Hint)
	}
	return e
}
