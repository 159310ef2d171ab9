package calibration

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/sim/config"
)

// Of sets the command line that made the result.
func (r *Result) Of(command string) { r.Command = command }

// Text prints what moved, the rows, and what stays as it is in the base.
func (r *Result) Text(w io.Writer) {
	fmt.Fprintf(w, "%s, from %s, on the base %s\n\ntaken as they are:\n", r.GPU, r.Record, r.Base)
	table := [][]string{}
	for _, f := range r.Facts {
		table = append(table, []string{f.Parameter, f.From, "to", f.To, f.Unit, f.Source})
	}
	format.Table(w, "  ", "lrlrll", table)
	fmt.Fprintf(w, "\nfitted, %s over the table of steps, %s simulations:\n", passes(r.Passes), format.Thousands(r.Probes))
	table = [][]string{{"wave", "parameter", "from", "", "to", "unit", "rows ask for"}}
	for _, f := range r.Fitted {
		table = append(table, []string{strconv.Itoa(f.Wave), f.Parameter, f.From, "to", f.To, f.Unit, asked(f.Asked)})
	}
	format.Table(w, "  ", "rlrlrll", table)
	fmt.Fprintf(w, "\nrows:\n")
	table = [][]string{{"row", "recorded", "before", "after", "unit", "error before", "after"}}
	for _, x := range r.Rows {
		table = append(table, []string{x.Name, format.Significant(x.Recorded), format.Significant(x.Before), format.Significant(x.After), x.Unit,
			percent(x.Before/x.Recorded - 1), percent(x.After/x.Recorded - 1)})
	}
	format.Table(w, "  ", "lrrrlrr", table)
	fmt.Fprintf(w, "  mean error %.1f%% before, %.1f%% after; the largest is now %.1f%%: %s\n", r.Before.Mean*100, r.After.Mean*100, r.After.Worst*100, r.After.At)
	fmt.Fprintf(w, "\nas in the base, since no row isolates them or their rows say nothing:\n")
	table = nil
	for _, k := range r.Kept {
		why := ""
		if k.Why != unfitted {
			why = " [" + k.Why + "]"
		}
		table = append(table, []string{k.Parameter, k.Value, k.Unit, k.Source + why})
	}
	format.Table(w, "  ", "lrll", table)
	fmt.Fprintf(w, "\nmachine %s\n", r.Machine)
}

func passes(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}

func percent(x float64) string { return fmt.Sprintf("%+.1f%%", x*100) }

// asked lists the values that rows ask for.
func asked(list []Ask) string {
	var words []string
	for _, a := range list {
		if a.Note != "" {
			words = append(words, "("+a.Note+")")
			continue
		}
		word := format.Significant(a.Value)
		if a.Beyond != "" {
			word += " (or beyond: " + a.Beyond + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// WriteYAML writes the machine as a file for --device sim:FILE. folder is that of the file, from which a base that is a file is named.
func (r *Result) WriteYAML(w io.Writer, folder string) error {
	base := r.Base
	if config.IsFile(base) && !filepath.IsAbs(base) {
		to, err1 := filepath.Abs(base)
		from, err2 := filepath.Abs(folder)
		rel, err3 := filepath.Rel(from, to)
		if err1 == nil && err2 == nil && err3 == nil {
			base = rel
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# By %s.\n", r.Command)
	fmt.Fprintf(&s, "# The rows to which parameters were fitted have a mean error of %.1f%%, and %.1f%% on the base.\n", r.After.Mean*100, r.Before.Mean*100)
	fmt.Fprintf(&s, "title: %s\nbase: %s\nvalues:\n", strconv.Quote(r.GPU+", calibrated on the base "+r.Base), strconv.Quote(filepath.ToSlash(base)))
	line := func(path, value, unit, source, fitted string) {
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			value = strconv.Quote(value)
		}
		if fitted != "" {
			fitted = ", fitted: " + strconv.Quote(fitted)
		}
		fmt.Fprintf(&s, "  %-23s {value: %s, unit: %s, source: %s%s}\n", path+":", value, unit, strconv.Quote(source), fitted)
	}
	for _, f := range r.Facts {
		line(f.Parameter, f.To, f.Unit, f.Source, "")
	}
	for _, f := range r.Fitted {
		var used []string
		for _, a := range f.Asked {
			if a.Note == "" {
				used = append(used, fmt.Sprintf("%q asks for %s", a.Row, format.Significant(a.Value)))
			}
		}
		line(f.Parameter, f.To, f.Unit, fmt.Sprintf("weft calibrate, %s in the base", f.From), "micro-kernels of "+r.Record+": "+strings.Join(used, ", "))
	}
	s.WriteString("# As in the base, since no row isolates them or their rows say nothing:\n")
	for _, k := range r.Kept {
		fmt.Fprintf(&s, "#   %s: %s %s (%s)\n", k.Parameter, k.Value, k.Unit, k.Source)
	}
	_, err := io.WriteString(w, s.String())
	return err
}
