package plot

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/table"
)

// order sorts facets, series and values of x: numbers by value, the rest as Order says, else by name.
func (d *data) order(s *Spec, x []string) {
	facets, series, xs := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for at := range d.cells {
		facets[at.facet], series[at.series], xs[at.x] = true, true, true
	}
	d.facets = s.sorted(facets, s.Facet)
	d.series = s.sorted(series, s.Series)
	d.x.names = s.sorted(xs, x)
	numbers := map[string]float64{}
	for _, name := range d.x.names {
		v, ok := table.Number(name)
		if !ok || !drawable(v) {
			return
		}
		numbers[name] = v
	}
	d.x.numbers = numbers
}

// sorted returns the values of some names in the order in which pictures have them.
func (s *Spec) sorted(set map[string]bool, names []string) []string {
	list := slices.Collect(maps.Keys(set))
	rank := map[string]int{}
	for _, name := range names {
		for i, v := range s.Study.order(name) {
			if _, ok := rank[v]; !ok {
				rank[v] = i
			}
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		x, okX := table.Number(a)
		y, okY := table.Number(b)
		if okX && okY {
			return cmp.Compare(x, y)
		}
		return byWords(rank, a, b)
	})
	return list
}

// byWords compares categories of one or more values, word by word.
func byWords(rank map[string]int, a, b string) int {
	wa, wb := strings.Fields(a), strings.Fields(b)
	for i := range min(len(wa), len(wb)) {
		ra, okA := rank[wa[i]]
		rb, okB := rank[wb[i]]
		x, numA := table.Number(wa[i])
		y, numB := table.Number(wb[i])
		c := strings.Compare(wa[i], wb[i])
		switch {
		case okA && okB:
			c = cmp.Compare(ra, rb)
		case numA && numB:
			c = cmp.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(wa), len(wb)), strings.Compare(a, b))
}

// count writes "1 run" or "3 runs".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// plural returns one, or many unless n is 1.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func unitText(unit string) string {
	if unit == "" {
		return "no unit"
	}
	return unit
}
