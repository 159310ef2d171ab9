package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Group prints what the GPUs of a group did and sent each other: a row for each
// GPU, one for each direction of a link, and the figures of all. It prints
// nothing if g is nil.
func Group(w io.Writer, g *run.Group) {
	if g == nil {
		return
	}
	clock, counted := false, false
	for _, x := range g.GPUs {
		clock, counted = clock || x.Seconds > 0, counted || x.Useful != nil
	}
	head, cols := []string{"", "launches"}, "lr"
	column := func(is bool, name string) {
		if is {
			head, cols = append(head, name), cols+"r"
		}
	}
	column(clock, "kernel time")
	column(g.Pairs != nil, "bytes sent")
	column(g.Pairs != nil && counted, "useful")
	column(g.Pairs != nil, "received")
	rows := [][]string{head}
	for _, x := range g.GPUs {
		row := []string{fmt.Sprintf("GPU %d", x.GPU), format.Thousands(x.Launches)}
		if clock {
			row = append(row, format.Seconds(x.Seconds))
		}
		if g.Pairs != nil {
			row = append(row, format.Thousands(x.Sent))
			if counted {
				row = append(row, useful(x.Useful))
			}
			row = append(row, format.Thousands(x.Received))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	format.Table(w, "", cols, rows)
	links(w, g.Links)
	if len(g.Measures) == 0 {
		return
	}
	fmt.Fprintln(w)
	rows = [][]string{{"communication", "value", "unit", "meaning"}}
	for _, m := range g.Measures {
		value, unit := format.Number(m.Value), m.Unit
		if unit == "s" {
			value, unit, _ = strings.Cut(format.Seconds(m.Value), " ")
		}
		rows = append(rows, []string{m.Name, value, unit, m.What})
	}
	format.Table(w, "", "lrll", rows)
}

// links prints what each link carried.
func links(w io.Writer, list []run.Link) {
	if len(list) == 0 {
		return
	}
	timed := false
	for _, l := range list {
		timed = timed || l.Wire > 0
	}
	rows, cols := [][]string{{"link", "bytes"}}, "lr"
	if timed {
		rows, cols = [][]string{{"link", "kind", "bytes", "with headers", "busy"}}, "llrrr"
	}
	for _, l := range list {
		row := []string{l.From + " to " + l.To}
		if timed {
			row = append(row, l.Kind)
		}
		row = append(row, format.Thousands(l.Bytes))
		if timed {
			row = append(row, format.Thousands(l.Wire), format.Seconds(l.Busy))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	format.Table(w, "", cols, rows)
}

// useful returns a number of useful bytes; "-" if it is not known.
func useful(n *uint64) string {
	if n == nil {
		return "-"
	}
	return format.Thousands(*n)
}
