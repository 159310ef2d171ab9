package timeline

import "encoding/json"

// The numbers of a step that are not the scheme's.
const (
	// Seconds is the time of the launches of an iteration, or the length of an interval.
	Seconds = "seconds"
	// Time is when the step ended. The time in which no kernel of the algorithm runs, such as
	// waits of the host, counts with equal parts for all iterations.
	Time = "time"
	// Throughput is the vertices processed per second, and Normalised the same, divided by the
	// work of the whole run over the least work, as in Atos (Chen et al., ICPP 2022, figures 3 to
	// 5). If the scheme does not record it, it is that of the iterations.
	Throughput = "throughput"
	Normalised = "normalised-throughput"
)

// Run is what the JSON of a run says of its steps.
type Run struct {
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

// Steps returns the numbers of the steps of a run by name. A run that
// recorded series has their steps, because a launch of it may be many iterations.
func (r *Run) Steps() []map[string]float64 {
	var list []map[string]float64
	for _, s := range r.Series {
		for len(list) < len(s.Values) {
			list = append(list, map[string]float64{})
		}
		for i, v := range s.Values {
			list[i][s.Name] = v
			if s.Interval > 0 {
				list[i][Seconds], list[i][Time] = s.Interval, float64(i+1)*s.Interval
			}
		}
	}
	if len(list) == 0 {
		return r.iterations()
	}
	return list
}

// iterations returns the sums over the launches of each iteration.
func (r *Run) iterations() (list []map[string]float64) {
	at := map[float64]int{}
	work := 1.0 // over the least work
	for _, launch := range r.Iterations {
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
			case !ok || name == "iteration" || setup && (name == Seconds || name == "cycles"):
			case name == "overwork":
				work = x
			default:
				list[i][name] += x
			}
		}
	}
	wait, now := 0.0, 0.0
	if n := float64(len(list)); n > 0 {
		wait = max(r.Solve-r.Kernel, 0) / n
	}
	for _, step := range list {
		now += step[Seconds] + wait
		step[Time] = now
		done, ok := step["visited"]
		if !ok {
			done, ok = step["frontier"]
		}
		if ok && step[Seconds] > 0 {
			step[Throughput] = done / (step[Seconds] + wait)
			step[Normalised] = step[Throughput] / work
		}
	}
	return list
}

// Read reads the JSON of a run.
func Read(text []byte) (*Run, error) {
	var r Run
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// Units returns the units of the numbers of steps.
func (r *Run) Units() map[string]string {
	units := map[string]string{Seconds: "s", Time: "s", "cycles": "cycle", Throughput: "vertex/s", Normalised: "vertex/s"}
	for _, q := range r.Quantities {
		units[q.Name] = q.Unit
	}
	for _, q := range r.Series {
		units[q.Name] = q.Unit
	}
	return units
}
