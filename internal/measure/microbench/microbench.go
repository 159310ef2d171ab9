package microbench

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Report is what `weft micro --json` prints.
type Report struct {
	Command string         `json:"command"`
	Build   buildinfo.Info `json:"build"`
	Device  string         `json:"device"`
	Rows    []micro.Value  `json:"rows"`
	LeftOut []string       `json:"left_out,omitempty"` // rows with large footprints
}

// Text prints the table.
func (r *Report) Text(w io.Writer) {
	rows := [][]string{{"group", "what", "median", "unit", "min to max"}}
	for _, v := range r.Rows {
		value, span := format.Significant(v.Median), format.Significant(v.Min)+" to "+format.Significant(v.Max)
		if v.Error != "" {
			value, span = "failed", ""
		}
		rows = append(rows, []string{v.Group, v.Name, value, v.Unit, span})
	}
	format.Table(w, "", "llrll", rows)
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(w, "\nleft out without %s: %d rows\n  %s\n", option.Heavy, len(r.LeftOut), strings.Join(r.LeftOut, "\n  "))
	}
}

// Rows returns the rows of a single GPU to measure.
func Rows(only string, heavy bool) ([]micro.Row, error) { return Single.Rows(only, heavy) }

// Table is a table of rows: Single or Group.
type Table func() []micro.Row

var (
	Single Table = micro.Rows      // of one GPU
	Group  Table = micro.GroupRows // of the links of a group
)

// TableOf returns the table for a device: that of the links for a group of two
// or more GPUs.
func TableOf(spec *devices.Spec) Table {
	if spec.Can().Has(device.Peers) && spec.GPUs != 1 {
		return Group
	}
	return Single
}

// Rows returns the rows of a table to measure.
func (t Table) Rows(only string, heavy bool) ([]micro.Row, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return nil, usage.Errorf("", "%s: %v", option.Only, err)
	}
	var rows []micro.Row
	for _, r := range t() {
		if (heavy || !r.Heavy) && match.MatchString(r.Group+": "+r.Name) {
			rows = append(rows, r)
		}
	}
	if n := len(t.LeftOut(only, heavy)); len(rows) == 0 && n > 0 {
		return nil, usage.Errorf(usage.Say("%s measures them", option.Heavy), "%s: the rows that match %q have large footprints and are left out: %d", option.Only, only, n)
	}
	if len(rows) == 0 {
		return nil, usage.Errorf("\"weft micro\" prints all rows", "%s: no row matches %q", option.Only, only)
	}
	return rows, nil
}

// LeftOut returns the names of the rows with large footprints that only matches
// but that are not measured.
func (t Table) LeftOut(only string, heavy bool) (names []string) {
	match, err := regexp.Compile(only)
	for _, r := range t() {
		if name := r.Group + ": " + r.Name; err == nil && r.Heavy && !heavy && match.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// Measure runs rows of the table on a device. If it is interrupted, it returns
// the values so far with the error; if it could not start, no values.
func Measure(ctx context.Context, spec *devices.Spec, rows []micro.Row, repeats int, stderr io.Writer) ([]micro.Value, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	p := progressbar.New(stderr, "micro on "+spec.Name)
	r := micro.Runner{Device: dev, Kernels: c, Repeats: repeats, Progress: func(done, rows int, row micro.Row) {
		p.Update(int64(done), int64(rows), row.Name)
	}}
	values, err := r.Run(ctx, rows)
	p.Finish()
	if ctx.Err() != nil {
		err = signals.Interrupted
	}
	return values, err
}

// Failed returns the error of the first row that failed.
func Failed(values []micro.Value) error {
	for _, v := range values {
		if v.Err != nil {
			return fmt.Errorf("micro: %s: %s: %w", v.Group, v.Name, v.Err)
		}
	}
	return nil
}
