package command

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// reason is why some runs of a sweep did not end well.
type reason struct {
	Status  store.Status `json:"status"`
	Message string       `json:"message"`
	Runs    int          `json:"runs"`
}

// reasonsOf returns reasons in the order of their number of runs.
func reasonsOf(counts map[sweep.Reason]int) (list []reason) {
	for r, n := range counts {
		list = append(list, reason{r.Status, r.Message, n})
	}
	slices.SortFunc(list, func(a, b reason) int {
		return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Status, b.Status), cmp.Compare(a.Message, b.Message))
	})
	return list
}

// why prints the most frequent reasons.
func (r *sweepReport) why(w io.Writer) {
	const most = 5
	for _, x := range r.Reasons[:min(most, len(r.Reasons))] {
		fmt.Fprintf(w, "%s %s: %s\n", format.Thousands(x.Runs), x.Status, printable.Indent(x.Message))
	}
	if len(r.Reasons) > most {
		fmt.Fprintf(w, "%s other messages: weft results %s --where status!=ok --columns status,error\n", format.Thousands(len(r.Reasons)-most), format.Word(r.Out))
	}
}

// sameRow says how many runs are the same as another one; no row if there are none.
func (r *sweepReport) sameRow() [][]string {
	if r.Same == 0 {
		return nil
	}
	return [][]string{{"same", format.Thousands(r.Same) + ": nothing in them depends on what tells them from another point, such as a seed"}}
}

// movedRow says what --on did; no row without it.
func (r *sweepReport) movedRow() [][]string {
	if r.Moved == nil {
		return nil
	}
	text := "all points, without parameters of a machine"
	if n := r.Moved.Func; n > 0 {
		text += "; " + format.Thousands(n) + " on func are left out"
	}
	if n := r.Moved.Same; n > 0 {
		text += "; " + format.Thousands(n) + " differed in the machine alone"
	}
	return [][]string{{"on " + r.Moved.Device, text}}
}

// changedRow says what --set did to a specification; no row without it.
func (r *sweepReport) changedRow() [][]string {
	if r.Changed == nil {
		return nil
	}
	text := "in all points"
	if n := r.Changed.Func; n > 0 {
		text += "; " + format.Thousands(n) + " on func are left out"
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(r.Changed.Set)) {
		list = append(list, name+"="+r.Changed.Set[name])
	}
	return [][]string{{"set", strings.Join(list, ", ") + " " + text}}
}

// dryText prints what a sweep would run.
func (r *sweepReport) dryText(w io.Writer, plan *sweep.Plan, outlook string) {
	rows := slices.Concat([][]string{{"study", r.Name}}, r.movedRow(), r.changedRow())
	rows = append(rows, []string{"points", format.Thousands(r.Points)})
	for _, v := range inWhich(plan) {
		rows = append(rows, []string{"  " + v.name, v.text()})
	}
	rows = append(rows, []string{"runs", format.Thousands(r.Runs)})
	rows = append(rows, r.sameRow()...)
	rows = append(rows, []string{"missing", format.Thousands(r.Missing)}, []string{"time", outlook}, []string{"memory", format.Scaled(float64(r.Outlook.Bytes)) + "B"}, []string{"results", r.Out})
	format.Table(w, "", "ll", rows)
	reasons := map[string]int{}
	for _, x := range r.Refused {
		reasons[x.Why]++
	}
	var texts []string
	for why := range reasons {
		texts = append(texts, why)
	}
	slices.Sort(texts)
	for _, why := range texts {
		fmt.Fprintf(w, "%d refused: %s\n", reasons[why], why)
	}
}

// values are a setting and its values, in the order of the specification.
type values struct {
	name string
	list []string
	in   int  // points that have the setting
	some bool // others do not have it
}

// text lists the first few values.
func (v *values) text() string {
	const few = 8
	text := strings.Join(v.list, ", ")
	if n := len(v.list); n > few {
		text = strings.Join(v.list[:few-1], ", ") + ", ... " + v.list[n-1] + " (" + format.Thousands(n) + " values)"
	}
	if v.some {
		text += "; not in all points"
	}
	return text
}

// inWhich returns the settings in which points differ.
func inWhich(plan *sweep.Plan) (list []*values) {
	at := map[string]*values{}
	seen := map[[2]string]bool{}
	for _, p := range plan.Spec.Points {
		for _, s := range p.Settings {
			v := at[s.Name]
			if v == nil {
				v = &values{name: s.Name}
				at[s.Name], list = v, append(list, v)
			}
			v.in++
			if !seen[[2]string{s.Name, s.Value}] {
				seen[[2]string{s.Name, s.Value}] = true
				v.list = append(v.list, s.Value)
			}
		}
	}
	for _, v := range list {
		v.some = v.in < len(plan.Spec.Points)
	}
	return slices.DeleteFunc(list, func(v *values) bool { return len(v.list) == 1 && !v.some })
}

// planError words the mistakes of a plan, with the names that are probably meant. The advice for all of them is given, and
// if there is one mistake, all its own.
func planError(err error) error {
	var hint []string
	if all, ok := err.(*usage.Hinted); ok {
		hint, err = append(hint, all.Hint.String()), all.Unwrap()
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	var texts []string
	for _, e := range list {
		texts = append(texts, usage.Brief(e, usage.CommandLine))
		for line := range strings.Lines(usage.HintOf(e).String()) {
			if len(list) == 1 && !strings.HasPrefix(line, "did you mean ") {
				hint = append(hint, strings.TrimSpace(line))
			}
		}
	}
	return usage.Errorf(strings.Join(hint, "\n"), "%s", strings.Join(texts, "\n\t"))
}

// text prints what became of a sweep.
func (r *sweepReport) text(w io.Writer, again string) {
	rows := slices.Concat([][]string{{"study", r.Name}}, r.movedRow(), r.changedRow())
	rows = append(rows, []string{"points", format.Thousands(r.Points)})
	if r.Runs != r.Points {
		rows = append(rows, []string{"runs", format.Thousands(r.Runs)})
	}
	rows = append(rows, r.sameRow()...)
	rows = append(rows, []string{"there", format.Thousands(r.Runs - r.Same - r.Missing)}, []string{"ran", format.Thousands(r.Ran)})
	for _, s := range []store.Status{store.Wrong, store.Hang, store.Undecided, store.Failed} {
		if n := r.Status[s]; n > 0 {
			rows = append(rows, []string{"  " + string(s), format.Thousands(n)})
		}
	}
	if r.Retried > 0 {
		rows = append(rows, []string{"retried", format.Thousands(r.Retried) + " tasks"})
	}
	if r.Cancelled > 0 {
		rows = append(rows, []string{"cancelled", format.Thousands(r.Cancelled) + " tasks"})
	}
	switch {
	case r.Ran > 0 && r.Busy == 0:
		rows = append(rows, []string{"time", format.Seconds(r.Wall)})
	case r.Ran > 0:
		rows = append(rows, []string{"time", r.timeText()})
	}
	rows = append(rows, []string{"results", r.Out})
	format.Table(w, "", "ll", rows)
	r.why(w)
	if again != "" {
		fmt.Fprintln(w, again)
	}
}

// timeText says how long a sweep took, and what share of the work was none of the simulation: planning,
// reading graphs, checking answers, keeping results.
func (r *sweepReport) timeText() string {
	other := r.Plan + r.Outside
	return fmt.Sprintf("%s; over all jobs, launches took %s, all else %s (%.1f%%)", format.Seconds(r.Plan+r.Wall), format.Seconds(r.Launches), format.Seconds(other), 100*other/(r.Launches+other))
}

// outlookText says how long a study of n runs will take.
func outlookText(o *sweep.Outlook, n int) string {
	text := "about " + format.Seconds(o.Seconds)
	switch {
	case n == 0:
		return "none"
	case o.Known == 0:
		return text + ", without results to go by: perhaps a tenth or ten times as long"
	case o.Known < n:
		return fmt.Sprintf("%s; by results for %d of %d runs, the others by the sizes of their graphs", text, o.Known, n)
	}
	return text + ", by results of the same kind"
}
