package record

import (
	"cmp"
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus/run"
	"github.com/weft-gpu/weft/results"
)

// litmusInstances is how many instances of a litmus test a launch has on average, and litmusSeeds the number of
// launches of a test per repeat.
const (
	litmusInstances = 256
	litmusSeeds     = 30
)

// litmus counts the outcomes of the litmus tests. A test with an outcome that PTX forbids counts as a wrong answer.
func (p *Plan) litmus(ctx context.Context, dev device.Device) (bad int, err error) {
	tests, err := ptxlitmus.Shapes()
	if err != nil {
		return 0, err
	}
	rec := results.Litmus{Date: p.Meta.Date, Command: p.Meta.Command, Seeds: cmp.Or(p.litmusSeeds, litmusSeeds) * max(p.Repeats, 1),
		Instances: litmusInstances, Outcomes: map[string]map[string]int{}}
	r := run.On(dev, rec.Seeds*litmusInstances, rec.Seeds, 1)
	r.Alone = true
	for _, t := range tests {
		res, err := r.Run(ctx, t)
		if ctx.Err() != nil {
			return bad, ctx.Err()
		}
		if err != nil {
			p.logf("litmus: %s: %v", t.Name, err)
			bad++
			continue
		}
		if _, err := res.Check(ctx); err != nil {
			p.logf("litmus: %v", err)
			bad++
		}
		rec.Outcomes[t.Name] = res.Report(dev.Name()).Observed
	}
	p.logf("litmus: %d tests", len(rec.Outcomes))
	return bad, p.write("litmus.json", rec)
}
