package run

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/diagnosis/cure"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/policy"
)

// Once runs a program once on a device that watch collects the races of, with its launches changed.
type Once func(ctx context.Context, spec *devices.Spec, watch devices.Watch, change cure.Change) error

// otherSchedules is the number of schedules besides that of a run under which a change must order what raced in it.
const otherSchedules = 3

// random are parameters of a simulated machine with which its seed decides what happens when.
var random = []string{"launch.order=random", "issue.scheduler=random", "jitter.block=200", "jitter.message=150"}

// Cure looks for what orders the accesses of races that a program had on a device, and writes that into the races.
func Cure(ctx context.Context, spec *devices.Spec, races []device.Race, once Once) {
	if device.RaceErr(races) == nil {
		return
	}
	on := func(s *devices.Spec) cure.Rerun {
		return func(ctx context.Context, races *device.Races, change cure.Change) error {
			return once(ctx, s, devices.Watch{Races: races}, change)
		}
	}
	runs := cure.Runs{Same: on(spec)}
	if spec.GPUs <= 1 {
		for _, s := range elsewhere(spec) {
			runs.Others = append(runs.Others, on(s))
		}
	}
	cure.Check(ctx, races, runs)
}

// elsewhere returns devices on which a program runs under other schedules than on spec.
func elsewhere(spec *devices.Spec) (list []*devices.Spec) {
	name, o := devices.Default, devices.Options{Race: true}
	if spec.Can().Has(device.Schedules) {
		name, o.Set = spec.Name, spec.Options.Set
		if f, err := devices.New(devices.Func, devices.Options{Race: true}); err == nil {
			list = append(list, f)
		}
	}
	for seed := range uint64(otherSchedules) {
		o := o
		o.Seed, o.Control = seed+1, &policy.Schedule{Shuffle: true}
		for _, set := range []([]string){slices.Concat(o.Set, random), o.Set} { // those that the user sets cannot be set again
			o.Set = set
			if s, err := devices.New(name, o); err == nil {
				list = append(list, s)
				break
			}
		}
	}
	return list
}

// CureOf is Cure for a request of Run that had these races.
func CureOf(ctx context.Context, q Request, races []device.Race) {
	Cure(ctx, q.Device, races, func(ctx context.Context, spec *devices.Spec, watch devices.Watch, change cure.Change) error {
		again := q
		again.Device, again.Watch, again.change, again.Progress = spec, watch, change, nil
		r, err := Run(ctx, again)
		if err == nil && r != nil {
			err = r.Err()
		}
		return err
	})
}
