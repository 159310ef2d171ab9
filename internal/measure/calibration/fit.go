package calibration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// A step is repeated if a parameter before it has moved by more than settled since, or one that moves its rows a little by more than jump;
// there are mostPasses at most.
const (
	settled    = 0.015
	jump       = 4 * settled
	mostPasses = 4
)

// outcome is what came of a step.
type outcome struct {
	// Numbers of waves: in which it was fitted, and in which its value moved by more than settled, and by more than jump.
	at, moved, jumped int
	asked             []Ask
	why, against      string // why it has no value, and what rows contradict each other about
}

// simulate returns what a row is on the machine so far, with some parameters changed.
func (c *calibrator) simulate(ctx context.Context, row string, change map[string]string) (float64, error) {
	spec, err := c.spec(change)
	if err != nil {
		return 0, err
	}
	_, hash := spec.Machine()
	c.mu.Lock()
	v, ok := c.values[hash+row]
	c.mu.Unlock()
	if ok {
		return v, nil
	}
	select {
	case c.jobs <- struct{}{}:
		defer func() { <-c.jobs }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return 0, err
	}
	defer dev.Close()
	m := micro.Runner{Device: dev, Kernels: c.kernels}
	values, err := m.Run(ctx, []micro.Row{c.rows[row]})
	if err == nil && values[0].Err != nil {
		err = fmt.Errorf("row %q on the machine: %w", row, values[0].Err)
	}
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.probes++
	c.values[hash+row] = values[0].Median
	return values[0].Median, nil
}

// quantity returns what a measure is on the machine so far.
func (c *calibrator) quantity(ctx context.Context, m Measure, change map[string]string) (float64, error) {
	a, err := c.simulate(ctx, m.Row, change)
	if err != nil || m.Less == "" {
		return a, err
	}
	b, err := c.simulate(ctx, m.Less, change)
	return a - b, err
}

// table simulates all rows of the steps.
func (c *calibrator) table(ctx context.Context) (map[string]float64, error) {
	names := map[string]bool{}
	for _, s := range c.steps {
		for _, n := range s.names() {
			if c.Recording.rows[n].Error == "" {
				names[n] = true
			}
		}
	}
	values := map[string]float64{}
	var mu sync.Mutex
	err := each(ctx, slices.Sorted(maps.Keys(names)), func(ctx context.Context, name string) error {
		v, err := c.simulate(ctx, name, nil)
		mu.Lock()
		values[name] = v
		mu.Unlock()
		return err
	})
	return values, err
}

// each calls a function for all elements at the same time. The first error, or panic, ends the others and is the caller's.
func each[T any](ctx context.Context, list []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var crash any
	var once sync.Once
	var all sync.WaitGroup
	for _, x := range list {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					once.Do(func() { crash = p })
					cancel(context.Canceled)
				}
			}()
			if err := do(ctx, x); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if crash != nil {
		panic(crash)
	}
	return context.Cause(ctx)
}

// due reports whether a step is to be fitted: for the first time, or since a parameter that moves its rows has moved.
func (c *calibrator) due(s Step) bool {
	o, fitted := c.outcomes[s.Parameter]
	return !fitted || slices.ContainsFunc(s.After, func(p string) bool { return c.outcomes[p].moved > o.at }) ||
		slices.ContainsFunc(s.Also, func(p string) bool { return c.outcomes[p].jumped > o.at })
}

// wave fits the parameters of those steps that are due, and returns their number. No step of a wave depends on another one.
func (c *calibrator) wave(ctx context.Context, steps []Step, pass int) (fitted int, err error) {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return !c.due(s) })
	asked := make([][]Ask, len(steps))
	type question struct{ step, row int }
	var all []question
	for i, s := range steps {
		asked[i] = make([]Ask, len(s.Rows))
		for k := range s.Rows {
			all = append(all, question{i, k})
		}
	}
	if err := each(ctx, all, func(ctx context.Context, q question) (err error) {
		asked[q.step][q.row], err = c.ask(ctx, steps[q.step], steps[q.step].Rows[q.row])
		return err
	}); err != nil {
		return 0, err
	}
	c.waves++
	for i, s := range steps {
		value, why, against := s.combine(asked[i])
		o := c.outcomes[s.Parameter]
		o.at, o.asked, o.why, o.against = c.waves, asked[i], why, against
		if why == "" {
			from, to := c.value(s.Parameter), s.text(value)
			by, size := math.Abs(numberOf(to)-numberOf(from)), math.Abs(numberOf(to))
			if by > settled*size {
				o.moved = c.waves
			}
			if by > jump*size {
				o.jumped = c.waves
			}
			c.set[s.Parameter] = to
		}
		c.outcomes[s.Parameter] = o
		c.bar.Update(int64(len(c.outcomes)), int64(len(c.steps)), fmt.Sprintf("%s, pass %d", s.Parameter, pass))
	}
	return len(steps), nil
}

// numberOf returns the number that a parameter's text is.
func numberOf(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	return x
}

// value returns the value of a parameter of the machine so far.
func (c *calibrator) value(path string) string {
	spec, err := c.spec(nil)
	if err != nil {
		return ""
	}
	v, _ := spec.Config().Get(path)
	return v
}

// ask returns the value of a step's parameter for which a measure is as recorded.
func (c *calibrator) ask(ctx context.Context, s Step, m Measure) (Ask, error) {
	a := Ask{Row: m.String()}
	want := c.Recording.rows[m.Row].Median
	for _, name := range m.names() {
		if e := c.Recording.rows[name].Error; e != "" {
			a.Note = "it failed when it was recorded: " + e
			return a, nil
		}
	}
	exact := 0.0
	if m.Less != "" {
		want -= c.Recording.rows[m.Less].Median
	} else if r := c.Recording.rows[m.Row]; r.Runs > 1 { // a quarter of what the recorded runs differ by
		exact = min((r.Max-r.Min)/r.Median/4, mostExact)
	}
	p := described()[s.Parameter]
	find := search{from: numberOf(c.value(s.Parameter)), least: max(p.Min, s.Least), most: p.Max, whole: s.whole(), rough: s.Rough, close: max(exact, s.Close), want: want, row: func(x float64) (float64, error) {
		return c.quantity(ctx, m, map[string]string{s.Parameter: s.text(x)})
	}}
	if s.Most > 0 {
		find.most = min(find.most, s.Most)
	}
	var err error
	a.Value, err = find.run()
	if err == nil && s.Hidden {
		return c.hidden(ctx, s, m, a, &find)
	}
	var beyond *boundError
	switch {
	case errors.As(err, &beyond) && (beyond.at == find.least || beyond.at == find.most):
		a.Beyond, err = "a bound of the parameter: "+err.Error(), nil
	case errors.As(err, &beyond) && s.Rough:
		a.Beyond, err = "the nearest that was found: "+err.Error(), nil
	case errors.As(err, &beyond), errors.Is(err, errFlat):
		a.Note, err = err.Error(), nil
	}
	return a, err
}

// mostExact is the most by which a row may differ from the recorded one, however much its runs did.
const mostExact = 0.003

// hidden says so if a row that asks for a value is the same with less. Then it asks for no more than that, and a smaller value with which
// the row is alike stays.
func (c *calibrator) hidden(ctx context.Context, s Step, m Measure, a Ask, find *search) (Ask, error) {
	var rows [3]float64
	for i, x := range []float64{a.Value, max(a.Value*lower, find.least), find.from} {
		var err error
		if rows[i], err = c.quantity(ctx, m, map[string]string{s.Parameter: s.text(x)}); err != nil {
			return a, err
		}
	}
	if math.Abs(rows[0]-rows[1]) < shows*math.Abs(rows[0]) {
		a.Beyond = fmt.Sprintf("the row is the same with %g%% less than %s", math.Round(100-100*lower), format.Significant(a.Value))
		if math.Abs(rows[2]-find.want) < alike*math.Abs(find.want) {
			a.Value = min(a.Value, find.from)
		}
	}
	return a, nil
}

// A value is hidden if a row moves by less than shows when the value is lower by this factor. A row is like another one if they differ by less
// than alike.
const lower, shows, alike = 0.8, 0.01, 0.005

// text returns a value of the step's parameter as a machine has it.
func (s *Step) text(x float64) string {
	if s.whole() {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	}
	v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// combine returns the value that the rows of a step ask for, the mean; why there is none; and in which words they contradict each other.
func (s *Step) combine(asks []Ask) (value float64, why, against string) {
	var counted []Ask
	var notes []string
	for _, a := range asks {
		if a.Note == "" {
			counted = append(counted, a)
			value += a.Value
		} else {
			notes = append(notes, a.Row+": "+a.Note)
		}
	}
	if len(counted) == 0 {
		return 0, strings.Join(notes, "; "), ""
	}
	byValue := func(a, b Ask) int { return cmp.Compare(a.Value, b.Value) }
	low, high := slices.MinFunc(counted, byValue), slices.MaxFunc(counted, byValue)
	apart := s.Apart * math.Abs(high.Value)
	if s.whole() {
		apart = max(apart, 1)
	}
	if high.Value-low.Value > apart {
		against = fmt.Sprintf("rows contradict each other about %s: %q asks for %s, %q for %s %s, which is more than %g%% apart",
			s.Parameter, low.Row, format.Significant(low.Value), high.Row, format.Significant(high.Value), unitOf(s.Parameter), s.Apart*100)
	}
	return value / float64(len(counted)), "", against
}
