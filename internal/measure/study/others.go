package study

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
)

// Others are measurements of other systems.
type Others struct {
	Source string  `yaml:"source"` // who measured them, on which machine
	Times  []Other `yaml:"times"`
}

// Other is the time that another system takes for a problem on a graph.
type Other struct {
	Graph   string  `yaml:"graph"`
	Problem string  `yaml:"problem"`
	System  string  `yaml:"system"` // "" if the source does not name it
	MS      float64 `yaml:"ms"`     // of the whole run; of one iteration if Each is true
	// To is the longest time if the source gives a range, of which MS is the shortest; 0 if it gives one time.
	To         float64 `yaml:"to"`
	Iterations int     `yaml:"iterations"` // of the whole run; 0 if the source does not say
	Each       bool    `yaml:"each"`       // MS is the time of one iteration
	// Earlier means an earlier version of ours: it is listed, but does not count as another system.
	Earlier bool `yaml:"earlier"`
}

// Problem is one table of the comparison: what systems compute, by whichever algorithm.
type Problem struct {
	Name       string   `yaml:"name"`
	Algorithms []string `yaml:"algorithms"` // ours that solve it
	// PerIteration compares the time of an iteration, where the source of the other time says how many there were.
	PerIteration bool `yaml:"per-iteration"`
	// Against names a system against which the geometric mean of the ratios is given, such as "Gunrock"; "" for none.
	Against string `yaml:"against"`
}

// checkOthers rejects names that are not in the specification.
func (s *Spec) checkOthers(graphs map[string]bool) (errs []error) {
	problems := map[string]bool{}
	for _, p := range s.Tables {
		if problems[p.Name] {
			errs = append(errs, fmt.Errorf("problems: two are called %s", p.Name))
		}
		problems[p.Name] = true
	}
	if s.Others == nil {
		return errs
	}
	if s.Others.Source == "" {
		errs = append(errs, errors.New("others: the source: of the times is missing"))
	}
	for _, o := range s.Others.Times {
		switch {
		case !graphs[o.Graph]:
			errs = append(errs, fmt.Errorf("others: there is no graph %q", o.Graph))
		case !problems[o.Problem]:
			errs = append(errs, fmt.Errorf("others: there is no problem %q", o.Problem))
		case !(o.MS > 0) || o.To != 0 && o.To < o.MS:
			errs = append(errs, fmt.Errorf("others: %s, %s: %v to %v ms is no time", o.Graph, o.Problem, o.MS, o.To))
		}
	}
	return errs
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
	ours   *Row    // the fastest that was checked; nil if none
	others []Other // without earlier versions of ours
	before []Other
}

// best returns the fastest of our rows whose answers were checked: by the time of an iteration if per is true.
func (f *File) best(graph string, p Problem) (best *Row) {
	for i := range f.Rows {
		r := &f.Rows[i]
		if r.Graph != graph || !slices.Contains(p.Algorithms, r.Algorithm) || r.Error != "" || r.Checked == Unchecked || len(r.Seconds) == 0 {
			continue
		}
		if best == nil || r.ms(p.PerIteration) < best.ms(p.PerIteration) {
			best = r
		}
	}
	return best
}

// ms returns the median algorithm time in milliseconds, of an iteration if each is true.
func (r *Row) ms(each bool) float64 {
	ms := SpreadOf(r.Seconds).Median * 1e3
	if each {
		ms /= float64(max(r.Iterations, 1))
	}
	return ms
}

// ratio returns the time of ours divided by that of another system. Where the number of the other's iterations is not
// known, whole runs are compared.
func ratio(ours *Row, o Other, p Problem) float64 {
	switch {
	case o.Each:
		return ours.ms(true) / o.MS
	case p.PerIteration && o.Iterations > 0:
		return ours.ms(true) / (o.MS / float64(o.Iterations))
	}
	return ours.ms(false) / o.MS
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

func (s *Spec) cell(f *File, graph string, p Problem) (c cell) {
	c.ours = f.best(graph, p)
	if s.Others == nil {
		return c
	}
	for _, o := range s.Others.Times {
		switch {
		case o.Graph != graph || o.Problem != p.Name:
		case o.Earlier:
			c.before = append(c.before, o)
		default:
			c.others = append(c.others, o)
		}
	}
	return c
}

// Faster counts the cells, a problem on a graph, in which our fastest checked row is faster than the fastest other
// system, those in which there is a time of both, and those without a time of ours.
func (s *Spec) Faster(f *File) (faster, compared, open int) {
	for _, p := range s.Tables {
		for _, g := range s.Graphs {
			c := s.cell(f, g.Name, p)
			switch worst, ok := c.worst(p); {
			case ok && worst < 1:
				compared, faster = compared+1, faster+1
			case ok:
				compared++
			case len(c.others) > 0:
				open++
			}
		}
	}
	return faster, compared, open
}

// Markdown writes the comparison: one table for each problem.
func Markdown(w io.Writer, s *Spec, f *File) {
	fmt.Fprintf(w, "# %s\n\n", s.Title)
	fmt.Fprint(w, "Algorithm time in milliseconds, from the first launch until the host knows that the answer is complete in device memory, host\nloop included: median of the timed runs of our fastest candidate whose answer was checked, with its quartiles. The column\n\"with copy\" includes the copy of the answer to the host. Beside it the times of other systems")
	if s.Others != nil {
		fmt.Fprintf(w, ",\n%s", s.Others.Source)
	}
	fmt.Fprint(w, ".\nThe ratio is our time divided by that of the fastest other system: below 1, ours is faster.\n\n")
	writeSessions(w, f)
	var tables strings.Builder
	var means []string
	for _, p := range s.Tables {
		fmt.Fprintf(&tables, "\n## %s\n\n", p.Name)
		if p.PerIteration {
			fmt.Fprint(&tables, "Compared by the time of an iteration where the number of the other's iterations is known.\n\n")
		}
		fmt.Fprint(&tables, "| graph | ours | quartiles | with copy | kernels | iterations | launches | candidate | other systems | our kernels before | ratio |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
		logs, n := 0.0, 0
		for _, g := range s.Graphs {
			c := s.cell(f, g.Name, p)
			if c.ours == nil && len(c.others) == 0 {
				continue
			}
			_, ok := c.worst(p)
			for _, o := range c.others {
				if ok && p.Against != "" && o.System == p.Against {
					logs, n = logs+math.Log(1/ratio(c.ours, o, p)), n+1
				}
			}
			fmt.Fprintf(&tables, "| %s |\n", strings.Join(c.columns(g.Name, p), " | "))
		}
		if n > 0 {
			means = append(means, fmt.Sprintf("%s: %s times as fast as %s in the geometric mean of %d graphs.", p.Name, number(math.Exp(logs/float64(n))), p.Against, n))
		}
	}
	faster, compared, open := s.Faster(f)
	fmt.Fprintf(w, "Ours is faster in %d of %d cells; cells without a time of ours: %d.\n", faster, compared, open)
	for _, m := range means {
		fmt.Fprintln(w, m)
	}
	fmt.Fprint(w, tables.String())
}

// writeSessions lists where the rows were measured.
func writeSessions(w io.Writer, f *File) {
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
		t := SpreadOf(r.Seconds)
		line[1] = "**" + number(t.Median*1e3) + "**"
		if p.PerIteration {
			line[1] += fmt.Sprintf(", %s an iteration", number(r.ms(true)))
		}
		line[2] = number(t.Q1*1e3) + " to " + number(t.Q3*1e3)
		line[3] = number(SpreadOf(r.WithCopy).Median * 1e3)
		line[4] = number(SpreadOf(r.KernelSeconds).Median * 1e3)
		line[5], line[6] = fmt.Sprint(r.Iterations), fmt.Sprint(r.Launches)
		line[7] = strings.TrimSpace(fmt.Sprintf("%s by %s %s", r.Algorithm, r.scheme(), r.Params))
		if len(r.Settings) > 0 {
			line[7] += fmt.Sprintf(" (%s)", format.Assignments(r.Settings))
		}
	}
	if worst, ok := c.worst(p); ok {
		line[10] = number(worst)
	}
	return line
}

func joined(list []Other) string {
	var s []string
	for _, o := range list {
		s = append(s, o.String())
	}
	return strings.Join(s, "; ")
}
