package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// values is a column while runs are added.
type values struct {
	Column
	numbers []*float64
	texts   []string
	has     []bool // of texts
}

// number sets the number of a run; there is none for what JSON does not have.
func (c *values) number(row int, x float64) {
	for len(c.numbers) <= row {
		c.numbers = append(c.numbers, nil)
	}
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		c.numbers[row] = &x
	}
}

// text sets the text of a run.
func (c *values) text(row int, s string) {
	for len(c.texts) <= row {
		c.texts, c.has = append(c.texts, ""), append(c.has, false)
	}
	c.texts[row], c.has[row] = s, true
}

// column returns the column for the page, or nil if no run has a value, or if it is a metric that is
// 0 in all of them.
func (c *values) column(runs int) *Column {
	if c.Kind == KindSetting {
		c.toNumbers()
	}
	if c.numbers != nil {
		return c.ofNumbers(runs)
	}
	if c.texts == nil {
		return nil
	}
	for len(c.texts) < runs {
		c.texts, c.has = append(c.texts, ""), append(c.has, false)
	}
	col := c.Column
	if same(c.texts) && !slices.Contains(c.has, false) {
		col.Same = c.texts[0]
		return &col
	}
	places := map[string]int{}
	col.Index = make([]int, runs)
	for row, s := range c.texts {
		if !c.has[row] {
			col.Index[row] = -1
			continue
		}
		i, ok := places[s]
		if !ok {
			i = len(col.Texts)
			places[s] = i
			col.Texts = append(col.Texts, s)
		}
		col.Index[row] = i
	}
	return &col
}

// toNumbers turns the texts of a setting into numbers if all are numbers as the page prints them.
func (c *values) toNumbers() {
	numbers := make([]*float64, len(c.texts))
	for i, s := range c.texts {
		if !c.has[i] {
			continue
		}
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || strconv.FormatFloat(x, 'f', -1, 64) != s || math.Abs(x) > 1<<53 {
			return
		}
		numbers[i] = &x
	}
	c.numbers, c.texts = numbers, nil
}

func (c *values) ofNumbers(runs int) *Column {
	for len(c.numbers) < runs {
		c.numbers = append(c.numbers, nil)
	}
	col := c.Column
	first, equal, some, counts := c.numbers[0], true, false, false
	for _, x := range c.numbers {
		some = some || x != nil
		counts = counts || x != nil && *x != 0
		equal = equal && x != nil && first != nil && *x == *first
	}
	switch {
	case !some, !counts && c.Kind == KindMetric:
		return nil
	case equal:
		col.Same = *first
	default:
		col.Numbers = c.numbers
	}
	return &col
}

// same reports whether all texts are the same.
func same(texts []string) bool {
	for _, s := range texts {
		if s != texts[0] {
			return false
		}
	}
	return true
}

// Varies reports whether runs have different values in a column.
func (c *Column) Varies() bool { return c.Same == nil }

// IsNumber reports whether a column has numbers.
func (c *Column) IsNumber() bool {
	_, number := c.Same.(float64)
	return number || c.Numbers != nil
}

// always reports whether there is such a column and every run has a value.
func (c *Column) always() bool {
	return c != nil && (c.Same != nil || c.Texts != nil && !slices.Contains(c.Index, -1))
}

// distinct returns how many different values a column has.
func (c *Column) distinct() int {
	if c.Same != nil {
		return 1
	}
	if c.Texts != nil {
		return len(c.Texts)
	}
	seen := map[float64]bool{}
	for _, x := range c.Numbers {
		if x != nil {
			seen[*x] = true
		}
	}
	return len(seen)
}

// usual are metrics that a table shows, as far as runs have them.
var usual = []string{"cycles", "kernel_seconds", "algorithm_seconds", "arcs_per_second"}

// telling are columns of runs that a table shows if they vary.
var telling = []string{"algorithm", "scheduler", "kernel", "graph", "device", "seed", "repeat"}

// finish sorts the columns: properties of runs, settings, metrics.
func (l *loader) finish() {
	p := l.page
	for _, c := range store.Columns() {
		if col := l.columns[c.Name].column(p.Runs); col != nil {
			p.Columns = append(p.Columns, *col)
		}
		delete(l.columns, c.Name)
	}
	var rest []Column
	for _, c := range l.columns {
		if col := c.column(p.Runs); col != nil {
			rest = append(rest, *col)
		}
	}
	slices.SortFunc(rest, func(a, b Column) int {
		return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) // "setting" before "metric"
	})
	p.Columns = append(p.Columns, rest...)
	for i := range p.Columns {
		c := &p.Columns[i]
		switch {
		case c.Name == "id", c.Name == "status", c.Name == "algorithm",
			c.Kind == KindRun && c.distinct() > 1 && slices.Contains(telling, c.Name) && !(c.Name == "kernel" && p.column("algorithm").always()),
			c.Kind == KindSetting && c.distinct() > 1,
			c.Kind == KindMetric && slices.Contains(usual, c.Name):
			p.Shown = append(p.Shown, i)
		}
	}
}

// column returns a column by its name, or nil.
func (p *Page) column(name string) *Column {
	i := slices.IndexFunc(p.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Columns[i]
}
