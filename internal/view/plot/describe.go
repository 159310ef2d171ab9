package plot

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// Description says what a figure shows, of which runs and in which looks. Every renderer draws by it and prints its Caption: a
// Picture, and the page of "weft report", which has it in Numbers.
type Description struct {
	Title  string `json:"title"` // of the Spec, or else what is drawn over what
	XLabel string `json:"x_label"`
	YLabel string `json:"y_label"`
	// XUnit and Unit are the units of the values of x and y; "" if there is none, as of ratios. Labels have them, but for seconds,
	// which the marks of an axis have.
	XUnit string `json:"x_unit,omitempty"`
	Unit  string `json:"unit,omitempty"`
	Value string `json:"value,omitempty"` // of a heat map: what the colors are
	By    string `json:"by,omitempty"`    // what tells series apart, with units
	Parts string `json:"parts,omitempty"` // what tells panels apart, with units

	Store string   `json:"store,omitempty"` // name of the file
	Study string   `json:"study,omitempty"` // whose runs alone are drawn, if the file has others
	Where []string `json:"where,omitempty"` // conditions that selected the runs
	Runs  int      `json:"runs"`            // that are drawn
	Notes []string `json:"notes,omitempty"` // how values were reduced, what was left out, what marks mean

	Series []string `json:"series"`          // of a heat map: the rows
	Legend []string `json:"legend"`          // the series, with the unit of a number
	Looks  []Look   `json:"looks,omitempty"` // of the series; none of a heat map

	// Caption is all that is said below the figure, a sentence each.
	Caption []string `json:"caption"`
}

// mostConditions is the number of conditions that a caption names.
const mostConditions = 12

// of says which runs a figure shows: "36 runs of l2.db (study l2) where graph=roads; a line for each scheduler."
func (d *Description) of(kind Kind) string {
	text := count(d.Runs, "run") + " of " + d.Store
	if d.Study != "" {
		text += " (study " + d.Study + ")"
	}
	if n := len(d.Where); n > 0 {
		text += " where " + strings.Join(d.Where[:min(n, mostConditions)], " and ")
		if n > mostConditions {
			text += fmt.Sprintf(" and %d more conditions", n-mostConditions)
		}
	}
	var each []string
	if sign := map[Kind]string{Lines: "a line", Bars: "a color", Histogram: "a color", Correlation: "a color", Time: "a line"}[kind]; sign != "" && d.By != "" && len(d.Series) > 1 {
		each = append(each, sign+" for each "+strings.ReplaceAll(d.By, ", ", " and "))
	}
	if d.Parts != "" {
		each = append(each, "a panel for each "+strings.ReplaceAll(d.Parts, ", ", " and "))
	}
	if len(each) > 0 {
		text += "; " + strings.Join(each, ", ")
	}
	return text + "."
}

// describe completes the description of a figure, whose axes and units are known, from its data. There is no store if traces are drawn.
func (s *Spec) describe(ctx context.Context, st *store.Store, d *data) error {
	f := &d.Description
	f.Title, f.Where, f.Notes, f.Series = cmp.Or(s.Title, s.what()), s.Where, d.notes, d.series
	if st != nil {
		f.Store = filepath.Base(st.File())
	}
	if part, err := s.Study.part(ctx, st); err != nil {
		return err
	} else if part {
		f.Study = s.Study.Name
	}
	f.Runs = len(d.runs())
	if len(s.Facet) > 0 {
		f.Parts = s.named(s.Facet, d.columns)
	}
	if s.Kind != Heat {
		f.By = s.named(s.Series, d.columns)
		p := s.Palette
		if p == nil {
			p = NewPalette(st)
		}
		columns, parts := s.parts(d)
		var err error
		if f.Looks, err = p.Looks(ctx, columns, parts); err != nil {
			return err
		}
	}
	for _, name := range f.Series {
		f.Legend = append(f.Legend, s.inLegend(name, d.columns))
	}
	if st == nil {
		f.Caption = f.Notes
		return nil
	}
	bad, err := s.failed(ctx, st)
	if err != nil {
		return err
	}
	if bad > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("Left out: %s that did not end well.", count(bad, "run")))
	}
	f.Caption = append([]string{f.of(s.Kind)}, f.Notes...)
	return nil
}

// parts returns the columns of series and the values of each series in them. What is not of a column, such as one of several
// metrics or GPUs, is in a last one without a name.
func (s *Spec) parts(d *data) (columns []string, parts [][]string) {
	extra := false
	for _, name := range d.series {
		extra = extra || d.parts[name].more != ""
	}
	columns = slices.Clone(s.Series)
	if extra {
		columns = append(columns, "")
	}
	for _, name := range d.series {
		v := slices.Clone(d.parts[name].values)
		for len(v) < len(s.Series) {
			v = append(v, "")
		}
		if extra {
			v = append(v, d.parts[name].more)
		}
		parts = append(parts, v)
	}
	return columns, parts
}

// seriesParts are the values that make the name of a series, and what else is in it.
type seriesParts struct {
	values []string
	more   string
}

// part notes of what the name of a series is made.
func (d *data) part(name string, r row, columns []string, more string) {
	if d.parts == nil {
		d.parts = map[string]seriesParts{}
	}
	if _, ok := d.parts[name]; ok {
		return
	}
	p := seriesParts{more: more}
	for _, c := range columns {
		p.values = append(p.values, r.texts[c])
	}
	d.parts[name] = p
}

// runs returns the numbers of the runs that are drawn.
func (d *data) runs() map[int64]bool {
	ids := map[int64]bool{}
	for _, c := range d.cells {
		for _, id := range c.runs {
			ids[id] = true
		}
	}
	for _, id := range d.drawn {
		ids[id] = true
	}
	return ids
}

// inLegend is the name of a series where no heading says what it is: a number has the name of its column, and its unit.
func (s *Spec) inLegend(name string, columns map[string]table.Column) string {
	names := s.Series
	if s.Kind == Heat {
		names = s.Y
	}
	if _, number := table.Number(name); !number || len(names) != 1 {
		return name
	}
	return valued(names[0], name, s.unit(names[0], columns))
}

// failed counts the selected runs that did not end well, which no figure shows unless its conditions name a status.
func (s *Spec) failed(ctx context.Context, st *store.Store) (n int, err error) {
	if slices.Contains(baseNames(slices.Concat(s.Where, s.A, s.B)), "status") {
		return 0, nil
	}
	sides := [][]string{nil}
	if s.Kind == Correlation {
		sides = [][]string{s.A, s.B}
		if s.Record != "" {
			sides = [][]string{s.B}
		}
	}
	study, err := s.Study.runs(ctx, st)
	if err != nil {
		return 0, err
	}
	ids := map[int64]bool{}
	for _, side := range sides {
		t, err := st.Query(ctx, store.Query{Where: slices.Concat(s.Where, side, []string{"status!=ok"}), Columns: []string{"id"}, Limit: mostRuns})
		if err != nil {
			return 0, err
		}
		for _, row := range t.Rows {
			if id, _ := row[0].(int64); study == nil || study[id] {
				ids[id] = true
			}
		}
	}
	return len(ids), nil
}

// what is a title for a figure that has none.
func (s *Spec) what() string {
	what := strings.Join(s.Y, ", ") + " over " + strings.Join(s.X, ", ")
	switch s.Kind {
	case Heat:
		what = s.Value + " over " + strings.Join(s.X, ", ") + " and " + strings.Join(s.Y, ", ")
	case Histogram:
		what = "how often " + s.X[0]
	case Time:
		what = cmp.Or(strings.Join(s.Y, ", "), strings.Join(usualCounters, ", ")) + " over time"
	case Correlation:
		what = s.Y[0] + ": " + strings.Join(s.B, ", ") + " against " + cmp.Or(s.Record, strings.Join(s.A, ", "))
	}
	if by := slices.Concat(s.Series, s.Facet); len(by) > 0 {
		what += ", by " + strings.Join(by, " and ")
	}
	return what
}
