package choice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// Name is the name that stands for a choice where a scheduler is named.
const Name = "auto"

// Doc is the line that describes it in lists of schedulers.
const Doc = "chooses scheduler and parameters by the algorithm and the graph; \"weft list auto\" has the rule"

// Choice is what a rule chose, and why.
type Choice struct {
	By        string            `json:"scheduler"` // Name
	Rule      int               `json:"rule"`      // the number of the rule, from 1
	Condition string            `json:"condition"` // Rule.If
	Scheme    string            `json:"chosen"`
	Params    map[string]string `json:"parameters,omitempty"` // those of the rule; a user's own replace them
	Evidence  string            `json:"evidence"`
	Facts     graph.Shape       `json:"facts"`
}

// String says by which rule the scheme was chosen, in one line.
func (c Choice) String() string {
	return fmt.Sprintf("by %s, rule %d: %s (%s)", c.By, c.Rule, c.Condition, describe(c.Facts))
}

// Choose returns the choice for an algorithm on a graph of the given shape and so many GPUs: that of the first rule which holds and whose
// scheme takes the algorithm. schemes are those of which it may choose. The error says why none takes the algorithm.
func Choose(a scheduler.Type, g graph.Shape, gpus int, schemes []scheduler.Scheme) (*Choice, error) {
	var misfit error
	for i, r := range rules {
		if r.Group != (gpus > 1) || !r.holds(a, g) {
			continue
		}
		for _, s := range schemes {
			if r.Scheme != "" && s.Name != r.Scheme {
				continue
			}
			if err := takes(s, a, r.Params); err != nil {
				misfit = cmp.Or(misfit, fmt.Errorf("%s: %w", s.Name, err))
				continue
			}
			return &Choice{By: Name, Rule: i + 1, Condition: r.If, Scheme: s.Name, Params: maps.Clone(r.Params), Evidence: r.Evidence, Facts: g}, nil
		}
	}
	if gpus > 1 {
		return nil, fmt.Errorf("scheduler %q finds no scheme of Weft's that runs %s on several GPUs: %w", Name, a.Name, misfit)
	}
	return nil, fmt.Errorf("scheduler %q finds no scheme of Weft's that runs %s: %w", Name, a.Name, misfit)
}

// takes returns nil if a scheme takes an algorithm with these parameters.
func takes(s scheduler.Scheme, a scheduler.Type, params map[string]string) error {
	values, err := s.Values(params)
	if err != nil {
		return err
	}
	return s.Accepts(a, values)
}

// Merge returns the parameters of a run: the given ones, and those of the choice that are not among them.
func (c *Choice) Merge(given map[string]string) map[string]string {
	all := maps.Clone(given)
	if all == nil {
		all = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		full := c.Scheme + "." + name
		if _, plain := given[name]; plain {
			continue
		}
		if _, own := given[full]; !own {
			all[full] = c.Params[name]
		}
	}
	return all
}
