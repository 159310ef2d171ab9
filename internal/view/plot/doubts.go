package plot

import (
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/store"
)

// Doubts returns an error for each name in a specification that is not among those known, but is like one of them.
// What it names may exist all the same: a kernel or a scheme of the user may count what it likes. So this is for a
// warning, before there are results to draw.
func (s *Spec) Doubts(known []string) (errs []error) {
	said := map[string]bool{}
	for _, name := range s.names() {
		switch {
		case name == "" || said[name] || slices.Contains(known, name) || strings.HasPrefix(name, stepPrefix):
		case usage.Nearest(name, known) != "":
			errs = append(errs, s.placed(&store.UnknownName{Name: name, Known: known}))
		}
		said[name] = true
	}
	return errs
}

// names returns the columns, settings and metrics that a specification mentions.
func (s *Spec) names() []string {
	list := slices.Concat(s.Series, s.Facet)
	measures := append(slices.Clone(s.X), s.Value)
	if s.Kind != Time { // whose y are curves of a trace
		measures = append(measures, s.Y...)
	}
	for _, m := range measures {
		list = append(list, measureOf(m).names()...)
	}
	return slices.Concat(list, baseNames(slices.Concat(s.Where, s.Baseline, s.A, s.B)))
}
