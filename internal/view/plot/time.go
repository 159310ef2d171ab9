package plot

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/series"
	"github.com/weft-gpu/weft/internal/measure/store"
)

// usualCounters are drawn if a Spec of kind Time has no y.
var usualCounters = []string{"occupancy", "warp instructions", "L2 bandwidth", "DRAM bandwidth"}

// mostIntervals is the number of intervals of a picture over time: about as many as a printer can show.
const mostIntervals = 400

// mostRows is the number of counters of a picture over time.
const mostRows = 8

// timed is a run over time and where it is drawn.
type timed struct {
	facet, name string
	of          *series.Trace
	run         int64 // in the store, 0 for a file
	row         row   // of the run in the store
}

// timelines are what a picture over time shows: a row of panels for each counter, a column for each facet of data.
type timelines struct {
	*data
	counters, units []string
	end             float64        // of the longest run, in seconds
	panels          [][]graphsOver // by counter and facet
	shaded          bool           // launches are
}

// DrawTraces makes the picture that a Spec of kind Time asks for from traces of runs, a line for each with its name.
func DrawTraces(names []string, traces []*series.Trace, s *Spec) (*Picture, error) {
	if s.Kind != Time {
		return nil, s.placed(fmt.Errorf("kind: a trace is drawn over time, and cannot be as %s", s.Kind))
	}
	for _, k := range s.keys() {
		if place, given := s.places[k.name]; given && slices.Contains([]string{"series", "facet", "where"}, k.name) {
			s.Place = place
			return nil, s.placed(fmt.Errorf("%s selects runs of a store; a trace is one run", k.name))
		}
	}
	var list []timed
	for i, t := range traces {
		list = append(list, timed{name: names[i], of: t})
	}
	t, err := s.timelines(list)
	if err != nil {
		return nil, s.placed(err)
	}
	t.notes = append([]string{"From " + strings.Join(names, ", ") + "."}, t.notes...)
	if err := s.describe(context.Background(), nil, t.data); err != nil {
		return nil, s.placed(err)
	}
	p := s.timeline(t)
	p.finish(s)
	return p, nil
}

// time draws runs that were kept over time.
func (s *Spec) time(ctx context.Context, st *store.Store) (*Picture, error) {
	t, err := s.kept(ctx, st)
	if err != nil {
		return nil, err
	}
	return s.timeline(t), nil
}

// kept reads runs that were kept over time.
func (s *Spec) kept(ctx context.Context, st *store.Store) (*timelines, error) {
	settings, _, err := st.Names(ctx)
	if err != nil {
		return nil, err
	}
	apart := slices.Concat(factors, settings)
	rows, columns, err := s.rows(ctx, st, s.Where, slices.Concat(apart, s.Series, s.Facet), nil)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, s.nothing()
	}
	var list []timed
	first := map[[2]string]row{}
	facets := map[string]bool{}
	for _, r := range rows {
		text, err := st.Attachment(ctx, r.id, series.Attachment)
		if err != nil {
			return nil, err
		}
		if text == nil {
			continue
		}
		t, err := series.Read(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("run %d: %w", r.id, err)
		}
		at := [2]string{join(r, s.Facet), join(r, s.Series)}
		if other, twice := first[at]; twice {
			return nil, ambiguous(other, r, apart)
		}
		first[at] = r
		facets[at[0]] = true
		list = append(list, timed{at[0], at[1], t, r.id, r})
		if len(list) > mostSeries*mostFacets {
			break // few says so
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("none of the %s that are selected was kept over time; sweep with the setting trace: 500", count(len(rows), "run"))
	}
	names := map[string]bool{}
	for _, t := range list {
		names[t.name] = true
	}
	series, panels := s.sorted(names, s.Series), s.sorted(facets, s.Facet)
	slices.SortStableFunc(list, func(a, b timed) int {
		if f := slices.Index(panels, a.facet) - slices.Index(panels, b.facet); f != 0 {
			return f
		}
		return slices.Index(series, a.name) - slices.Index(series, b.name)
	})
	t, err := s.timelines(list)
	if err != nil {
		return nil, err
	}
	t.columns = columns
	if len(list) < len(rows) {
		n := len(rows) - len(list)
		t.notes = append(t.notes, fmt.Sprintf("Left out: %s that %s not kept over time.", count(n, "run"), plural(n, "was", "were")))
	}
	return t, s.describe(ctx, st, t.data)
}

// ambiguous is the error of two runs that would be one line.
func ambiguous(a, b row, apart []string) error {
	var differ []string
	for _, name := range apart {
		if a.texts[name] != b.texts[name] && !slices.Contains(differ, name) {
			differ = append(differ, name)
		}
	}
	what := "are alike"
	if len(differ) > 0 {
		what = "differ in " + strings.Join(differ, ", ")
	}
	return fmt.Errorf("runs %d and %d %s, and would be one line; tell them apart with series or facet, or select one with where", a.id, b.id, what)
}

// counterNames returns the names of the counters to draw, as the traces write them. A user may write - for a space.
func (s *Spec) counterNames(list []timed) (names []string, err error) {
	var known []string
	for _, t := range list {
		for _, n := range t.of.Names() {
			if !slices.Contains(known, n) {
				known = append(known, n)
			}
		}
	}
	if len(s.Y) == 0 {
		return usualCounters, nil
	}
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", " ")) }
	for _, y := range s.Y {
		i := slices.IndexFunc(known, func(k string) bool { return plain(k) == plain(y) })
		if i < 0 {
			if n := usage.Nearest(y, known); n != "" {
				return nil, fmt.Errorf("y: a trace has no %q; did you mean %s?", y, n)
			}
			return nil, fmt.Errorf("y: a trace has no %q; there are %s", y, strings.Join(known, ", "))
		}
		names = append(names, known[i])
	}
	if len(names) > mostRows {
		return nil, fmt.Errorf("y: a picture over time can show %d counters, not %d", mostRows, len(names))
	}
	return names, nil
}

// timelines computes what a picture over time shows: a line for each run, or each GPU of a group.
func (s *Spec) timelines(list []timed) (*timelines, error) {
	counters, err := s.counterNames(list)
	if err != nil {
		return nil, err
	}
	t := &timelines{data: &data{}, counters: counters, units: make([]string, len(counters)), panels: make([][]graphsOver, len(counters))}
	for _, r := range list {
		t.end = max(t.end, r.of.End-r.of.Begin())
		t.drawn = append(t.drawn, r.run)
		if !slices.Contains(t.facets, r.facet) {
			t.facets = append(t.facets, r.facet)
		}
		for _, c := range r.of.Counters {
			if slices.Contains(counters, c.Name) && !slices.Contains(t.series, lineName(r, c)) {
				t.series = append(t.series, lineName(r, c))
				t.part(lineName(r, c), r.row, s.Series, ofGPU(r, c))
			}
		}
	}
	if err := s.few(t.data); err != nil {
		return nil, err
	}
	if !(t.end > 0) {
		return nil, fmt.Errorf("the traces take no time: nothing was launched")
	}
	for i, name := range counters {
		for _, facet := range t.facets {
			graphs := graphsOver{name: name, end: t.end}
			for _, r := range list {
				if r.facet != facet {
					continue
				}
				for _, c := range r.of.Counters {
					if c.Name != name {
						continue
					}
					t.units[i] = c.Unit
					l := overTime{series: slices.Index(t.series, lineName(r, c)), end: r.of.End - r.of.Begin(), run: r.run}
					l.values = c.Means(r.of.Begin(), r.of.End, max(1, int(math.Round(mostIntervals*l.end/t.end))))
					graphs.lines = append(graphs.lines, l)
					graphs.shade(r.of)
				}
			}
			if len(graphs.lines) > 1 {
				graphs.launches = nil
			}
			t.shaded = t.shaded || len(graphs.launches) > 0
			t.panels[i] = append(t.panels[i], graphs)
		}
	}
	note := fmt.Sprintf("Each value is the mean over %s.", shown(t.end/mostIntervals, "s", 3))
	if t.shaded {
		note += " Launches are shaded."
	}
	t.notes = []string{note}
	t.XLabel, t.XUnit = cmp.Or(s.XLabel, overSimulated), "s"
	return t, nil
}

// timeline draws a row of panels for each counter, and a column for each facet.
func (s *Spec) timeline(t *timelines) *Picture {
	p := &Picture{aligned: true, Description: &t.Description}
	p.size(s, 1, 16, 1.8+2.9*float64(len(t.counters)))
	if p.columns = len(t.facets); p.columns > 1 && s.Width == 0 {
		p.width = vg.Length(3+8*p.columns) * vg.Centimeter
	}
	p.legend = s.legendOf(t.data, func(l Look) func(draw.Canvas) {
		return func(c draw.Canvas) { c.StrokeLine2(l.steps(), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y) }
	})
	for i, name := range t.counters {
		y := nothing()
		y.add(0)
		var rows []*plot.Plot
		for k, facet := range t.facets {
			for _, l := range t.panels[i][k].lines {
				y.add(slices.Max(l.values))
			}
			x := axis{span: span{0, t.end}, ticker: ticks{unit: "s", most: p.mostTicks()}}
			title := ""
			if i == 0 {
				title = s.heading(facet, t.columns)
			}
			if i == len(t.counters)-1 {
				x.label = t.XLabel
			} else {
				x.ticker = silent{x.ticker}
			}
			panel := panel(title, x, axis{})
			graphs := t.panels[i][k]
			graphs.looks = t.Looks
			panel.Add(graphs)
			rows = append(rows, panel)
		}
		top := y.hi * 1.05
		if top == 0 {
			top = 1
		}
		for k, panel := range rows {
			panel.Y.Min, panel.Y.Max = 0, top
			panel.Y.Tick.Marker = fewTicks{}
			panel.Y.Label.TextStyle = letters(8, ink)
			panel.Y.Label.TextStyle.XAlign, panel.Y.Label.TextStyle.YAlign = draw.XCenter, draw.YBottom
			if k == 0 {
				panel.Y.Label.Text = clean(name) + "\n" + clean(t.units[i])
			}
			p.panels = append(p.panels, panel)
		}
	}
	return p
}

// overSimulated is the label of the horizontal axis.
const overSimulated = "simulated time"

// lineName returns the name of a counter's line: that of the run, and the GPU if it is one of several.
func lineName(t timed, c series.Counter) string {
	if c.GPU == "GPU" {
		return t.name
	}
	return strings.TrimSpace(t.name + " " + c.GPU)
}

// ofGPU is what tells a counter's line apart from others of its run, or for a file, which has no columns, the whole name.
func ofGPU(t timed, c series.Counter) string {
	if t.run == 0 {
		return lineName(t, c)
	}
	if c.GPU == "GPU" {
		return ""
	}
	return c.GPU
}

// silent marks an axis without labels.
type silent struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (s silent) Ticks(lo, hi float64) (list []plot.Tick) {
	for _, t := range s.Ticker.Ticks(lo, hi) {
		list = append(list, plot.Tick{Value: t.Value})
	}
	return list
}

// fewTicks marks a low panel.
type fewTicks struct{}

// Ticks implements plot.Ticker.
func (fewTicks) Ticks(lo, hi float64) (list []plot.Tick) {
	for _, v := range steps(lo, hi, 3) {
		list = append(list, plot.Tick{Value: v, Label: quantity(v, "")})
	}
	return list
}

// overTime is a counter of a run: the means of equal intervals from 0 to end, in seconds.
type overTime struct {
	values []float64
	end    float64
	series int
	run    int64
}

// graphsOver draws counters over time, as steps. With one run it also shades its launches.
type graphsOver struct {
	name     string
	lines    []overTime
	launches []span
	end      float64
	looks    []Look // of series
}

// steps is the look of a run: without dashes, which steps would hide; runs differ in width, too, so that they do in
// grey.
func (l Look) steps() draw.LineStyle {
	return draw.LineStyle{Color: l.color(), Width: vg.Points([]float64{1, 1.4, 0.7}[(l.Color+l.Mark)%3])}
}

// shade notes the launches of a run, unless they are too many to see or some are missing.
func (g *graphsOver) shade(t *series.Trace) {
	g.launches = nil
	if t.Missing || len(t.Launches) > mostIntervals/4 {
		return
	}
	begin := t.Begin()
	for _, l := range t.Launches {
		g.launches = append(g.launches, span{l.Start - begin, l.End - begin})
	}
}

// Plot implements plot.Plotter.
func (g graphsOver) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, l := range g.launches {
		c.SetColor(color.RGBA{0xee, 0xee, 0xee, 0xff})
		c.Fill(vg.Rectangle{Min: vg.Point{X: toX(l.lo), Y: c.Min.Y}, Max: vg.Point{X: toX(l.hi), Y: c.Max.Y}}.Path())
	}
	gridlines{}.Plot(c, p)
	for _, l := range g.lines {
		var pts []vg.Point
		wide := l.end / float64(len(l.values))
		for i, v := range l.values {
			y := toY(v)
			if n := len(pts); n > 1 && pts[n-1].Y == y {
				pts[n-1].X = toX(float64(i+1) * wide)
				continue
			}
			pts = append(pts, vg.Point{X: toX(float64(i) * wide), Y: y}, vg.Point{X: toX(float64(i+1) * wide), Y: y})
		}
		if len(g.lines) == 1 {
			area := append(slices.Clone(pts), vg.Point{X: pts[len(pts)-1].X, Y: toY(0)}, vg.Point{X: pts[0].X, Y: toY(0)})
			c.FillPolygon(pale(g.looks[l.series].color()), area)
		}
		c.StrokeLines(g.looks[l.series].steps(), pts)
	}
}
