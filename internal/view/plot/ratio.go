package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// ratios returns the function that compares a run with its counterpart among the runs of the
// baseline: those with the same settings, apart from what the conditions name, and from
// settings that no run of the baseline has.
func (s *Spec) ratios(rows []row, m measure, apart []string) (func(row) (v, half float64, ok bool), error) {
	names := baseNames(s.Baseline)
	has := map[string]bool{}
	found := false
	for _, r := range rows {
		if s.isBase(r) {
			found = true
			for _, name := range apart {
				has[name] = has[name] || r.texts[name] != ""
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("baseline: no selected run has %s", strings.Join(s.Baseline, " and "))
	}
	key := func(r row) string {
		var b strings.Builder
		for _, name := range apart {
			if has[name] && !slices.Contains(names, name) {
				fmt.Fprintf(&b, "%q ", r.texts[name])
			}
		}
		return b.String()
	}
	base, widest := map[string][]float64{}, map[string]float64{} // the widest interval of a baseline, relative to its value
	for _, r := range rows {
		if v, ok := m.of(r); ok && s.isBase(r) {
			base[key(r)] = append(base[key(r)], v)
			widest[key(r)] = max(widest[key(r)], relative(m.half(r), v))
		}
	}
	return func(r row) (float64, float64, bool) {
		v, ok := m.of(r)
		b, known := base[key(r)]
		if !ok || !known {
			return 0, 0, false
		}
		ratio := quantile(slices.Sorted(slices.Values(b)), 0.5) / v
		if s.Ratio == "relative" {
			ratio = 1 / ratio
		}
		return ratio, math.Abs(ratio) * (relative(m.half(r), v) + widest[key(r)]), drawable(ratio)
	}, nil
}

// relative returns half of an interval's width relative to the value; 0 for a value without an interval.
func relative(half, v float64) float64 {
	if half == 0 {
		return 0
	}
	return half / math.Abs(v)
}

// isBase reports whether a run is one of the baseline.
func (s *Spec) isBase(r row) bool {
	for _, b := range s.Baseline {
		name, _, want, err := store.ParseCondition(b)
		if err != nil || !same(r.texts[name], want) {
			return false
		}
	}
	return true
}

// omitsBaseline reports whether the runs of the baseline are left out, because their ratio of 1 says nothing: a line at 1
// stands for them. A line or a heat map along a name of the baseline has them, as its first point or row.
func (s *Spec) omitsBaseline(x []string) bool {
	along := x
	switch {
	case len(s.Baseline) == 0:
		return false
	case s.Kind == Heat:
		along = slices.Concat(x, s.Series) // its rows
	case s.Kind != Lines:
		return true
	}
	return !slices.ContainsFunc(baseNames(s.Baseline), func(n string) bool { return slices.Contains(along, n) })
}

// baseNames returns the names in conditions.
func baseNames(conditions []string) (names []string) {
	for _, c := range conditions {
		if name, _, _, err := store.ParseCondition(c); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// same compares numbers as numbers and everything else as text.
func same(a, b string) bool {
	x, okX := table.Number(a)
	y, okY := table.Number(b)
	return a == b || okX && okY && x == y
}
