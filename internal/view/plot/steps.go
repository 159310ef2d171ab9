package plot

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// What happened within a run has names of its own: "step" is the number of an iteration, or of
// an interval of a scheme that records its throughput, and step.NAME is a number of it:
//
//   - step.NAME: a quantity of "per_iteration" of the run's JSON, the sum over the launches of an
//     iteration, or a series that the scheme recorded;
//   - step.seconds: the time of the launches of an iteration, or the length of an interval;
//   - step.time: when the step ended. The time in which no kernel of the algorithm runs, such as
//     waits of the host, counts with equal parts for all iterations;
//   - step.throughput: vertices processed per second, and step.normalised-throughput the same,
//     divided by the work of the whole run over the least work, as in Atos (Chen et al., ICPP
//     2022, figures 3 to 5). If the scheme does not record it, it is that of the iterations.
const (
	stepName   = "step"
	stepPrefix = "step."
	throughput = "throughput"
	normalised = "normalised-throughput"
)

// isStep reports whether a name is of the steps of a run.
func isStep(name string) bool { return name == stepName || strings.HasPrefix(name, stepPrefix) }

// history is what the JSON of a run says of its steps.
type history struct {
	Iterations []map[string]any `json:"per_iteration"`
	Quantities []namedUnit      `json:"quantities"`
	Series     []recorded       `json:"series"`
	Kernel     float64          `json:"kernel_seconds"`
	Solve      float64          `json:"solve_seconds"`
}

type namedUnit struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
}

type recorded struct {
	namedUnit
	Interval float64   `json:"interval_seconds"` // 0 for iterations
	Values   []float64 `json:"values"`
}

// steps returns the numbers of the steps of a run, by name without the prefix. A run that
// recorded series has their steps, because a launch of it may be many iterations.
func (h *history) steps() []map[string]float64 {
	var list []map[string]float64
	for _, s := range h.Series {
		for len(list) < len(s.Values) {
			list = append(list, map[string]float64{})
		}
		for i, v := range s.Values {
			list[i][s.Name] = v
			if s.Interval > 0 {
				list[i]["seconds"], list[i]["time"] = s.Interval, float64(i+1)*s.Interval
			}
		}
	}
	if len(list) == 0 {
		return h.iterations()
	}
	return list
}

// iterations returns the sums over the launches of each iteration.
func (h *history) iterations() (list []map[string]float64) {
	at := map[float64]int{}
	work := 1.0 // over the least work
	for _, launch := range h.Iterations {
		number, _ := launch["iteration"].(float64)
		i, ok := at[number]
		if !ok {
			i, at[number] = len(list), len(list)
			list = append(list, map[string]float64{})
		}
		setup, _ := launch["setup"].(bool)
		for name, v := range launch {
			x, ok := v.(float64)
			switch {
			case !ok || name == "iteration" || setup && (name == "seconds" || name == "cycles"):
			case name == "overwork":
				work = x
			default:
				list[i][name] += x
			}
		}
	}
	wait, now := 0.0, 0.0
	if n := float64(len(list)); n > 0 {
		wait = max(h.Solve-h.Kernel, 0) / n
	}
	for _, step := range list {
		now += step["seconds"] + wait
		step["time"] = now
		done, ok := step["visited"]
		if !ok {
			done, ok = step["frontier"]
		}
		if ok && step["seconds"] > 0 {
			step[throughput] = done / (step["seconds"] + wait)
			step[normalised] = step[throughput] / work
		}
	}
	return list
}

// units adds the units of the numbers of steps.
func (h *history) units(columns map[string]table.Column) {
	set := func(name, unit string) {
		if c, ok := columns[stepPrefix+name]; ok {
			c.Unit = unit
			columns[stepPrefix+name] = c
		}
	}
	set("seconds", "s")
	set("time", "s")
	set("cycles", "cycle")
	set(throughput, "vertex/s")
	set(normalised, "vertex/s")
	for _, q := range h.Quantities {
		set(q.Name, q.Unit)
	}
	for _, q := range h.Series {
		set(q.Name, q.Unit)
	}
}

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
		var h history
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		h.units(columns)
		for k, numbers := range h.steps() {
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
