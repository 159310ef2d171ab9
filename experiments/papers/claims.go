package papers

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/experiments/spec"
)

// Claim is what a paper says of a figure, and how a study judges it.
type Claim struct {
	Figure, Text, Why, Check string
	check                    *check
}

// Parse parses the claims: of a specification. Mistakes are spec.Errors.
func Parse(sections []spec.Section) ([]*Claim, error) {
	var list []*Claim
	var wrong spec.Errors
	for _, s := range sections {
		c := &Claim{}
		keys := map[string]*string{"figure": &c.Figure, "claim": &c.Text, "why": &c.Why, "check": &c.Check}
		at := map[string]string{}
		for _, v := range s.Values {
			to := keys[v.Name]
			if to == nil {
				wrong = append(wrong, spec.Error{Place: v.Place, What: fmt.Sprintf("claims: unknown key %q; there are figure, claim, check, why", v.Name)})
				continue
			}
			*to, at[v.Name] = v.Value, v.Place
		}
		for _, name := range []string{"figure", "claim", "check"} {
			if *keys[name] == "" {
				wrong = append(wrong, spec.Error{Place: s.Place, What: "claims: " + name + " is missing"})
			}
		}
		if c.Check != "" {
			var err error
			if c.check, err = parseCheck(c.Check); err != nil {
				wrong = append(wrong, spec.Error{Place: at["check"], What: "claims: " + err.Error()})
			}
		}
		list = append(list, c)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return list, nil
}

// Metrics returns the metrics that claims look at, in order and each once.
func Metrics(claims []*Claim) []string {
	var list []string
	for _, c := range claims {
		list = append(list, c.check.metrics...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Verdict is how a claim compares with results.
type Verdict struct {
	Claim  *Claim
	Values int // runs, or pairs of runs
	// Got is the number that the check compares, Least and Most the extremes of what it was made of.
	Got, Least, Most float64
	Agrees           bool
}

// Judge judges a claim by runs. No runs for it are an error.
func (c *Claim) Judge(rows []Row) (*Verdict, error) {
	values, err := c.check.measure(rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Figure, err)
	}
	v := &Verdict{Claim: c, Values: len(values)}
	if len(values) == 0 && c.check.reduce != "count" {
		return nil, fmt.Errorf("%s: no runs for %s", c.Figure, c.Check)
	}
	v.Got = reduced(c.check.reduce, values)
	if len(values) > 0 {
		v.Least, v.Most = slices.Min(values), slices.Max(values)
	}
	v.Agrees = c.check.holds(v.Got)
	return v, nil
}

// Word is agrees or differs.
func (v *Verdict) Word() string {
	if v.Agrees {
		return "agrees"
	}
	return "differs"
}

// Ours says what the study found, in one line.
func (v *Verdict) Ours() string {
	if v.Claim.check.reduce == "count" {
		return fmt.Sprintf("%d runs", v.Values)
	}
	if v.Values == 1 {
		return fmt.Sprintf("%.3g", v.Got)
	}
	return fmt.Sprintf("%s %.3g of %d, %.3g to %.3g", v.Claim.check.reduce, v.Got, v.Values, v.Least, v.Most)
}

// Table writes the verdicts of a study in Markdown.
func Table(w io.Writer, verdicts []*Verdict) {
	fmt.Fprintln(w, "| figure | the paper | ours | demanded | verdict | remark |\n|---|---|---|---|---|---|")
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, v := range verdicts {
		c := v.Claim
		fmt.Fprintf(w, "| %s | %s | %s | `%s` | %s | %s |\n", cell.Replace(c.Figure), cell.Replace(c.Text), v.Ours(), cell.Replace(c.Check), v.Word(), cell.Replace(c.Why))
	}
}

// Page writes the section of a study: what it is, and its verdicts.
func Page(w io.Writer, s *spec.Spec, claims []*Claim, rows []Row) error {
	var verdicts []*Verdict
	for _, c := range claims {
		v, err := c.Judge(rows)
		if err != nil {
			return err
		}
		verdicts = append(verdicts, v)
	}
	fmt.Fprintf(w, "## %s\n\n%s\n\n", s.Name, s.Doc)
	Table(w, verdicts)
	_, err := fmt.Fprintln(w)
	return err
}
