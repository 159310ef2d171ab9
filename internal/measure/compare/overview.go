package compare

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// Overview is one metric over all points that belong together.
type Overview struct {
	Metric  string `json:"metric"`
	Unit    string `json:"unit,omitempty"`
	Meaning string `json:"meaning,omitempty"`
	Points  int    `json:"points"`
	// A and B are the means of the medians of the points.
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// factor is by how much the sides differ, as a number of at least 1; infinite if one is 0.
func (o Overview) factor() float64 {
	if o.A == o.B {
		return 1
	}
	f := math.Abs(o.B / o.A)
	return max(f, 1/f)
}

// isPattern reports whether a name of a metric stands for several.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// hostTime is no property of what runs.
const hostTime = "launch_wall_seconds"

// expand returns the metrics that names and patterns mean, in their order.
func expand(ctx context.Context, names []string, stores ...*store.Store) (list []string, all map[string]table.Column, err error) {
	all = map[string]table.Column{}
	for _, st := range stores {
		_, metrics, err := st.Names(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range metrics {
			all[c.Name] = c
		}
	}
	for _, name := range names {
		if !isPattern(name) {
			list = append(list, name)
			continue
		}
		var matches []string
		for m := range all {
			ok, err := path.Match(name, m)
			if err != nil {
				return nil, nil, fmt.Errorf("condition %q is not a pattern with * and ?", name)
			}
			if ok && m != hostTime {
				matches = append(matches, m)
			}
		}
		if len(matches) == 0 {
			return nil, nil, &store.UnknownName{Name: name}
		}
		slices.Sort(matches)
		list = append(list, matches...)
	}
	return list, all, nil
}

// overview sums up the differences by metric; those that differ most come first.
func overview(list []Difference, all map[string]table.Column) (sums []Overview) {
	at := map[string]int{}
	for _, d := range list {
		i, ok := at[d.Metric]
		if !ok {
			i = len(sums)
			at[d.Metric] = i
			sums = append(sums, Overview{Metric: d.Metric, Unit: d.Unit, Meaning: all[d.Metric].Meaning})
		}
		sums[i].Points++
		sums[i].A += d.A.Median
		sums[i].B += d.B.Median
	}
	for i := range sums {
		sums[i].A /= float64(sums[i].Points)
		sums[i].B /= float64(sums[i].Points)
	}
	slices.SortStableFunc(sums, func(a, b Overview) int {
		return cmp.Or(cmp.Compare(b.factor(), a.factor()), cmp.Compare(a.Metric, b.Metric))
	})
	return sums
}

// overviewText writes the metrics that differ.
func (r *Result) overviewText(w io.Writer) {
	rows := [][]string{{"metric", "A", "B", "B/A", "unit", "meaning"}}
	same := 0
	for _, o := range r.Overview {
		if o.A == o.B {
			same++
			continue
		}
		ratio := "-"
		if o.A != 0 {
			ratio = fmt.Sprintf("%.3f", o.B/o.A)
		}
		rows = append(rows, []string{o.Metric, format.Number(o.A), format.Number(o.B), ratio, o.Unit, o.Meaning})
	}
	fmt.Fprintf(w, "means over %d points; %d of %d metrics differ\n", r.points[0]-r.OnlyA, len(r.Overview)-same, len(r.Overview))
	format.Table(w, "", "lrrrll", rows)
}
