package page

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// plot reads a plot of a specification: its numbers as "weft plot" draws them, and the figure in
// which a reader can choose other columns.
func (l *loader) plot(ctx context.Context, section spec.Section, study *plot.Study) (*Plot, error) {
	list, err := plot.Parse([]spec.Section{section})
	if err != nil {
		return nil, err
	}
	s := list[0]
	s.Study, s.UnitOf, s.Palette = study, l.options.UnitOf, l.palette
	p := &Plot{}
	if len(l.options.Where) > 0 {
		// Runs that did not end well stay out, also if the page has them.
		byStatus := slices.ContainsFunc(s.Where, func(c string) bool { n, _, _, err := store.ParseCondition(c); return err == nil && n == "status" })
		s.Where = slices.Concat(s.Where, l.options.Where)
		if !byStatus {
			s.Where = append(s.Where, "status=ok")
		}
	}
	p.Flags = s.Flags()
	if p.Numbers, err = plot.Read(ctx, l.store, s); err != nil {
		return nil, err
	}
	p.Other = l.page.other(s)
	return p, nil
}

// other returns a figure with the columns of a plot, as far as a reader can choose them; nil if not.
func (p *Page) other(s *plot.Spec) *Figure {
	f := &Figure{Kind: string(s.Kind), LogX: s.LogX, LogY: s.LogY}
	by := slices.Concat(s.Series, s.Facet, s.X[min(1, len(s.X)):])
	switch s.Kind {
	case plot.Lines, plot.Bars:
		f.X, f.Y = s.X[0], s.Y[0]
	case plot.Heat:
		f.X, f.Y, by = s.X[0], s.Value, s.Y
	case plot.Histogram:
		f.X = s.X[0]
	default:
		return nil
	}
	if len(by) > 0 {
		f.Series = by[0]
	}
	if len(by) > 1 && s.Kind != plot.Heat {
		f.Split = by[1]
	}
	for _, name := range []string{f.X, f.Y, f.Series, f.Split} {
		if name != "" && p.column(name) == nil {
			return nil
		}
	}
	f.Title = f.title()
	return f
}

// title describes a figure.
func (f *Figure) title() string {
	switch {
	case f.Kind == "histogram":
		return "how often " + f.X
	case f.Split != "":
		return f.Y + " over " + f.X + ", by " + f.Series + " and " + f.Split
	case f.Series != "":
		return f.Y + " over " + f.X + ", by " + f.Series
	}
	return f.Y + " over " + f.X
}

// results are what figures show, the first that runs have.
var results = []string{"kernel_seconds", "cycles", "seconds", "wall"}

// defaults returns the figures for what varies: a result over each setting that is a number, by the
// setting with the fewest texts; bars if there is no number; and a histogram of the result.
func defaults(p *Page) (list []Figure) {
	y := ""
	for _, name := range slices.Backward(results) {
		if c := p.column(name); c != nil && c.IsNumber() {
			y = name
		}
	}
	if y == "" {
		return nil
	}
	var numbers, texts []*Column
	for i := range p.Columns {
		c := &p.Columns[i]
		switch {
		case !c.Varies(), c.Kind == KindMetric, c.Kind == KindRun && !slices.Contains(telling, c.Name):
		case c.IsNumber() && c.Kind == KindSetting && c.distinct() > 1:
			numbers = append(numbers, c)
		case c.Texts != nil && c.Name != "kernel":
			texts = append(texts, c)
		}
	}
	const mostSeries = 12
	// Series tell apart what varies; medians are of what remains, such as seeds.
	series, split, product := "", "", 1
	for _, name := range []string{"scheduler", "algorithm", "graph", "device"} {
		if c := p.column(name); c != nil && c.distinct() > 1 && product*c.distinct() <= mostSeries {
			product *= c.distinct()
			if series == "" {
				series = name
			} else {
				split = name
				break
			}
		}
	}
	used := map[string]bool{}
	for _, q := range p.Plots {
		if q.Other != nil {
			used[q.Other.X] = true
		}
	}
	add := func(f Figure) {
		if used[f.X] {
			return
		}
		f.Title = f.title()
		list = append(list, f)
	}
	for _, x := range numbers {
		add(Figure{Kind: "lines", X: x.Name, Y: y, Series: series, Split: split})
	}
	for _, x := range texts {
		if x.Name != series && x.distinct() > 1 && x.distinct() <= 40 {
			add(Figure{Kind: "bars", X: x.Name, Y: y, Series: series})
		}
	}
	if len(list) == 0 && series != "" {
		add(Figure{Kind: "bars", X: series, Y: y})
	}
	add(Figure{Kind: "histogram", X: y})
	return list
}
