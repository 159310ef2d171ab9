package results

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/scheduler"
)

// Repeated is a record of runs that were repeated on one machine, one row for each algorithm with a scheme, its parameters and a
// graph. "weft results STORE --record FILE.json" writes it.
type Repeated struct {
	// Sessions are the origins of the rows, which may be measured in several parts.
	Sessions []Meta `json:"sessions"`
	// Graphs are the facts by which --scheduler auto chooses.
	Graphs []Graph `json:"graphs,omitempty"`
	Rows   []Row   `json:"rows"`
}

// Key identifies a row of a record.
type Key struct {
	Graph     string `json:"graph"`
	Algorithm string `json:"algorithm"`
	Scheduler string `json:"scheduler"`
	// Params are the values that the specification sets, "block=128, queues=4", sorted by name.
	Params string `json:"params"`
}

func (k Key) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", k.Graph, k.Algorithm, k.Scheduler, k.Params))
}

// Values returns Params by name.
func (k Key) Values() map[string]string {
	values := map[string]string{}
	for p := range strings.SplitSeq(k.Params, ", ") {
		if name, value, ok := strings.Cut(p, "="); ok {
			values[name] = value
		}
	}
	return values
}

// Row is what was measured of one algorithm with a scheme on one graph. Times are in seconds, one for each timed run, in the order
// of the runs.
type Row struct {
	Key
	Session int `json:"session"` // index of Repeated.Sessions
	// Chosen says what was run, and why, if the scheduler is auto; see Row.Choice.
	Chosen json.RawMessage `json:"chosen_by,omitempty"`
	// Settings are the values of the algorithm's parameters, including defaults.
	Settings map[string]string `json:"settings,omitempty"`
	Vertices int               `json:"vertices,omitempty"`
	Arcs     int               `json:"arcs,omitempty"`
	Source   *uint32           `json:"source,omitempty"` // as graph.CSR numbers vertices; left out if the algorithm has none
	// Checked says how the answer was checked; a wrong one is an Error.
	Checked Checked `json:"checked,omitempty"`
	Error   string  `json:"error,omitempty"` // why there are no times
	// Iterations and Launches are those of the last run.
	Iterations int `json:"iterations,omitempty"`
	Launches   int `json:"launches,omitempty"`
	// Seconds are the times from the first launch until the host knows that the answer is complete in device memory.
	// WithCopy are the times until the host has the answer; KernelSeconds those of all launches except those that
	// prepare the run.
	Seconds       []float64 `json:"solve_seconds,omitempty"`
	WithCopy      []float64 `json:"algorithm_seconds,omitempty"`
	KernelSeconds []float64 `json:"kernel_seconds,omitempty"`
	// Communication is what the GPUs sent each other in the last run; left out for one GPU.
	Communication *scheduler.Communication `json:"communication,omitempty"`
}

// Choice returns the scheme that was run and the parameters that the choice set; ok is false if the scheduler is not auto.
func (r *Row) Choice() (scheme string, params map[string]string, ok bool) {
	var c struct {
		Scheme string            `json:"chosen"`
		Params map[string]string `json:"parameters"`
	}
	if r.Chosen == nil || json.Unmarshal(r.Chosen, &c) != nil {
		return "", nil, false
	}
	return c.Scheme, c.Params, true
}

// Checked says how an answer was checked.
type Checked string

// The values of Row.Checked.
const (
	Unchecked   Checked = ""
	ByReference Checked = "reference" // against the reference on the CPU
	ByValues    Checked = "values"    // every value equals that of another row's answer, which the reference confirmed
)

// ReadRepeated reads a record.
func ReadRepeated(text []byte) (*Repeated, error) {
	f := &Repeated{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, err
	}
	for _, r := range f.Rows {
		if r.Session < 0 || r.Session >= len(f.Sessions) {
			return nil, fmt.Errorf("row %s: there is no session %d", r.Key, r.Session)
		}
	}
	return f, nil
}

// Write writes the record as JSON with one line for each row.
func (f *Repeated) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	list := func(name string, n int, value func(i int) any) error {
		fmt.Fprintf(b, " %q: [", name)
		for i := range n {
			text, err := json.Marshal(value(i))
			if err != nil {
				return err
			}
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "\n  %s", text)
		}
		b.WriteString("\n ]")
		return nil
	}
	b.WriteString("{\n")
	if err := list("sessions", len(f.Sessions), func(i int) any { return f.Sessions[i] }); err != nil {
		return err
	}
	b.WriteString(",\n")
	if len(f.Graphs) > 0 {
		if err := list("graphs", len(f.Graphs), func(i int) any { return f.Graphs[i] }); err != nil {
			return err
		}
		b.WriteString(",\n")
	}
	if err := list("rows", len(f.Rows), func(i int) any { return f.Rows[i] }); err != nil {
		return err
	}
	b.WriteString("\n}\n")
	return b.Flush()
}

// Find returns the row with a key; nil if there is none.
func (f *Repeated) Find(k Key) *Row {
	if i := slices.IndexFunc(f.Rows, func(r Row) bool { return r.Key == k }); i >= 0 {
		return &f.Rows[i]
	}
	return nil
}

// Describe adds the facts of a graph, or replaces them.
func (f *Repeated) Describe(g Graph) {
	if i := slices.IndexFunc(f.Graphs, func(old Graph) bool { return old.Name == g.Name }); i >= 0 {
		f.Graphs[i] = g
		return
	}
	f.Graphs = append(f.Graphs, g)
}

// Put adds a row, or replaces the one with the same key.
func (f *Repeated) Put(r Row) {
	if old := f.Find(r.Key); old != nil {
		*old = r
		return
	}
	f.Rows = append(f.Rows, r)
}

// Spread summarises times in seconds: the least, the quartiles and the largest.
type Spread struct{ Min, Q1, Median, Q3, Max float64 }

// SpreadOf returns the spread of at least one time. Quartiles between two times are interpolated linearly.
func SpreadOf(times []float64) Spread {
	s := slices.Clone(times)
	slices.Sort(s)
	at := func(part float64) float64 {
		x := part * float64(len(s)-1)
		i := int(x)
		j := min(i+1, len(s)-1)
		return s[i] + (x-float64(i))*(s[j]-s[i])
	}
	return Spread{s[0], at(0.25), at(0.5), at(0.75), s[len(s)-1]}
}
