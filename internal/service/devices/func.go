package devices

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim"
)

// Func is the name of the functional device.
const Func = "func"

// functional returns the family of the functional executor.
func functional() Family {
	return Family{
		Name:   Func,
		Phrase: usage.Say("name the functional executor by %s func", option.Device),
		Can:    function.Capabilities,
		Groups: function.GroupCapabilities,
		More:   groupsMore,
		List: func() []Info {
			return []Info{{Name: Func, What: "functional executor: right answers and instruction counts, no time; every check on"}}
		},
		Configure: func(s *Spec) error {
			s.open = func(_ context.Context, s *Spec, w Watch) (device.Device, error) {
				o := function.Options{Budget: s.Options.Budget, AllowUnwritten: s.Options.Unwritten, Races: w.Races}
				if s.Options.Strict == Lax {
					o.Lax, o.AllowUnwritten = true, true
				}
				if tell := w.Progress; tell != nil {
					o.Progress = func(p function.Progress) {
						tell(sim.Progress{Kernel: p.Kernel, Instructions: p.Instructions, Blocks: p.Blocks, Grid: p.Grid, Waiting: p.Waiting})
					}
				}
				if s.GPUs > 0 {
					return function.NewGroup(s.GPUs, o)
				}
				return function.New(o), nil
			}
			return nil
		},
	}
}
