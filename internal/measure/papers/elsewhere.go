package papers

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/spec"
)

// Elsewhere are the verdicts of a study whose points ran on another machine, as sweep.Move puts them there.
type Elsewhere struct {
	Machine  string     // in the words of a reader: "sim:h200", "an H200"
	Verdicts []*Verdict // of the study's claims in their order; nil where the machine has no runs for the claim
	Versions []string   // as in Study
	Missing  int        // points that were not run there; claims are judged by the others
	Sampled  int        // points that were simulated in part
	Within   float64    // the widest of their intervals: half of its width, relative to the time
	rows     []Row
}

// JudgeOn judges the claims of a specification by runs on one machine. A claim has no verdict there if
// it compares machines or parameters of machines, or looks at what the machine does not count.
func JudgeOn(machine string, s *spec.Spec, claims []*Claim, rows []Row) (*Elsewhere, error) {
	e := &Elsewhere{Machine: machine, Versions: versions(rows), rows: rows}
	for _, r := range rows {
		if half := r.Metrics[sampleError]; half > 0 {
			e.Sampled++
			e.Within = max(e.Within, half)
		}
	}
	for _, c := range claims {
		var v *Verdict
		if c.check.has(rows) {
			var err error
			var none *noRuns
			if v, err = c.Judge(s.Doc, rows); err != nil && !errors.As(err, &none) {
				return nil, err
			}
		}
		e.Verdicts = append(e.Verdicts, v)
	}
	return e, nil
}

// has reports whether rows have runs for each side of a check, however they ended: without runs a count would be 0.
func (c *check) has(rows []Row) bool {
	return !slices.ContainsFunc(c.sides, func(s side) bool {
		s.conditions = slices.DeleteFunc(slices.Clone(s.conditions), func(c condition) bool { return c.name == "status" })
		return !slices.ContainsFunc(rows, s.holds)
	})
}

// elsewhere writes how many claims have which verdict on each machine, and how the last two machines compare: the simulated
// one and the one that it is a model of.
func elsewhere(w io.Writer, studies []*Study) {
	if len(studies) == 0 || len(studies[0].Elsewhere) == 0 {
		return
	}
	fmt.Fprint(w, `The same claims on another machine. The runs are those of the specification with nothing but the machine changed,
and the graphs are as small, so these columns say whether a claim holds there, and whether simulation and silicon give the same answer. A host without costs
is the specification's machine with launches, waits and copies of 0.01 us each ("make papers-no-host"): the test of the reasons that name them. A claim that compares machines, or looks at
what a GPU does not count, has no verdict there.

| machine |`)
	for _, word := range Words {
		fmt.Fprintf(w, " %s |", word)
	}
	fmt.Fprint(w, " no verdict | weft |\n|---|"+strings.Repeat("---|", len(Words)+2)+"\n")
	for i, e := range studies[0].Elsewhere {
		var of []string
		for _, t := range studies {
			of = append(of, t.Elsewhere[i].Versions...)
		}
		slices.Sort(of)
		fmt.Fprintf(w, "%s %s |\n", countsOf(e.Machine, on(studies, i)), strings.Join(slices.Compact(of), ", "))
	}
	fmt.Fprintln(w)
	for i, e := range studies[0].Elsewhere {
		for _, t := range studies {
			if n := t.Elsewhere[i].Missing; n > 0 {
				points := fmt.Sprintf("%d points of %s were", n, t.Spec.Name)
				if n == 1 {
					points = fmt.Sprintf("a point of %s was", t.Spec.Name)
				}
				fmt.Fprintf(w, "On %s, %s not run; its claims are judged there by the others.\n", e.Machine, points)
			}
			if x := t.Elsewhere[i]; x.Sampled > 0 {
				fmt.Fprintf(w, "On %s, %d points of %s were simulated in part (\"make papers-h200-slow\"); the times of their kernels are within %.2g%% of those of whole simulations, with a confidence of 95%%.\n",
					e.Machine, x.Sampled, t.Spec.Name, 100*x.Within)
			}
		}
	}
	fmt.Fprintln(w)
	if n := len(studies[0].Elsewhere); n >= 2 {
		fmt.Fprintln(w, compared(studies, n-2, n-1))
	}
}

// Counts writes how many claims have which verdict on each machine, the papers' own first.
func Counts(w io.Writer, studies []*Study) {
	fmt.Fprint(w, "| machine |")
	for _, word := range Words {
		fmt.Fprintf(w, " %s |", word)
	}
	fmt.Fprint(w, " no verdict |\n|---|"+strings.Repeat("---|", len(Words)+1)+"\n")
	var own []*Verdict
	for _, t := range studies {
		own = append(own, t.Verdicts...)
	}
	fmt.Fprintln(w, countsOf("the papers' GPUs", own))
	for i := range studies[0].Elsewhere {
		fmt.Fprintln(w, countsOf(studies[0].Elsewhere[i].Machine, on(studies, i)))
	}
}

// on returns the verdicts of all studies on one of the other machines.
func on(studies []*Study, machine int) (list []*Verdict) {
	for _, t := range studies {
		list = append(list, t.Elsewhere[machine].Verdicts...)
	}
	return list
}

// countsOf returns the begin of a row of a table: the machine, how many verdicts have which word, and how many are missing.
func countsOf(machine string, verdicts []*Verdict) string {
	counts, none := map[Word]int{}, 0
	for _, v := range verdicts {
		if v == nil {
			none++
		} else {
			counts[v.Word]++
		}
	}
	row := "| " + machine + " |"
	for _, word := range Words {
		row += fmt.Sprintf(" %d |", counts[word])
	}
	return row + fmt.Sprintf(" %d |", none)
}

// compared says how the verdicts and the numbers of two machines compare.
func compared(studies []*Study, a, b int) string {
	both, same := 0, 0
	var apart []float64
	for _, t := range studies {
		for i, v := range t.Elsewhere[a].Verdicts {
			u := t.Elsewhere[b].Verdicts[i]
			if v == nil || u == nil {
				continue
			}
			both++
			if v.Word == u.Word {
				same++
			}
			for j := range v.Got {
				if x, y := v.Got[j], u.Got[j]; x > 0 && y > 0 {
					apart = append(apart, math.Abs(math.Log(x/y)))
				}
			}
		}
	}
	first, second := studies[0].Elsewhere[a].Machine, studies[0].Elsewhere[b].Machine
	if both == 0 {
		return fmt.Sprintf("No claim has a verdict both on %s and on %s.\n", first, second)
	}
	slices.Sort(apart)
	text := fmt.Sprintf("Of %d claims with a verdict both on %s and on %s, %d have the same one.", both, first, second, same)
	if len(apart) > 0 {
		text += fmt.Sprintf(" The numbers of the claims are a factor of %.2f apart in the median, of %.2f in nine of ten, and of %.2f at most.",
			math.Exp(apart[len(apart)/2]), math.Exp(apart[len(apart)*9/10]), math.Exp(apart[len(apart)-1]))
	}
	return text + "\n"
}
