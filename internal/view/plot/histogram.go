package plot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// mostBins is the number of bins of a histogram.
const mostBins = 24

// histogram draws how many runs have which value of a metric, for each series.
func (s *Spec) histogram(ctx context.Context, st *store.Store) (*Picture, error) {
	d, b, err := s.counted(ctx, st)
	if err != nil {
		return nil, err
	}
	t := *s
	t.Y, t.LogX = []string{"runs"}, false // bins are categories
	x, y, err := t.axes(d, true)
	if err != nil {
		return nil, err
	}
	x.label, y.label = d.XLabel, d.YLabel
	p := &Picture{Description: &d.Description}
	p.size(s, len(d.facets), 16, 9.5)
	p.legend = s.legendOf(d, barSign)
	p.bars(s, d, x, y)
	for _, panel := range p.panels {
		panel.X.Tick.Length, panel.X.Tick.LineStyle.Color = vg.Points(4), soft
		panel.X.Tick.Marker = p.edges(panel, b, d.XUnit)
	}
	return p, nil
}

// counted returns how many runs are in which bin, for each series and facet.
func (s *Spec) counted(ctx context.Context, st *store.Store) (*data, bins, error) {
	m := measureOf(s.X[0])
	if len(s.X) > 1 {
		return nil, bins{}, fmt.Errorf("x: a histogram shows one metric")
	}
	rows, columns, err := s.rows(ctx, st, s.Where, slices.Concat(s.Series, s.Facet), m.names())
	if err != nil {
		return nil, bins{}, err
	}
	d := &data{cells: map[place]*cell{}, unit: m.unit(columns), columns: columns}
	var all []float64
	for _, r := range rows {
		if v, ok := m.of(r); ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil, bins{}, fmt.Errorf("no run with status ok and %s is selected%s", m, s.whereText())
	}
	b, err := s.bins(all)
	if err != nil {
		return nil, bins{}, err
	}
	b.names(d)
	series, facets := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		v, ok := m.of(r)
		if !ok {
			continue
		}
		at := place{join(r, s.Facet), join(r, s.Series), d.x.names[b.of(v)]}
		series[at.series], facets[at.facet] = true, true
		d.part(at.series, r, s.Series, "")
		c := d.cells[at]
		if c == nil {
			c = &cell{}
			d.cells[at] = c
		}
		c.runs = append(c.runs, r.id)
		c.center++
		c.lo, c.hi = c.center, c.center
	}
	d.series, d.facets = s.sorted(series, s.Series), s.sorted(facets, s.Facet)
	if err := s.few(d); err != nil {
		return nil, bins{}, err
	}
	if less := len(rows) - len(all); less > 0 {
		d.notes = append(d.notes, fmt.Sprintf("Left out: %s that %s %s.", count(less, "run"), plural(less, "does not have", "do not have"), m))
	}
	d.XLabel, d.YLabel, d.XUnit = cmp.Or(s.XLabel, s.measured(s.X, d.unit)), cmp.Or(s.YLabel, "runs"), d.unit
	d.unit = "" // runs have none
	if err := s.describe(ctx, st, d); err != nil {
		return nil, bins{}, err
	}
	return d, b, nil
}

// edges returns the marks of an axis of bins, whose labels do not overlap.
func (p *Picture) edges(panel *plot.Plot, b bins, unit string) edges {
	e := edges{b, unit, 1}
	for ; e.every < b.n; e.every++ {
		wide := vg.Length(0)
		for _, t := range e.Ticks(0, 0) {
			wide = max(wide, panel.X.Tick.Label.Width(t.Label))
		}
		if (wide+6)*vg.Length(b.n) < p.panelWidth()*vg.Length(e.every) {
			break
		}
	}
	return e
}

// bins are ranges of equal width, or of equal ratio: bin i begins at lo + i*step, or lo * step^i.
type bins struct {
	n        int
	lo, step float64
	log      bool
}

// bins returns bins for values: about the square root of their number.
func (s *Spec) bins(values []float64) (bins, error) {
	lo, hi := slices.Min(values), slices.Max(values)
	n := min(max(int(math.Ceil(math.Sqrt(float64(len(values))))), 5), mostBins)
	b := bins{n: n, lo: lo, log: s.LogX}
	switch {
	case same64(lo, hi):
		b.n, b.step, b.log = 1, 1, false
	case s.LogX && lo <= 0:
		return b, fmt.Errorf("logx: a value of %s is %s, and a logarithmic axis has positive values alone", s.X[0], digits(lo, 4))
	case s.LogX:
		b.step = math.Pow(hi/lo, 1/float64(n))
	default:
		round := steps(lo, hi, n)
		if len(round) < 2 {
			b.step = (hi - lo) / float64(n)
			break
		}
		b.step = round[1] - round[0]
		b.lo = math.Floor(lo/b.step) * b.step
		b.n = int(math.Floor((hi-b.lo)/b.step)) + 1
	}
	return b, nil
}

// begin returns where a bin begins.
func (b bins) begin(i int) float64 {
	if b.log {
		return b.lo * math.Pow(b.step, float64(i))
	}
	return b.lo + float64(i)*b.step
}

// of returns the bin of a value.
func (b bins) of(v float64) int {
	i := (v - b.lo) / b.step
	if b.log {
		i = math.Log(v/b.lo) / math.Log(b.step)
	}
	return min(max(int(math.Floor(i+1e-9)), 0), b.n-1)
}

// names makes the bins the categories of the axis.
func (b bins) names(d *data) {
	for i := range b.n {
		d.x.names = append(d.x.names, strconv.Itoa(i))
	}
}

// edges marks an axis of bins where they begin and where the last one ends, or only every few of them.
type edges struct {
	bins
	unit  string
	every int
}

// Ticks implements plot.Ticker.
func (e edges) Ticks(float64, float64) (list []plot.Tick) {
	for i := range e.n + 1 {
		t := plot.Tick{Value: float64(i) - 0.5}
		if i%e.every == 0 {
			t.Label = shown(e.begin(i), e.unit, 3)
		}
		list = append(list, t)
	}
	return list
}
