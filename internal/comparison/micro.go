package comparison

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/comparison/compare"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/microbench"
	"github.com/weft-gpu/weft/kernels/micro"
	"github.com/weft-gpu/weft/results"
)

// Micro compares the table of micro-kernels with the recorded one.
func Micro(ctx context.Context, q Request) (*Table, error) {
	spec, h := q.Device, q.Record
	rows, err := microbench.Rows("", !q.Light)
	if err != nil {
		return nil, err
	}
	values, err := microbench.Measure(ctx, q.Device, rows, 0, q.Stderr)
	if values == nil {
		return nil, err
	}
	t := &Table{Device: spec.Name, With: "record of " + q.GPU, Notes: q.Notes}
	t.Micro = besideRecord(values, h.Micro)
	if rate, ok := spec.Number("launch.rate"); ok {
		compare.MarkConstant(t.Micro, "launch.rate", rate*1e-6)
	}
	t.Summary, t.Constants = compare.SummarizeMicro(t.Micro)
	t.LeftOut = microbench.LeftOut("", !q.Light)
	for _, name := range goneRows(h.Micro) {
		t.Notes = append(t.Notes, "recorded, and no row of this program: "+name)
	}
	return t, cmp.Or(err, microbench.Failed(values))
}

// besideRecord pairs each value with the recorded one.
func besideRecord(values []micro.Value, record []results.Micro) []compare.MicroRow {
	recorded := map[string]results.Micro{}
	for _, m := range record {
		recorded[m.Group+": "+m.Name] = m
	}
	var list []compare.MicroRow
	for _, v := range values {
		m, ok := recorded[v.Group+": "+v.Name]
		row := compare.MicroRow{Group: v.Group, Name: v.Name, Unit: v.Unit, A: v.Median, B: m.Median}
		switch {
		case v.Error != "":
			row.Note = "failed: " + v.Error
		case !ok:
			row.Note = "not recorded"
		case m.Error != "":
			row.Note = "failed when it was recorded: " + m.Error
		}
		row.Error = compare.Part(math.NaN())
		if row.Note == "" {
			row.Error = compare.Part(compare.Error(row.A, row.B))
		}
		list = append(list, row)
	}
	return list
}

// goneRows returns the recorded rows that the program no longer has.
func goneRows(record []results.Micro) (names []string) {
	known := map[string]bool{}
	for _, r := range micro.Rows() {
		known[r.Group+": "+r.Name] = true
	}
	for _, m := range record {
		if name := m.Group + ": " + m.Name; !known[name] {
			names = append(names, name)
		}
	}
	return names
}

// printMicro prints the table of the micro-kernels, and which rows do not
// count.
func (t *Table) printMicro(w io.Writer) {
	if len(t.Micro) == 0 {
		return
	}
	rows := [][]string{{"group", "what", t.Device, t.With, "unit", "error"}}
	uncounted := 0
	for _, m := range t.Micro {
		e, measured := percentOf(m.Error), format.Significant(m.B)
		if m.Note != "" {
			uncounted++
			if e = m.Note; m.B == 0 {
				measured = "-"
			}
		}
		rows = append(rows, []string{m.Group, m.Name, format.Significant(m.A), measured, m.Unit, e})
	}
	format.Table(w, "", "llrrlr", rows)
	fmt.Fprintf(w, "\n%d rows", len(t.Micro)+len(t.LeftOut))
	if uncounted > 0 {
		fmt.Fprintf(w, "; %d without an error, see there", uncounted)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Constants)) {
		fmt.Fprintf(w, "; %d are %s on the simulated machine and count as one", t.Constants[name], name)
	}
	if len(t.LeftOut) > 0 {
		fmt.Fprintf(w, "; %d left out by --light:\n  %s", len(t.LeftOut), strings.Join(t.LeftOut, "\n  "))
	}
	fmt.Fprintln(w)
}
