package command

import (
	"context"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
)

// loadedGraph is a graph that was needed before the device was known.
type loadedGraph struct {
	graph *graph.CSR
	notes graph.Notes
}

// chooseGPUs replaces the group that the flags name by as many of its GPUs as a run on the graph is fastest with. It loads the graph.
func (a *app) chooseGPUs(ctx context.Context, o *runOptions) error {
	if o.scheduler != catalog.Auto {
		return usage.Errorf(usage.Say("write %s", option.Scheduler.With(catalog.Auto)), "%s: the number of GPUs and the scheduler are chosen together", option.GPUs.With(autoWord))
	}
	entry, err := catalog.Named(o.algorithm, o.scheduler)
	if err != nil {
		return run.Refused(err)
	}
	o.gpus = 0
	spec, err := o.spec()
	if err != nil {
		return err
	}
	if spec.GPUs == 0 {
		return usage.Errorf(usage.Say("name a group, such as %s", option.Device.With(devices.GroupExample(spec.Name))), "%s: %s is one GPU", option.GPUs.With(autoWord), spec.Name)
	}
	if err := o.graph.Check(); err != nil {
		return err
	}
	var l loadedGraph
	if l.graph, l.notes, err = o.graph.Load(ctx, a.stderr); err != nil {
		return err
	}
	memory, err := spec.Memory(ctx)
	if err != nil {
		return err
	}
	chosen, err := catalog.ChooseGPUs(ctx, entry, l.graph, spec.GPUs, memory)
	if err != nil {
		return err
	}
	o.device, o.loaded, o.chosenGPUs = spec.Part(chosen.Count), &l, &chosen
	return nil
}
