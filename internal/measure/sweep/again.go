package sweep

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
)

// ErrNoSettings is the error for a run whose settings the store does not have.
var ErrNoSettings = errors.New("the store has no settings that could run it again")

// Again is what a run of a store asked for, ready to run with a profile.
type Again struct {
	// Command shows the same on the command line.
	Command string
	// Device is what it runs on.
	Device *devices.Spec

	task    *Task
	planner *planner
}

// NewAgain reads the request of a run from its settings in a store. The error is a *usage.Error if this program lacks what
// the run was of.
func NewAgain(ctx context.Context, r *store.Run) (*Again, error) {
	pt := stored(r)
	if len(pt.Settings) == 0 {
		return nil, ErrNoSettings
	}
	plan, err := NewPlan(ctx, &spec.Spec{Points: []spec.Point{pt}, Repeat: 1})
	if err != nil {
		return nil, err
	}
	t := plan.Tasks[0]
	if t.refused != nil {
		return nil, t.refused
	}
	a := &Again{Command: t.settings.command(true), Device: t.device, task: t, planner: &planner{catalog: plan.catalog}}
	return a, t.device.Need(option.AnnotateRuns, device.Profile)
}

// stored returns the point of a run, of the values that its settings had in effect.
func stored(r *store.Run) (p spec.Point) {
	for _, name := range sortedKeys(r.Settings) {
		if name == option.GPUs.Key { // which the name of the device says
			continue
		}
		p.Settings = append(p.Settings, spec.Setting{Name: name, Value: r.Settings[name], Place: "its settings"})
	}
	// A parameter may be there by itself and with its owner, if two specifications spell it in different ways.
	all := slices.Clone(p.Settings) // DeleteFunc moves what it keeps
	p.Settings = slices.DeleteFunc(p.Settings, func(s spec.Setting) bool {
		name, isParameter := strings.CutPrefix(s.Name, paramPrefix)
		return isParameter && slices.ContainsFunc(all, func(o spec.Setting) bool {
			return o.Name != s.Name && strings.HasPrefix(o.Name, paramPrefix) && strings.HasSuffix(o.Name, "."+name)
		})
	})
	return p
}

// Run runs it. One of the results is nil. stderr gets the progress of reading the graph.
func (a *Again) Run(ctx context.Context, watch devices.Watch, stderr io.Writer) (*run.Result, *launch.Result, error) {
	s := a.task.settings
	if s.kernel != nil {
		j, err := a.planner.prepare(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		l, err := j.Run(ctx, launch.Options{Device: a.Device, Watch: watch, Against: a.task.against, Tolerance: s.kernel.tolerance})
		return nil, l, err
	}
	g, notes, err := s.graph.Load(ctx, stderr)
	if err != nil {
		return nil, nil, err
	}
	r, err := run.Run(ctx, run.Request{Catalog: a.planner.catalog, Algorithm: s.algorithm, Scheduler: s.scheduler, Params: s.params, Graph: g, Notes: notes,
		Source: s.source, Device: a.Device, Watch: watch, NoVerify: !s.verify})
	return r, nil, err
}
