package comparison

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/measure/microbench"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/results"
)

// Micro compares the table of micro-kernels with the recorded one, or with that
// of a file.
func Micro(ctx context.Context, q Request) (*Table, error) {
	spec, table := q.Device, microbench.TableOf(q.Device)
	t := &Table{Device: spec.Name, With: "record of " + q.GPU, Notes: q.Notes}
	var record []results.Micro
	if q.Micro == "" {
		h, err := q.Records.Load(q.GPU)
		if err != nil {
			return nil, err
		}
		record = h.Micro
	} else {
		var err error
		if t.With, record, err = readMicro(ctx, q.Micro); err != nil {
			return nil, err
		}
	}
	rows, err := table.Rows("", !q.Light)
	if err != nil {
		return nil, err
	}
	values, err := microbench.Measure(ctx, q.Device, rows, 0, q.Stderr)
	if len(values) == 0 {
		return nil, ended(ctx, err)
	}
	t.Micro = besideRecord(values, record)
	if rate, ok := spec.Number("launch.rate"); ok {
		compare.MarkConstant(t.Micro, "launch.rate", rate*1e-6)
	}
	t.Summary, t.Constants = compare.SummarizeMicro(t.Micro)
	t.LeftOut = table.LeftOut("", !q.Light)
	for _, name := range goneRows(table, record) {
		t.Notes = append(t.Notes, "recorded, and no row of this program: "+name)
	}
	if ctx.Err() != nil {
		err = ended(ctx, err)
		t.Partial = partial(err, len(t.Micro), "row")
	}
	return t, cmp.Or(err, microbench.Failed(values))
}

// maxReport is the maximum length of a file with a table; the longest has 30 kB.
const maxReport = 1 << 20

// readMicro reads what weft micro --json has written, and returns whose table
// it is.
func readMicro(ctx context.Context, file string) (name string, rows []results.Micro, err error) {
	text, err := infile.ReadAll(ctx, file, maxReport)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	var r struct {
		Device string          `json:"device"`
		Rows   []results.Micro `json:"rows"`
	}
	if err := json.Unmarshal(text, &r); err != nil || len(r.Rows) == 0 {
		return "", nil, fmt.Errorf("%s: is no table of weft micro %s", file, option.JSON)
	}
	return r.Device + " in " + filepath.Base(file), r.Rows, nil
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
func goneRows(table microbench.Table, record []results.Micro) (names []string) {
	known := map[string]bool{}
	for _, r := range table() {
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
		fmt.Fprintf(w, "; %d left out by %s:\n  %s", len(t.LeftOut), option.Light, strings.Join(t.LeftOut, "\n  "))
	}
	fmt.Fprintln(w)
}
