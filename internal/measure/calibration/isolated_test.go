package calibration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
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

// dram is a row whose ring of 512 MiB takes seconds to be made.
const dram = "latency: dependent load, plain, DRAM, 512 MiB"

// TestHeavyIsolated checks what the table says: that a row moves with its parameter, and that no other parameter of the table moves it
// by more than a quarter as much but those that are named as fitted before, or as a reason to fit it again.
//
// The others are changed together: all of them, and then those of each half of which a digit of their number is 1. So two of them of which one
// hides the other are apart at least once, and a group that moves the row is tried again by halves, down to single parameters. With
// WEFT_EXHAUSTIVE=1 each of them is changed alone, which takes five times as long (make exhaustive).
func TestHeavyIsolated(t *testing.T) {
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	c := &calibrator{Request: Request{Recording: &Recording{rows: map[string]results.Micro{}}, Base: "h200", Stderr: io.Discard, steps: Steps()}, kernels: kernels,
		rows: map[string]micro.Row{}, set: map[string]string{}, jobs: make(chan struct{}, 2), values: map[string]float64{}}
	for _, r := range micro.Rows() {
		c.rows[nameOf(r.Group, r.Name)] = r
	}
	steps := slices.DeleteFunc(Steps(), func(s Step) bool { return long[s.Rows[0].Row] })
	require.NoError(t, each(t.Context(), steps, func(ctx context.Context, s Step) error {
		wrong, err := c.isolated(ctx, s)
		for _, w := range wrong {
			t.Error(w)
		}
		return err
	}))
	t.Logf("%d simulations", c.probes)
}

// isolated says which parameters move the first row of a step that the step does not name, and whether its own does not.
func (c *calibrator) isolated(ctx context.Context, s Step) (wrong []string, err error) {
	m := s.Rows[0]
	base, err := c.moved(ctx, m)
	if err != nil {
		return nil, err
	}
	own, err := c.moved(ctx, m, s)
	if err != nil {
		return nil, err
	}
	if own = math.Abs(own - base); own <= 1e-3*base {
		wrong = append(wrong, fmt.Sprintf("%s does not move %s", s.Parameter, m))
	}
	others := slices.DeleteFunc(slices.Clone(c.steps), func(o Step) bool {
		return o.Parameter == s.Parameter || slices.Contains(s.After, o.Parameter) || slices.Contains(s.Also, o.Parameter)
	})
	found := map[string]bool{}
	var try func(group []Step) error
	try = func(group []Step) error {
		x, err := c.moved(ctx, m, group...)
		by := math.Abs(x - base)
		switch {
		case err != nil || by <= own/4:
			return err
		case len(group) > 1:
			return errors.Join(try(group[:len(group)/2]), try(group[len(group)/2:]))
		}
		if p := group[0].Parameter; !found[p] {
			found[p] = true
			wrong = append(wrong, fmt.Sprintf("%s, from %g, moves by %g with %s and by %g with %s", m, base, own, s.Parameter, by, p))
		}
		return nil
	}
	all := os.Getenv("WEFT_EXHAUSTIVE") != ""
	groups := groupsOf(others, all)
	if m.Row == dram && !all { // which takes five seconds: no halves
		groups = groups[:1]
	}
	for _, group := range groups {
		if err := try(group); err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// groupsOf returns the groups of steps whose parameters are changed together: single ones, or all and halves, so that of any two steps one is in
// a group without the other.
func groupsOf(steps []Step, alone bool) (groups [][]Step) {
	if alone {
		return slices.Collect(slices.Chunk(steps, 1))
	}
	groups = append(groups, steps)
	for digit := 1; digit < len(steps); digit *= 2 {
		var half []Step
		for i, s := range steps {
			if i&digit != 0 {
				half = append(half, s)
			}
		}
		groups = append(groups, half)
	}
	return groups
}

// moved returns a measure with the parameters of steps a fifth larger, or larger by 1.
func (c *calibrator) moved(ctx context.Context, m Measure, steps ...Step) (float64, error) {
	change := map[string]string{}
	for _, s := range steps {
		x := numberOf(c.value(s.Parameter))
		more := 1.2 * x
		if s.whole() {
			more = max(more, x+1)
		}
		change[s.Parameter] = s.text(more)
	}
	return c.quantity(ctx, m, change)
}

// TestGroupsOf checks that every step is in a group, and that of any two steps one is in a group without the other.
func TestGroupsOf(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, len(Steps())} {
		list := Steps()[:n]
		groups := groupsOf(list, false)
		has := func(g []Step, s Step) bool {
			return slices.ContainsFunc(g, func(o Step) bool { return o.Parameter == s.Parameter })
		}
		for i, a := range list {
			assert.True(t, slices.ContainsFunc(groups, func(g []Step) bool { return has(g, a) }))
			for _, b := range list[:i] {
				assert.True(t, slices.ContainsFunc(groups, func(g []Step) bool { return has(g, a) != has(g, b) }), "%s %s", a.Parameter, b.Parameter)
			}
		}
		assert.Len(t, groupsOf(list, true), n)
	}
}
