package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/service/launch"
)

// Launch prints the result of launches of a kernel, with the key counters or
// with all. For one that failed before its first launch it prints nothing.
func Launch(w io.Writer, r *launch.Result, all bool) {
	if r.Error != nil && r.Launches == 0 {
		return
	}
	if r.Printed != "" {
		for line := range strings.Lines(r.Printed) {
			fmt.Fprintln(w, printable.Line(strings.TrimSuffix(line, "\n")))
		}
		fmt.Fprintln(w)
	}
	LaunchHead(w, r)
	Measures(w, &r.Work, 0)
	Counters(w, &r.Work, all)
	buffers(w, r)
	Comparison(w, r, all)
	Races(w, &r.Work)
}

// LaunchHead prints what was launched.
func LaunchHead(w io.Writer, r *launch.Result) {
	shape := extents(r.Grid, "block") + " of " + extents(r.Block, "thread")
	if r.Cluster > 1 {
		shape += fmt.Sprintf(", in clusters of %d", r.Cluster)
	}
	if r.Cooperative {
		shape += ", cooperative"
	}
	if r.DynamicShared > 0 {
		shape += fmt.Sprintf(", %s bytes of dynamic shared memory per block", format.Thousands(r.DynamicShared))
	}
	if r.Registers > 0 {
		shape += fmt.Sprintf(", %d registers per thread", r.Registers)
	}
	rows := [][]string{
		{"launch", fmt.Sprintf("%s on %s", r.Kernel, r.Device)},
		{"grid", shape},
	}
	for _, n := range r.Notes {
		rows = append(rows, []string{"", "note: " + n})
	}
	if len(r.Parameters) > 0 {
		rows = append(rows, []string{"set", format.Assignments(r.Parameters)})
	}
	if r.OwnMachine() {
		rows = append(rows, []string{"machine", "hash " + r.MachineHash})
	}
	label := "arguments"
	for _, a := range r.Arguments {
		rows = append(rows, []string{label, argument(a)})
		label = ""
	}
	if n := len(r.Each); n > 1 {
		text := format.Thousands(n) + " launches, each on what the one before left in the buffers"
		if r.Each[0].Cycles > 0 {
			text += fmt.Sprintf("; cycles: the first %s, the last %s", format.Thousands(r.Each[0].Cycles), format.Thousands(r.Each[n-1].Cycles))
		}
		rows = append(rows, []string{"repeat", text})
	}
	if r.Sampled != nil {
		rows = append(rows, []string{"sample", r.Sampled.String()})
	}
	if r.Error != nil {
		rows = append(rows, []string{"incomplete", "the launch ended early (" + r.Error.Kind + ")"})
	}
	format.Table(w, "", "ll", rows)
}

// argument describes an argument: "n uint32 = 1024", "x []float32 = random:n,
// 1,024 elements".
func argument(a launch.Argument) string {
	text := fmt.Sprintf("%s %s = %s", a.Name, a.Type, a.Given)
	switch {
	case a.Elements != nil:
		text += ", " + elements(*a.Elements)
	case a.Value != nil && fmt.Sprint(a.Value) != a.Given:
		text += fmt.Sprintf(" = %v", a.Value)
	}
	if a.Bound {
		text += " (a constant of the kernel)"
	}
	return text
}

func elements(n int) string {
	if n == 1 {
		return "1 element"
	}
	return format.Thousands(n) + " elements"
}

// extents describes dimensions: "1 block", "64 blocks", "64x32 blocks".
func extents(dim [3]int, what string) string {
	last := 2
	for last > 0 && dim[last] <= 1 {
		last--
	}
	if last == 0 && dim[0] == 1 {
		return "1 " + what
	}
	var s []string
	for _, n := range dim[:last+1] {
		s = append(s, fmt.Sprint(n))
	}
	return strings.Join(s, "x") + " " + what + "s"
}

// buffers prints a summary of what the launches wrote.
func buffers(w io.Writer, r *launch.Result) {
	rows := [][]string{{"buffer", "type", "elements", "changed", "min", "max", "first values"}}
	var same []string
	for _, s := range r.Buffers {
		if s.Changed == 0 {
			same = append(same, s.Name)
			continue
		}
		for i, n := range s.Fields {
			row := []string{n.Name, "", "", format.Thousands(n.Changed), n.Texts.Min, n.Texts.Max, strings.Join(n.Texts.First, " ")}
			if i == 0 {
				row[1], row[2] = s.Type, format.Thousands(s.Elements)
			}
			if len(n.Texts.First) < s.Elements {
				row[6] += " ..."
			}
			rows = append(rows, row)
		}
	}
	if len(r.Buffers) == 0 {
		return
	}
	fmt.Fprintln(w)
	if len(rows) > 1 {
		format.Table(w, "", "llrrrrl", rows)
	}
	if len(same) > 0 {
		fmt.Fprintf(w, "unchanged: %s\n", strings.Join(same, ", "))
	}
}

// Comparison prints whether another device left the same contents.
func Comparison(w io.Writer, r *launch.Result, all bool) {
	c := r.Comparison
	if c == nil {
		return
	}
	defer measures(w, r, all)
	how := "floats equal"
	if c.Tolerance > 0 {
		how = fmt.Sprintf("floats within %v times the largest of 1 and both magnitudes", c.Tolerance)
	}
	largest := ""
	if c.Largest > 0 {
		largest = fmt.Sprintf("; the largest difference of floats is %.3g", c.Largest)
	}
	fmt.Fprintln(w)
	if c.Numbers == 0 {
		fmt.Fprintf(w, "compared with %s: nothing, since the buffers are empty\n", c.Device)
		return
	}
	if c.Differing == 0 {
		fmt.Fprintf(w, "compared with %s: all %s numbers of %s agree, %s%s\n", c.Device, format.Thousands(c.Numbers), compared(c), how, largest)
		return
	}
	fmt.Fprintf(w, "compared with %s: %s of %s numbers of %s differ, %s%s\n", c.Device, format.Thousands(c.Differing), format.Thousands(c.Numbers), compared(c), how, largest)
	rows := [][]string{{"", r.Device, c.Device}}
	for _, d := range c.Differences {
		rows = append(rows, []string{d.Where, d.Texts[0], d.Texts[1]})
	}
	format.Table(w, "  ", "lrr", rows)
	if more := c.Differing - len(c.Differences); more > 0 {
		fmt.Fprintf(w, "  and %s more\n", format.Thousands(more))
	}
}

// measures prints what both devices measured: the kernel time, and, if all is true, the counters.
func measures(w io.Writer, r *launch.Result, all bool) {
	c := r.Comparison
	if len(c.Measures) == 0 {
		return
	}
	rows := [][]string{{"", r.Device, c.Device, "error"}}
	for _, m := range c.Measures {
		if m.Name != launch.KernelTime && !all {
			continue
		}
		show := format.Number
		if m.Name == launch.KernelTime {
			show = format.Seconds
		}
		off := ""
		if m.Error != nil {
			off = fmt.Sprintf("%+.1f%%", 100**m.Error)
		}
		rows = append(rows, []string{m.Name, show(m.Value), show(m.Other), off})
	}
	if len(rows) > 1 {
		format.Table(w, "  ", "lrrr", rows)
	}
}

// compared says which buffers were compared.
func compared(c *launch.Comparison) string {
	if len(c.Answer) > 0 {
		return strings.Join(c.Answer, ", ")
	}
	return fmt.Sprintf("%d buffers", c.Buffers)
}

// Elements prints elements of a buffer.
func Elements(w io.Writer, rows [][]string) {
	fmt.Fprintln(w)
	format.Table(w, "", strings.Join(slices.Repeat([]string{"r"}, len(rows[0])), ""), rows)
}
