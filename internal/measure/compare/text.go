package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Text writes the comparison for people.
func (r *Result) Text(w io.Writer) {
	fmt.Fprintf(w, "A  %s\nB  %s\n\n", r.A, r.B)
	if len(r.Overview) > 0 {
		r.overviewText(w)
		return
	}
	rows := [][]string{{"point", "metric", "A", "B", "B/A", "", ""}}
	for _, d := range r.Differences {
		verdict := "same"
		switch {
		case d.Real:
			verdict = fmt.Sprintf("%+.1f%%", 100*(d.Ratio-1))
		case d.Ratio != 1:
			verdict = "~"
		}
		chance := ""
		if d.A.Runs > 1 || d.B.Runs > 1 {
			chance = fmt.Sprintf("p=%.3f, %d and %d runs", d.P, d.A.Runs, d.B.Runs)
		}
		if d.Note != "" && !d.Real {
			chance = d.Note
		}
		rows = append(rows, []string{d.What, d.Metric, d.A.text(d.Unit), d.B.text(d.Unit), fmt.Sprintf("%.3f", d.Ratio), verdict, chance})
	}
	format.Table(w, "", "llrrrrl", rows)
	if len(r.Differences) == 0 {
		fmt.Fprintln(w, r.nothing())
	}
	for _, m := range r.Means {
		if m.Pairs > 1 {
			fmt.Fprintf(w, "geometric mean of B/A, %s, %d points: %.3f\n", m.Metric, m.Pairs, m.Ratio)
		}
	}
	for _, o := range r.Older {
		fmt.Fprintf(w, "%s: %s of %s left out, which differ from newer ones in %s", o.Side, counted(o.Runs, "run"), counted(o.Points, "point"), strings.Join(o.Differ, ", "))
		if i := slices.IndexFunc(o.Versions, func(v string) bool { return v != "" }); i >= 0 && slices.Contains(o.Differ, "version") {
			fmt.Fprintf(w, "; --%s version=%s compares those", strings.ToLower(o.Side), o.Versions[i])
		}
		fmt.Fprintln(w)
	}
	if r.OnlyA+r.OnlyB > 0 {
		fmt.Fprintf(w, "without a counterpart: %d points of A, %d of B\n", r.OnlyA, r.OnlyB)
	}
}

// nothing says why there is nothing to compare.
func (r *Result) nothing() string {
	for i, side := range []string{r.A, r.B} {
		if r.points[i] == 0 {
			return "no run with status ok: " + side
		}
	}
	if len(r.Differ) == 0 {
		return "no runs that belong together have a value of the metric"
	}
	names := strings.Join(r.Differ, ",")
	return fmt.Sprintf("no points belong together: those of A and B also differ in %s; %s %s ignores that", strings.Join(r.Differ, ", "), option.Except, names)
}

// counted returns "1 run" or "2 runs".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return format.Thousands(n) + " " + what + "s"
}

// text returns the median with the larger half of its interval.
func (c Center) text(unit string) string {
	text := format.Number(c.Median)
	if unit == "s" {
		text = format.Seconds(c.Median)
	}
	if spread := max(c.Hi-c.Median, c.Median-c.Lo); spread > 0 && c.Median != 0 {
		text += fmt.Sprintf(" ±%.0f%%", 100*spread/c.Median)
	}
	return text
}
