package command

import (
	"context"

	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/hangs"
	"github.com/weft-gpu/weft/internal/proof/explore"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// oneSchedule rejects flags that do not go with those that choose schedules.
func (o *hangOptions) oneSchedule(changed func(flag string) bool) error {
	var given []string
	for _, flag := range []string{"all", "largest", "describe", "hang-dot", "hang-json"} {
		if changed(flag) {
			given = append(given, flag)
		}
	}
	if err := o.explore.check(changed, o.order.schedule, given); err != nil {
		return err
	}
	if o.scenario == "" && (o.explore.seeds > 0 || o.order != (scheduleFlags{})) {
		return usage.Errorf("\"weft hang\" lists them", "weft hang needs the name of a scenario to choose its schedule")
	}
	return nil
}

// hangExplore runs a scenario under many schedules.
func (a *app) hangExplore(ctx context.Context, o hangOptions, s *hangs.Scenario, params map[string]string, machine []string) error {
	flags := deviceFlags{device: o.device, set: machine, seed: o.seed, budget: o.budget, json: o.json}
	x := &exploration{app: a, what: s.Name, flags: flags, order: o.order, seeds: o.explore}
	x.try = func(ctx context.Context, spec *devices.Spec, _ *explore.Outcome) (explore.Outcome, error) {
		r, err := runnerOn(spec)
		if err != nil {
			return explore.Outcome{}, err
		}
		res, err := r.Run(ctx, s, params)
		switch {
		case err != nil:
			return explore.Outcome{}, err
		case signals.Ended(res.Err):
			return explore.Outcome{}, res.Err
		}
		return explore.OutcomeOf(res.Err, res.Cycles), nil
	}
	return x.run(ctx)
}
