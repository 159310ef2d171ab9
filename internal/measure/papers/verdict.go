package papers

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/spec"
)

// Word is the word of a verdict.
type Word string

// The words.
const (
	Agrees    Word = "agrees"
	Direction Word = "direction agrees, size differs"
	Differs   Word = "differs"
	// Fitted stands for Agrees or Direction if a value of the simulated machine was fitted to the figure, so that they
	// confirm nothing.
	Fitted Word = "fitted"
)

// Words are all words, in the order of tables.
var Words = []Word{Agrees, Direction, Differs, Fitted}

// Verdict is how a claim compares with results.
type Verdict struct {
	Claim  *Claim
	Word   Word
	Values int // runs, or pairs of runs
	// Got are the numbers that the check looks at, Least and Most the extremes of what they were made of.
	Got         []float64
	Least, Most float64
	// FittedBy names the parameter that was fitted to the figure, if the word is Fitted.
	FittedBy string
	// Why is the claim's reason, with its numbers.
	Why string
}

// Judge judges a claim by runs. paper begins with the name of the paper, as the doc of a specification does. No runs for
// the claim are an error.
func (c *Claim) Judge(paper string, rows []Row) (*Verdict, error) {
	values, err := c.check.measure(rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Figure, err)
	}
	v := &Verdict{Claim: c, Values: len(values), Why: c.Why}
	if len(values) == 0 && c.check.reduce != "count" {
		return nil, &noRuns{c}
	}
	v.Got = reduced(c.check.reduce, values) // a count of no runs is 0
	if len(values) > 0 {
		v.Least, v.Most = slices.Min(values), slices.Max(values)
	}
	v.Word = c.check.demand.verdict(v.Got)
	if v.Word != Differs {
		if v.FittedBy = c.fittedBy(paper, rows); v.FittedBy != "" {
			v.Word = Fitted
		}
	}
	return v, nil
}

// noRuns is the error of a claim for which there are no runs.
type noRuns struct{ claim *Claim }

// Error names the claim and its check.
func (e *noRuns) Error() string {
	return fmt.Sprintf("%s: no runs for %s", e.claim.Figure, e.claim.Check)
}

// Ours says what the study found, in one line.
func (v *Verdict) Ours() string {
	switch how := v.Claim.check.reduce; {
	case how == "count":
		return fmt.Sprintf("%d runs", v.Values)
	case v.Values == 1:
		return fmt.Sprintf("%.3g", v.Least)
	case how == "all":
		return fmt.Sprintf("%.3g to %.3g (%d)", v.Least, v.Most, v.Values)
	case how == "geomean":
		return fmt.Sprintf("%.3g, the geometric mean of %d from %.3g to %.3g", v.Got[0], v.Values, v.Least, v.Most)
	default:
		return fmt.Sprintf("%s %.3g of %d from %.3g to %.3g", how, v.Got[0], v.Values, v.Least, v.Most)
	}
}

// picture is a plot of a specification.
type picture struct{ title, file string }

// picturesOf returns the plots that have a name, in order.
func picturesOf(s *spec.Spec) (list []picture) {
	for _, section := range s.Plots {
		var p picture
		for _, v := range section.Values {
			switch v.Name {
			case "title":
				p.title = v.Value
			case "file":
				p.file = v.Value
			}
		}
		if p.file != "" {
			list = append(list, p)
		}
	}
	return list
}

var cell = strings.NewReplacer("|", `\|`, "\n", " ")

// table writes verdicts in Markdown, each with those of the same claim on other machines.
func (t *Study) table(w io.Writer, verdicts []*Verdict) {
	if len(verdicts) == 0 {
		return
	}
	fmt.Fprint(w, "| figure | the paper | ours | agrees if | verdict |")
	for _, e := range t.Elsewhere {
		fmt.Fprintf(w, " on %s |", e.Machine)
	}
	fmt.Fprintln(w, " why |\n|---|---|---|---|---|"+strings.Repeat("---|", len(t.Elsewhere)+1))
	for _, v := range verdicts {
		c := v.Claim
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |", cell.Replace(c.Figure), cell.Replace(c.Text), v.Ours(), c.check.demand, v.Word)
		at := slices.Index(t.Verdicts, v)
		for _, e := range t.Elsewhere {
			fmt.Fprintf(w, " %s |", e.Verdicts[at].short())
		}
		fmt.Fprintf(w, " %s |\n", cell.Replace(v.why()))
	}
	fmt.Fprintln(w)
}

// short says what was found elsewhere and the verdict, or nothing for no verdict.
func (v *Verdict) short() string {
	if v == nil {
		return ""
	}
	return v.Ours() + ": " + string(v.Word)
}

// why returns the reason of the verdict.
func (v *Verdict) why() string {
	if v.Word == Fitted {
		return strings.TrimSuffix("`"+v.FittedBy+"` of the machine was fitted to this figure; "+v.Why, "; ")
	}
	return v.Why
}

// Study is a specification with its verdicts.
type Study struct {
	Spec     *spec.Spec
	Verdicts []*Verdict
	Versions []string // of weft, that its runs are of: commits
	// Elsewhere are the verdicts on other machines than those of the specification, in the order of columns.
	Elsewhere []*Elsewhere
	rows      []Row
}

// Judge judges all claims of a specification.
func Judge(s *spec.Spec, claims []*Claim, rows []Row) (*Study, error) {
	t := &Study{Spec: s, Versions: versions(rows), rows: rows}
	for _, c := range claims {
		v, err := c.Judge(s.Doc, rows)
		if err != nil {
			return nil, err
		}
		t.Verdicts = append(t.Verdicts, v)
	}
	return t, nil
}

// explain puts the numbers into the reasons of all verdicts.
func (t *Study) explain() (err error) {
	rows := map[string][]Row{"": t.rows}
	for i, e := range t.Elsewhere {
		rows[Machines[i].Folder] = e.rows
	}
	for _, v := range t.Verdicts {
		if v.Why, err = v.Claim.reason.on(rows); err != nil {
			return fmt.Errorf("%s: %w", v.Claim.Figure, err)
		}
	}
	return nil
}

// versions returns the commits of weft that rows are of, in order.
func versions(rows []Row) (list []string) {
	for _, r := range rows {
		list = append(list, r.Fields["version"])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// count returns how many verdicts have a word.
func (t *Study) count(w Word) (n int) {
	for _, v := range t.Verdicts {
		if v.Word == w {
			n++
		}
	}
	return n
}

// Summary writes how many verdicts each study has of each word.
func Summary(w io.Writer, studies []*Study) {
	fmt.Fprintln(w, "| study | agrees | direction agrees, size differs | differs | fitted |\n|---|---|---|---|---|")
	sums := make([]int, len(Words))
	for _, t := range studies {
		fmt.Fprintf(w, "| [%s](#%s) |", t.Spec.Name, t.Spec.Name)
		for i, word := range Words {
			n := t.count(word)
			sums[i] += n
			fmt.Fprintf(w, " %d |", n)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "| all | %d | %d | %d | %d |\n\n", sums[0], sums[1], sums[2], sums[3])
}

// Page writes the page of all studies: each picture, beside what the paper claims of it and our
// verdict. figures is the folder of the pictures.
func Page(w io.Writer, studies []*Study, figures string) {
	fmt.Fprintf(w, `# Verdicts

Made by "make papers". Each picture is followed by what the paper claims of it, what our runs gave, and the verdict. A number agrees
if it is in the column "agrees if": the paper's range, made wider by a quarter of the effect that it states. It agrees in direction
if it is only on the same side of no effect, by at least 1%%. "Fitted" is said instead of both where a value of the machine was fitted to the same figure. Times are compared as the paper's divided by ours, so that more than 1 is faster, unless
the text says otherwise; "(5)" counts the values.

`)
	Summary(w, studies)
	var all []string
	for _, t := range studies {
		all = append(all, t.Versions...)
	}
	slices.Sort(all)
	fmt.Fprintf(w, "Runs of weft %s.\n\n", strings.Join(slices.Compact(all), ", "))
	elsewhere(w, studies)
	for _, t := range studies {
		fmt.Fprintf(w, "## %s\n\n%s\n\n", t.Spec.Name, t.Spec.Doc)
		of := map[string][]*Verdict{}
		for _, v := range t.Verdicts {
			of[v.Claim.Picture] = append(of[v.Claim.Picture], v)
		}
		for _, p := range picturesOf(t.Spec) {
			fmt.Fprintf(w, "### %s\n\n![%s](%s/%s.svg)\n\n", p.title, p.title, figures, p.file)
			t.table(w, of[p.file])
		}
		if list := of[""]; len(list) > 0 {
			fmt.Fprint(w, "### Claims without a picture\n\n")
			t.table(w, list)
		}
	}
}
