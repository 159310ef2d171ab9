package calibration

import (
	"context"
	"io"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
)

// long are rows that take seconds to simulate; TestHeavyComesBack has them.
var long = map[string]bool{"memory: random 4-byte gather, 4 MiB": true, "global atomics: a warp a line of its own, no result": true,
	"global atomics: a warp a line of its own, with result": true, "caches: 66 MiB read again, by all SMs": true, "memory: relaxed loads of one word, a warp each": true}

// TestHeavyIsolated checks what the table says: that a row moves with its parameter, and that no other parameter of the table moves it
// by more than a quarter as much but those that are named as fitted before, or as a reason to fit it again.
func TestHeavyIsolated(t *testing.T) {
	const preset, more = "h200", 1.2
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	c := &calibrator{Request: Request{Recording: &Recording{rows: map[string]results.Micro{}}, Base: preset, Stderr: io.Discard, steps: Steps()}, kernels: kernels,
		rows: map[string]micro.Row{}, set: map[string]string{}, jobs: make(chan struct{}, 2), values: map[string]float64{}}
	for _, r := range micro.Rows() {
		c.rows[nameOf(r.Group, r.Name)] = r
	}
	type effect struct{ parameter, measure string }
	effects := map[effect]float64{}
	var mu sync.Mutex
	var work []func(context.Context) error
	for _, p := range append([]Step{{}}, c.steps...) {
		change := map[string]string{}
		if p.Parameter != "" {
			x := numberOf(c.value(p.Parameter))
			change[p.Parameter] = p.text(max(x*more, x+map[bool]float64{true: 1}[p.whole()]))
		}
		for _, s := range c.steps {
			if m := s.Rows[0]; !long[m.Row] {
				work = append(work, func(ctx context.Context) error {
					v, err := c.quantity(ctx, m, change)
					mu.Lock()
					effects[effect{p.Parameter, m.String()}] = v
					mu.Unlock()
					return err
				})
			}
		}
	}
	require.NoError(t, each(t.Context(), work, func(ctx context.Context, do func(context.Context) error) error { return do(ctx) }))
	for _, s := range c.steps {
		if long[s.Rows[0].Row] {
			continue
		}
		m := s.Rows[0].String()
		base := effects[effect{"", m}]
		own := math.Abs(effects[effect{s.Parameter, m}] - base)
		assert.Greater(t, own, 1e-3*base, "%s does not move %s", s.Parameter, m)
		known := map[string]bool{s.Parameter: true}
		for _, p := range append(s.After, s.Also...) {
			known[p] = true
		}
		for _, p := range c.steps {
			by := math.Abs(effects[effect{p.Parameter, m}] - base)
			assert.True(t, known[p.Parameter] || by <= own/4, "%s, from %g, moves by %g with %s and by %g with %s", m, base, own, s.Parameter, by, p.Parameter)
		}
	}
}
