package papers

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/measure/spec"
)

// Claim is what a paper says of a figure, and how a study judges it.
type Claim struct {
	Figure, Text, Why, Check string
	Picture                  string // file: of the plot that shows it; "" if none does
	check                    *check
	reason                   reason
}

// Parse parses the claims: of a specification, which may name its plots. Mistakes are spec.Errors.
func Parse(s *spec.Spec) ([]*Claim, error) {
	var list []*Claim
	var wrong spec.Errors
	pictures := map[string]bool{}
	for _, p := range picturesOf(s) {
		pictures[p.file] = true
	}
	for _, section := range s.Claims {
		c := &Claim{}
		keys := map[string]*string{"figure": &c.Figure, "claim": &c.Text, "why": &c.Why, "check": &c.Check, "picture": &c.Picture}
		at := map[string]string{}
		for _, v := range section.Values {
			to := keys[v.Name]
			if to == nil {
				wrong = append(wrong, spec.Error{Place: v.Place, What: fmt.Sprintf("claims: unknown key %q; there are figure, claim, check, why, picture", v.Name)})
				continue
			}
			*to, at[v.Name] = v.Value, v.Place
		}
		for _, name := range []string{"figure", "claim", "check"} {
			if *keys[name] == "" {
				wrong = append(wrong, spec.Error{Place: section.Place, What: "claims: " + name + " is missing"})
			}
		}
		if c.Picture != "" && !pictures[c.Picture] {
			wrong = append(wrong, spec.Error{Place: at["picture"], What: fmt.Sprintf("claims: no plot has file: %s", c.Picture)})
		}
		if c.Check != "" {
			var err error
			if c.check, err = parseCheck(c.Check); err != nil {
				wrong = append(wrong, spec.Error{Place: at["check"], What: "claims: " + err.Error()})
			}
		}
		if c.check != nil {
			var err error
			if c.reason, err = parseReason(c.Why, c.check); err != nil {
				wrong = append(wrong, spec.Error{Place: at["why"], What: "claims: " + err.Error()})
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
		list = append(list, slices.Concat(c.check.metrics...)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
