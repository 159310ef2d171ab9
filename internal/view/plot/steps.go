package plot

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
	"github.com/weft-gpu/weft/internal/measure/timeline"
)

// What happened within a run has names of its own: "step" is the number of an iteration, or of
// an interval of a scheme that records its throughput, and step.NAME is a number of it: a
// quantity of "per_iteration" of the run's JSON, the sum over the launches of an iteration, or a
// series that the scheme recorded, or one of package timeline.
const (
	stepName   = "step"
	stepPrefix = "step."
)

// isStep reports whether a name is of the steps of a run.
func isStep(name string) bool { return name == stepName || strings.HasPrefix(name, stepPrefix) }

// unknownStep is the error of a number that no step of the selected runs has.
type unknownStep struct {
	name  string
	known []string
}

// Error returns the message.
func (e *unknownStep) Error() string {
	if len(e.known) == 0 {
		return "no selected run has iterations; those of algorithms have, those of kernels have not"
	}
	hint := "there are " + strings.Join(e.known, ", ")
	if n := usage.Nearest(e.name, e.known); n != "" {
		hint = "did you mean " + n + "?"
	}
	return fmt.Sprintf("no iteration of the selected runs has a number called %s; %s", e.name, hint)
}

// unfold replaces each run by its steps. names are those of steps that the picture needs.
func unfold(ctx context.Context, st *store.Store, runs []row, names []string, columns map[string]table.Column) ([]row, error) {
	for _, name := range names {
		columns[name] = table.Column{Name: name}
	}
	var rows []row
	known := map[string]bool{}
	for _, r := range runs {
		text, err := st.Attachment(ctx, r.id, "result")
		if err != nil {
			return nil, err
		}
		if text == nil {
			continue
		}
		h, err := timeline.Read(text)
		if err != nil {
			return nil, err
		}
		for name, unit := range h.Units() {
			if c, ok := columns[stepPrefix+name]; ok {
				c.Unit = unit
				columns[stepPrefix+name] = c
			}
		}
		for k, numbers := range h.Steps() {
			for name := range numbers {
				known[stepPrefix+name] = true
			}
			known[stepName] = true
			numbers[stepName] = float64(k + 1)
			one := row{r.id, maps.Clone(r.texts), maps.Clone(r.number)}
			for _, name := range names {
				if v, ok := numbers[strings.TrimPrefix(name, stepPrefix)]; ok {
					one.number[name], one.texts[name] = v, strconv.FormatFloat(v, 'g', 6, 64)
				}
			}
			rows = append(rows, one)
		}
	}
	for _, name := range names {
		if len(runs) > 0 && !known[name] {
			return nil, &unknownStep{name, slices.Sorted(maps.Keys(known))}
		}
	}
	return rows, nil
}
