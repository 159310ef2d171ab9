package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/experiments/spec"
)

// kinds are the figures for the kinds of plots of a specification.
var kinds = map[string]string{
	"line": "lines", "lines": "lines", "scatter": "points", "points": "points", "bar": "bars", "bars": "bars",
	"heat": "heat", "heatmap": "heat", "histogram": "histogram",
}

// numbers are keys of a plot that change its numbers, and that a page does not know.
var numbers = []string{"where", "baseline", "ratio", "reduce", "hardware"}

// figure returns the figure for a plot of a specification. It takes what a page can show; keys that
// only matter on paper, such as a size, are left out.
func figure(s spec.Section, p *Page) (Figure, error) {
	f := Figure{Kind: "lines"}
	ys, shade := []string{}, "" // of a heat map: what is down, and the colour
	for _, v := range s.Values {
		name := strings.TrimSpace(v.Value)
		switch v.Name {
		case "kind", "type":
			kind, ok := kinds[name]
			if !ok {
				return f, fmt.Errorf("a page does not draw plots of kind %q", name)
			}
			f.Kind = kind
		case "title":
			f.Title = v.Value
		case "x":
			f.X = name
		case "y":
			ys = append(ys, name)
		case "value":
			shade = name
		case "series", "facet":
			if f.Series == "" {
				f.Series = name
			} else if f.Split == "" {
				f.Split = name
			}
		case "logx":
			f.LogX = name == "true"
		case "logy":
			f.LogY = name == "true"
		default:
			if slices.Contains(numbers, v.Name) && !(v.Name == "reduce" && name == "median") && !slices.Contains(f.without, v.Name) {
				f.without = append(f.without, v.Name)
			}
		}
	}
	if len(ys) > 0 {
		f.Y = ys[0]
	}
	if shade != "" {
		f.Series, f.Split, f.Y = f.Y, "", shade
	}
	for _, name := range []string{f.X, f.Y, f.Series, f.Split} {
		if name != "" && p.column(name) == nil {
			return f, fmt.Errorf("no run has a column %q", name)
		}
	}
	switch {
	case f.X == "":
		return f, fmt.Errorf("it has no x")
	case f.Y == "" && f.Kind != "histogram":
		return f, fmt.Errorf("it has no y")
	}
	if f.Title == "" {
		f.Title = f.title()
	}
	return f, nil
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
	for _, f := range p.Figures {
		used[f.X] = true
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
