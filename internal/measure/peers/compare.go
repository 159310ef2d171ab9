package peers

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/results"
)

// number formats a time or a ratio with three significant digits.
func number(x float64) string {
	if x < 10 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return format.Digits(x)
}

// String returns the system with its time: "Gunrock 21.0", "5.98 (7 iterations)".
func (o Other) String() string {
	text := strings.TrimSpace(o.System + " " + number(o.MS))
	if o.To > 0 {
		text += " to " + number(o.To)
	}
	switch {
	case o.Each:
		text += " an iteration"
	case o.Iterations > 0:
		text += fmt.Sprintf(" (%d iterations)", o.Iterations)
	}
	return text
}

// cell is what is known of a problem on a graph.
type cell struct {
	ours   *results.Row // the fastest that was checked; nil if none
	others []Other      // without earlier versions of ours
	before []Other
}

// best returns the fastest of our rows whose answers were checked: by the time of an iteration if per is true.
func best(f *results.Repeated, graph string, p Problem) (best *results.Row) {
	for i := range f.Rows {
		r := &f.Rows[i]
		if r.Graph != graph || !slices.Contains(p.Algorithms, r.Algorithm) || r.Error != "" || r.Checked == results.Unchecked || len(r.Seconds) == 0 {
			continue
		}
		if best == nil || msOf(r, p.PerIteration) < msOf(best, p.PerIteration) {
			best = r
		}
	}
	return best
}

// msOf returns the median algorithm time in milliseconds, of an iteration if each is true.
func msOf(r *results.Row, each bool) float64 {
	ms := results.SpreadOf(r.Seconds).Median * 1e3
	if each {
		ms /= float64(max(r.Iterations, 1))
	}
	return ms
}

// ratio returns the time of ours divided by that of another system. Where the number of the other's iterations is not
// known, whole runs are compared.
func ratio(ours *results.Row, o Other, p Problem) float64 {
	switch {
	case o.Each:
		return msOf(ours, true) / o.MS
	case p.PerIteration && o.Iterations > 0:
		return msOf(ours, true) / (o.MS / float64(o.Iterations))
	}
	return msOf(ours, false) / o.MS
}

// worst returns the ratio to the fastest other system; ok is false if there is nothing to compare.
func (c cell) worst(p Problem) (largest float64, ok bool) {
	if c.ours == nil {
		return 0, false
	}
	for _, o := range c.others {
		largest = max(largest, ratio(c.ours, o, p))
	}
	return largest, len(c.others) > 0
}

// cell returns what is known of a problem on a graph.
func (c *Comparison) cell(f *results.Repeated, graph string, p Problem) (x cell) {
	x.ours = best(f, graph, p)
	for _, o := range c.Others {
		switch {
		case o.Graph != graph || o.Problem != p.Name:
		case o.Earlier:
			x.before = append(x.before, o)
		default:
			x.others = append(x.others, o)
		}
	}
	return x
}

// Faster counts the cells, a problem on a graph, in which our fastest checked row is faster than the fastest other
// system, those in which there is a time of both, and those without a time of ours.
func (c *Comparison) Faster(f *results.Repeated) (faster, compared, open int) {
	for _, p := range c.Problems {
		for _, g := range c.Graphs {
			x := c.cell(f, g, p)
			switch worst, ok := x.worst(p); {
			case ok && worst < 1:
				compared, faster = compared+1, faster+1
			case ok:
				compared++
			case len(x.others) > 0:
				open++
			}
		}
	}
	return faster, compared, open
}

// Markdown writes the comparison: one table for each problem.
func (c *Comparison) Markdown(w io.Writer, f *results.Repeated) {
	fmt.Fprintf(w, "# %s\n\n", c.Title)
	fmt.Fprint(w, "Algorithm time in milliseconds, from the first launch until the host knows that the answer is complete in device memory, host\nloop included: median of the timed runs of our fastest candidate whose answer was checked, with its quartiles. The column\n\"with copy\" includes the copy of the answer to the host. Beside it the times of other systems")
	if c.Source != "" {
		fmt.Fprintf(w, ",\n%s", c.Source)
	}
	fmt.Fprint(w, ".\nThe ratio is our time divided by that of the fastest other system: below 1, ours is faster.\n\n")
	writeSessions(w, f)
	var tables strings.Builder
	var means []string
	for _, p := range c.Problems {
		fmt.Fprintf(&tables, "\n## %s\n\n", p.Name)
		if p.PerIteration {
			fmt.Fprint(&tables, "Compared by the time of an iteration where the number of the other's iterations is known.\n\n")
		}
		fmt.Fprint(&tables, "| graph | ours | quartiles | with copy | kernels | iterations | launches | candidate | other systems | our kernels before | ratio |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
		logs, n := 0.0, 0
		for _, g := range c.Graphs {
			x := c.cell(f, g, p)
			if x.ours == nil && len(x.others) == 0 {
				continue
			}
			_, ok := x.worst(p)
			for _, o := range x.others {
				if ok && p.Against != "" && o.System == p.Against {
					logs, n = logs+math.Log(1/ratio(x.ours, o, p)), n+1
				}
			}
			fmt.Fprintf(&tables, "| %s |\n", strings.Join(x.columns(g, p), " | "))
		}
		if n > 0 {
			means = append(means, fmt.Sprintf("%s: %s times as fast as %s in the geometric mean of %d graphs.", p.Name, number(math.Exp(logs/float64(n))), p.Against, n))
		}
	}
	faster, compared, open := c.Faster(f)
	fmt.Fprintf(w, "Ours is faster in %d of %d cells; cells without a time of ours: %d.\n", faster, compared, open)
	for _, m := range means {
		fmt.Fprintln(w, m)
	}
	fmt.Fprint(w, tables.String())
}

// writeSessions lists where the rows were measured.
func writeSessions(w io.Writer, f *results.Repeated) {
	if len(f.Sessions) == 0 {
		fmt.Fprint(w, "Nothing of ours has been recorded yet.\n\n")
		return
	}
	for i, m := range f.Sessions {
		n := 0
		for _, r := range f.Rows {
			if r.Session == i {
				n++
			}
		}
		if n > 0 {
			line := fmt.Sprintf("- %d rows on %s", n, m.GPU)
			if m.SMs > 0 {
				line += fmt.Sprintf(" (driver %s, %d SMs at %d MHz)", m.Driver, m.SMs, m.ClockMHz)
			}
			if m.Commit != "" {
				line += fmt.Sprintf(", commit %.7s", m.Commit)
			}
			fmt.Fprintln(w, line+", "+m.Date)
		}
	}
	fmt.Fprintln(w)
}

// columns returns the cells of a line of a problem's table.
func (c cell) columns(graph string, p Problem) []string {
	line := []string{graph, "", "", "", "", "", "", "", joined(c.others), joined(c.before), ""}
	if r := c.ours; r != nil {
		t := results.SpreadOf(r.Seconds)
		line[1] = "**" + number(t.Median*1e3) + "**"
		if p.PerIteration {
			line[1] += fmt.Sprintf(", %s an iteration", number(msOf(r, true)))
		}
		line[2] = number(t.Q1*1e3) + " to " + number(t.Q3*1e3)
		line[3] = number(results.SpreadOf(r.WithCopy).Median * 1e3)
		line[4] = number(results.SpreadOf(r.KernelSeconds).Median * 1e3)
		line[5], line[6] = fmt.Sprint(r.Iterations), fmt.Sprint(r.Launches)
		line[7] = strings.TrimSpace(fmt.Sprintf("%s by %s %s", r.Algorithm, schemeOf(r), r.Params))
		if len(r.Settings) > 0 {
			line[7] += fmt.Sprintf(" (%s)", format.Assignments(r.Settings))
		}
	}
	if worst, ok := c.worst(p); ok {
		line[10] = number(worst)
	}
	return line
}

// schemeOf returns the scheduler, and what was chosen if it is auto.
func schemeOf(r *results.Row) string {
	scheme, params, auto := r.Choice()
	if !auto {
		return r.Scheduler
	}
	return fmt.Sprintf("%s (%s)", r.Scheduler, strings.TrimSpace(scheme+" "+format.Assignments(params)))
}

func joined(list []Other) string {
	var s []string
	for _, o := range list {
		s = append(s, o.String())
	}
	return strings.Join(s, "; ")
}
