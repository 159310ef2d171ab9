package record

import (
	"cmp"
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/kernels/litmus"
	"github.com/weft-gpu/weft/results"
)

// litmusInstances is the maximum number of instances of a litmus test in a launch, and litmusSeeds the number of
// launches of a test per repeat.
const (
	litmusInstances = 256
	litmusSeeds     = 30
)

// litmus counts the outcomes of the litmus tests. An outcome that PTX forbids counts as a wrong answer.
func (p *Plan) litmus(ctx context.Context, dev device.Device) (bad int, err error) {
	c, err := catalog.Kernels()
	if err != nil {
		return 0, err
	}
	r := litmus.Runner{Device: dev, Kernels: c, Instances: litmusInstances}
	rec := results.Litmus{Date: p.Meta.Date, Command: p.Meta.Command, Seeds: cmp.Or(p.litmusSeeds, litmusSeeds) * max(p.Repeats, 1),
		Instances: litmusInstances, Outcomes: map[string]map[string]int{}}
	for _, t := range litmus.Tests() {
		h, err := r.Run(ctx, t, 1, rec.Seeds)
		if ctx.Err() != nil {
			return bad, ctx.Err()
		}
		if err != nil {
			p.logf("litmus: %v", err)
			bad++
			continue
		}
		if !p.keepsModel(t, h) {
			bad++
		}
		rec.Outcomes[t.Name()] = h
	}
	p.logf("litmus: %d tests", len(rec.Outcomes))
	return bad, p.write("litmus.json", rec)
}

// keepsModel reports whether a test showed no outcome that PTX forbids.
func (p *Plan) keepsModel(t litmus.Test, h litmus.Histogram) bool {
	n := h[t.Weak]
	if !t.Forbidden || n == 0 {
		return true
	}
	p.logf("litmus: %s: %d of %d show %s, which PTX forbids: %s", t.Name(), n, h.Total(), t.Weak, t.Why)
	return false
}
