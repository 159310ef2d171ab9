package study

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
)

// outcome says in a few words what was measured.
func (r *Row) outcome() string {
	if r.Error != "" {
		return "error: " + r.Error
	}
	words := []string{r.checked()}
	if len(r.Seconds) > 0 {
		words = append(words, fmt.Sprintf("median %s of %d", format.Seconds(SpreadOf(r.Seconds).Median), len(r.Seconds)))
	}
	return strings.Join(words, ", ")
}

func (r *Row) checked() string {
	switch r.Checked {
	case ByReference:
		return "right by the reference"
	case ByValues:
		return "right by equal values"
	}
	return "not checked"
}

// number formats a time or a ratio with three significant digits.
func number(x float64) string {
	if x < 10 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return format.Digits(x)
}

// Failed returns how many rows of a specification have an error.
func Failed(s *Spec, f *File) (n int) {
	for _, g := range s.Graphs {
		for _, p := range s.rows(g.Name) {
			if r := f.Find(p.Key); r != nil && r.Error != "" || r == nil && p.err != nil {
				n++
			}
		}
	}
	return n
}

// Table prints the rows of a specification in its order, with those that are missing, and the errors below.
func Table(w io.Writer, s *Spec, f *File) {
	rows := [][]string{{"graph", "algorithm", "scheduler", "parameters", "answer", "runs", "min ms", "quartile", "median", "quartile", "max", "with copy", "kernels ms", "iterations", "launches"}}
	var failed []string
	for _, g := range s.Graphs {
		for _, p := range s.rows(g.Name) {
			line := []string{p.Graph, p.Algorithm, p.Scheduler, p.Params}
			r := f.Find(p.Key)
			switch {
			case r == nil && p.err != nil:
				line = append(line, "error")
				failed = append(failed, fmt.Sprintf("%s: %v", p.Key, p.err))
			case r == nil:
				line = append(line, "missing")
			case r.Error != "":
				line = append(line, "error")
				failed = append(failed, fmt.Sprintf("%s: %s", r.Key, r.Error))
			default:
				line = append(line, r.numbers()...)
			}
			rows = append(rows, line)
		}
	}
	format.Table(w, "", "lllllrrrrrrrrrr", rows)
	for _, why := range failed {
		fmt.Fprintf(w, "error: %s\n", why)
	}
}

// numbers returns the cells of a row that has no error.
func (r *Row) numbers() []string {
	cells := []string{string(r.Checked), fmt.Sprint(len(r.Seconds))}
	if r.Checked == Unchecked {
		cells[0] = "unchecked"
	}
	if len(r.Seconds) == 0 {
		cells = append(cells, "", "", "", "", "", "", "")
	} else {
		t := SpreadOf(r.Seconds)
		for _, x := range []float64{t.Min, t.Q1, t.Median, t.Q3, t.Max, SpreadOf(r.WithCopy).Median, SpreadOf(r.KernelSeconds).Median} {
			cells = append(cells, number(x*1e3))
		}
	}
	return append(cells, fmt.Sprint(r.Iterations), fmt.Sprint(r.Launches))
}
