package plot

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// place says where a value is drawn.
type place struct{ facet, series, x string }

// cell are the runs at one place.
type cell struct {
	values         []float64
	low, high      []float64 // ends of the values' intervals: the values, unless runs were simulated in part
	runs           []int64
	center, lo, hi float64
	first          map[string]string // what the first run was, for notes
}

// data is what a picture shows.
type data struct {
	Description
	parts          map[string]seriesParts // of the names of series
	drawn          []int64                // runs that are not in cells
	facets, series []string
	x              axisValues
	unit           string                  // of what is measured
	columns        map[string]table.Column // of the names that were read
	cells          map[place]*cell
	notes          []string
	within         bool // values have intervals
}

// axisValues are the values of an axis: numbers if all are, else categories.
type axisValues struct {
	names   []string
	numbers map[string]float64 // nil for categories
}

// at returns the position of a value: the number, or that of the category.
func (a axisValues) at(name string) float64 {
	if a.numbers != nil {
		return a.numbers[name]
	}
	return float64(slices.Index(a.names, name))
}

// row is a run.
type row struct {
	id     int64 // in the store
	texts  map[string]string
	number map[string]float64
}

// most runs that a picture reads: beyond, a picture is not what is wanted.
const mostRuns = 2_000_000

// factors are columns that tell points apart, besides settings.
var factors = []string{"algorithm", "scheduler", "graph", "device", "seed"}

// version is the column with the version of weft, which runs of one setting may differ in.
const version = "version"

// rows reads the selected runs: texts of names and numbers of metrics. It also returns the
// columns of all of them.
func (s *Spec) rows(ctx context.Context, st *store.Store, where, texts, metrics []string) ([]row, map[string]table.Column, error) {
	if !slices.ContainsFunc(where, func(c string) bool { n, _, _, err := store.ParseCondition(c); return err == nil && n == "status" }) {
		where = append(slices.Clone(where), "status=ok")
	}
	all := slices.Concat(texts, metrics)
	slices.Sort(all)
	all = slices.Compact(all)
	var inner []string // names of the steps of runs
	all = slices.DeleteFunc(all, func(name string) bool {
		if isStep(name) {
			inner = append(inner, name)
		}
		return isStep(name)
	})
	columns := map[string]table.Column{}
	byID := map[int64]int{}
	var rows []row
	study, err := s.Study.runs(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	// SQLite joins at most 64 tables, and a query joins one for each name.
	for part := range slices.Chunk(all, 40) {
		t, err := st.Query(ctx, store.Query{Where: where, Columns: append([]string{"id"}, part...), Order: []string{"id"}, Limit: mostRuns})
		if err != nil {
			return nil, nil, err
		}
		for i, name := range part {
			columns[name] = t.Columns[1+i]
		}
		for _, values := range t.Rows {
			id, _ := values[0].(int64)
			if study != nil && !study[id] {
				continue
			}
			at, ok := byID[id]
			if !ok {
				at, byID[id] = len(rows), len(rows)
				rows = append(rows, row{id, map[string]string{}, map[string]float64{}})
			}
			for i, name := range part {
				v := values[1+i]
				rows[at].texts[name] = table.Text(v)
				if x, ok := table.Number(v); ok {
					rows[at].number[name] = x
				}
			}
		}
	}
	if len(inner) > 0 {
		if rows, err = unfold(ctx, st, rows, inner, columns); err != nil {
			return nil, nil, err
		}
	}
	return rows, columns, nil
}

// measure is what is drawn: a metric, or a quotient of two.
type measure struct{ name, over string }

// measureOf parses "cycles" and "cycles / arcs".
func measureOf(text string) measure {
	a, b, ok := strings.Cut(text, " / ")
	if !ok {
		return measure{name: strings.TrimSpace(text)}
	}
	return measure{strings.TrimSpace(a), strings.TrimSpace(b)}
}

// names returns the metrics that are read.
func (m measure) names() []string {
	if m.over == "" {
		return []string{m.name}
	}
	return []string{m.name, m.over}
}

// of returns the value of a run; ok is false if it has none.
func (m measure) of(r row) (float64, bool) {
	v, ok := r.number[m.name]
	if m.over != "" && ok {
		d, has := r.number[m.over]
		v, ok = v/d, has && d != 0
	}
	return v, ok && drawable(v)
}

// half returns half of the width of the interval of the value of a run that was simulated in part; 0 for others. That of a quotient is at
// most the sum of both, relative to them, whatever their errors have to do with each other.
func (m measure) half(r row) float64 {
	half := 0.0
	for _, name := range m.names() {
		if within := r.number[name+store.Within]; within > 0 {
			half += within / math.Abs(r.number[name])
		}
	}
	v, _ := m.of(r)
	return half * math.Abs(v)
}

// drawable reports whether an axis can show a value. Numbers near the largest that there are
// leave no room for margins.
func drawable(v float64) bool { return math.Abs(v) < 1e300 }

// unit returns the unit of the value.
func (m measure) unit(columns map[string]table.Column) string {
	a := columns[m.name].Unit
	if m.over == "" {
		return a
	}
	b := columns[m.over].Unit
	switch {
	case a == b:
		return ""
	case b == "":
		return a
	}
	return a + "/" + b
}

func (m measure) String() string { return strings.Join(m.names(), " / ") }

// load reads what a picture of lines, bars or cells shows: y over x for each series and facet.
func (s *Spec) load(ctx context.Context, st *store.Store, x, y []string) (*data, error) {
	settings, known, err := st.Names(ctx)
	if err != nil {
		return nil, err
	}
	var measures []measure
	var metrics []string
	for _, m := range y {
		measures = append(measures, measureOf(m))
		metrics = append(metrics, measures[len(measures)-1].names()...)
	}
	for _, name := range metrics {
		if within := name + store.Within; slices.ContainsFunc(known, func(c table.Column) bool { return c.Name == within }) {
			metrics = append(metrics, within)
		}
	}
	apart := slices.Concat(factors, settings)
	slices.Sort(apart)
	apart = slices.Compact(apart)
	texts := slices.Concat(x, s.Series, s.Facet, apart, baseNames(s.Baseline), []string{version})
	rows, columns, err := s.rows(ctx, st, s.Where, texts, metrics)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, s.nothing()
	}
	d := &data{cells: map[place]*cell{}, columns: columns}
	for i, m := range measures {
		if u := m.unit(columns); i == 0 {
			d.unit = u
		} else if u != d.unit {
			return nil, fmt.Errorf("%s is in %s and %s in %s; one axis has one unit", measures[0], unitText(d.unit), m, unitText(u))
		}
	}
	varied := map[string]bool{}
	lacking, skipped := 0, 0
	for _, m := range measures {
		value := func(r row) (v, half float64, ok bool) {
			v, ok = m.of(r)
			return v, m.half(r), ok
		}
		if len(s.Baseline) > 0 {
			if value, err = s.ratios(rows, m, apart); err != nil {
				return nil, err
			}
		}
		for _, r := range rows {
			if s.omitsBaseline(x) && s.isBase(r) {
				skipped++
				continue
			}
			v, half, ok := value(r)
			if !ok {
				lacking++
				continue
			}
			at := place{join(r, s.Facet), join(r, s.Series), join(r, x)}
			more := ""
			if len(measures) > 1 {
				more = m.String()
				at.series = strings.TrimSpace(at.series + " " + more)
			}
			d.part(at.series, r, s.Series, more)
			c := d.cells[at]
			if c == nil {
				c = &cell{first: r.texts}
				d.cells[at] = c
			}
			c.values, c.low, c.high = append(c.values, v), append(c.low, v-half), append(c.high, v+half)
			d.within = d.within || half > 0
			c.runs = append(c.runs, r.id)
			for _, name := range append(apart, version) {
				if c.first[name] != r.texts[name] {
					varied[name] = true
				}
			}
		}
	}
	if len(d.cells) == 0 {
		if skipped == len(rows)*len(measures) {
			return nil, fmt.Errorf("baseline: all selected runs have %s; there is nothing to compare with them", strings.Join(s.Baseline, " and "))
		}
		if len(s.Baseline) > 0 {
			return nil, fmt.Errorf("no selected run has %s and a run with %s that is the same otherwise", strings.Join(y, ", "), strings.Join(s.Baseline, " and "))
		}
		return nil, fmt.Errorf("none of the %s that are selected has a number called %s", count(len(rows), "run"), strings.Join(y, ", "))
	}
	if err := d.reduce(s, slices.Sorted(maps.Keys(varied))); err != nil {
		return nil, err
	}
	if lacking > 0 {
		what := plural(lacking, "does not have ", "do not have ") + strings.Join(y, ", ")
		if len(s.Baseline) > 0 {
			what = plural(lacking, "has", "have") + " no counterpart with " + strings.Join(s.Baseline, ", ")
		}
		d.notes = append(d.notes, fmt.Sprintf("Left out: %s that %s.", count(lacking, "run"), what))
	}
	d.order(s, x)
	return d, nil
}

// nothing is the error of a picture for which no run is selected.
func (s *Spec) nothing() error {
	of := ""
	if s.Study != nil {
		of = " of the specification"
	}
	return fmt.Errorf("no run%s with status ok is selected%s", of, s.whereText())
}

// whereText says how runs were selected, for errors.
func (s *Spec) whereText() string {
	if len(s.Where) == 0 {
		return ""
	}
	return " by " + strings.Join(s.Where, " and ")
}

// join returns the values of several names as one category.
func join(r row, names []string) string {
	var words []string
	for _, name := range names {
		if v := r.texts[name]; v != "" {
			words = append(words, v)
		}
	}
	if len(words) == 0 && len(names) > 0 {
		return "not set"
	}
	return strings.Join(words, " ")
}
