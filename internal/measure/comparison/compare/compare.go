package compare

import (
	"encoding/json"
	"math"
	"sort"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
)

// Side is one side of a comparison.
type Side struct {
	Device string `json:"device"` // "sim:h200", "hw", "record of h200"
	Kind   Kind   `json:"kind"`
	// Machine is every parameter of a simulated machine, and MachineHash identifies them.
	Machine     map[string]any `json:"machine,omitempty"`
	MachineHash string         `json:"machine_hash,omitempty"`

	Seconds float64 `json:"seconds"` // total of the launches; 0 without a clock
	// Whole is the algorithm's time, from the first launch until the host has the answer; 0 without a clock, and for
	// older records.
	Whole float64 `json:"algorithm_seconds,omitempty"`
	// Active is Seconds minus the launch overhead, which is the same for each launch on either side: the time in which
	// SMs are active. It is 0 if it is not known.
	Active   float64   `json:"active_seconds"`
	Answer   string    `json:"answer"` // its verification state: Verified, NoReference, ...
	Verified bool      `json:"verified"`
	Launches int       `json:"launches"`             // not including setup; 0 if a record does not say how many there were
	Each     []float64 `json:"iterations,omitempty"` // seconds of each of these launches
	// Iterations are those that the host counted; 0 for a scheme whose kernel counts them.
	Iterations int                `json:"-"`
	Counters   map[string]float64 `json:"counters,omitempty"`
	// CountersFrom is the file from which the counters were read; "" if they are the device's own.
	CountersFrom string `json:"counters_from,omitempty"`
	Values       any    `json:"-"`
}

// FromResult returns the side of a device that ran.
func FromResult(device string, kind Kind, r *catalog.Result) Side {
	s := Side{Device: device, Kind: kind, Answer: answerOf(r), Verified: r.Verified, Values: r.Values,
		Launches: r.Launches(), Iterations: r.Iterations, Seconds: r.KernelSeconds(), Whole: r.AlgorithmSeconds, Counters: map[string]float64{}}
	for _, step := range r.Steps {
		if !step.Setup {
			s.Each = append(s.Each, step.Seconds)
		}
	}
	if r.Report != nil {
		for _, c := range r.Report.Counters {
			s.Counters[c.Name] = c.Value
		}
	}
	return s
}

// FromRecord returns the side of a recorded run. Its launches are not known if the record is an older one; see LaunchesAs.
func FromRecord(gpu string, r *results.Run) Side {
	s := Side{Device: "record of " + gpu, Kind: Record, Seconds: r.Kernels.Median, Whole: r.Whole.Median, Answer: NotVerifiedThen, Verified: r.Verified,
		Launches: r.Launches, Iterations: r.Iterations, Counters: r.Total()}
	if r.Verified {
		s.Answer = VerifiedThen
	}
	return s
}

// LaunchesAs sets the launches of an older record, which has only iterations, if the same scheme launches one kernel in each iteration on the other side.
func (s *Side) LaunchesAs(other Side) {
	if s.Launches == 0 && other.Launches == other.Iterations {
		s.Launches = s.Iterations
	}
}

// WithoutLaunches sets Active: launch is the overhead of a launch in seconds, 0 if it is not known. If noise makes a
// recorded run as short as its launches, or the launches are not known, Active stays unknown.
func (s *Side) WithoutLaunches(launch float64) {
	s.Active = 0
	if launch > 0 && s.Launches > 0 {
		s.Active = max(s.Seconds-float64(s.Launches)*launch, 0)
	}
}

// TimeError returns the error of a's time relative to b's, NaN if one of them is not known.
func TimeError(a, b float64) Part {
	if a <= 0 || b <= 0 {
		return Part(math.NaN())
	}
	return Part(Error(a, b))
}

// Error returns the relative error of a against b: 0.1 means 10% more. It is NaN if b is 0 and a is not.
func Error(a, b float64) float64 {
	switch {
	case a == b:
		return 0
	case b == 0:
		return math.NaN()
	}
	return a/b - 1
}

// Part is a result of Error. JSON uses null for NaN.
type Part float64

// MarshalJSON writes a number or null.
func (p Part) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(p)) || math.IsInf(float64(p), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(p))
}

// UnmarshalJSON reads the output of MarshalJSON.
func (p *Part) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*p = Part(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(p))
}

// Counter is a counter with its values on both sides.
type Counter struct {
	Name  string  `json:"name"`
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	Error Part    `json:"error"` // of a relative to b; null if it has no meaning
	// Apart is why the values are not comparable; "" if they are.
	Apart string `json:"apart,omitempty"`
}

// Counters returns the counters that both sides have, by name.
func Counters(a, b Side) []Counter {
	var list []Counter
	kind := b.Kind
	if b.CountersFrom != "" {
		kind = Record // from Nsight Compute
	}
	for name, x := range a.Counters {
		y, ok := b.Counters[name]
		if !ok || x == 0 && y == 0 {
			continue
		}
		c := Counter{Name: name, A: x, B: y, Error: Part(Error(x, y)), Apart: Incomparable(name, a.Kind, kind)}
		if c.Apart != "" {
			c.Error = Part(math.NaN())
		}
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Summary summarizes errors.
type Summary struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`   // of the absolute errors
	Median float64 `json:"median"` // of the absolute errors
	Worst  float64 `json:"worst"`  // the ratio of the sides that is farthest from 1, at least 1
}

// Summarize summarizes pairs (a against b). Pairs in which a side is 0 are ignored.
func Summarize(pairs [][2]float64) Summary {
	var errs []float64
	s := Summary{Worst: 1}
	for _, p := range pairs {
		a, b := p[0], p[1]
		if a <= 0 || b <= 0 {
			continue
		}
		errs = append(errs, math.Abs(Error(a, b)))
		s.Worst = max(s.Worst, a/b, b/a)
	}
	s.N = len(errs)
	if s.N == 0 {
		return s
	}
	sort.Float64s(errs)
	for _, e := range errs {
		s.Mean += e / float64(s.N)
	}
	s.Median = (errs[(s.N-1)/2] + errs[s.N/2]) / 2
	return s
}

// Order counts the pairs of schemes that both sides order in the same way.
type Order struct {
	Agree, Disagree int // of the pairs that differ by more than the threshold on side b
}

// Orders compares every two rows with the same algorithm and graph: whether side a orders them like side b, if b's
// times differ by more than threshold (0.2 means 20%).
func Orders(rows []Row, threshold float64) Order {
	var o Order
	for i, x := range rows {
		for _, y := range rows[i+1:] {
			if x.Algorithm != y.Algorithm || x.Graph != y.Graph || math.Abs(Error(x.B, y.B)) <= threshold && math.Abs(Error(y.B, x.B)) <= threshold {
				continue
			}
			if (x.A < y.A) == (x.B < y.B) {
				o.Agree++
			} else {
				o.Disagree++
			}
		}
	}
	return o
}

// RowOf returns the row of a run on both sides.
func RowOf(algorithm, scheduler, graph string, a, b Side) Row {
	return Row{Algorithm: algorithm, Scheduler: scheduler, Graph: graph, A: a.Seconds, B: b.Seconds, Error: TimeError(a.Seconds, b.Seconds),
		ActiveA: a.Active, ActiveB: b.Active, ActiveError: TimeError(a.Active, b.Active), LaunchesKnown: b.Launches > 0}
}

// SummarizeRows summarizes the errors of rows, with and without launch overhead.
func SummarizeRows(rows []Row) (all, active Summary) {
	var with, without [][2]float64
	for _, r := range rows {
		with, without = append(with, [2]float64{r.A, r.B}), append(without, [2]float64{r.ActiveA, r.ActiveB})
	}
	return Summarize(with), Summarize(without)
}

// Row is one row of a table of runs: seconds on both sides.
type Row struct {
	Algorithm string  `json:"algorithm"`
	Scheduler string  `json:"scheduler"`
	Graph     string  `json:"graph"`
	A         float64 `json:"a"`
	B         float64 `json:"b"`
	Error     Part    `json:"error"`
	// The same without launch overhead, see Side.Active; 0 and null if it is not known.
	ActiveA     float64 `json:"active_a"`
	ActiveB     float64 `json:"active_b"`
	ActiveError Part    `json:"active_error"`
	Note        string  `json:"note,omitempty"` // why there is no error
	// Record is the record that has the run, and LaunchesKnown is whether it says how many launches there were.
	Record        string `json:"record,omitempty"`
	LaunchesKnown bool   `json:"launches_known"`
}
