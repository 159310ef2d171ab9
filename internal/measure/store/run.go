package store

import "time"

// Status is what became of a run.
type Status string

// The statuses.
const (
	OK        Status = "ok"        // the answer is right, or nothing says that it is wrong
	Wrong     Status = "wrong"     // the answer is wrong
	Hang      Status = "hang"      // it was shown never to end
	Undecided Status = "undecided" // a budget or a time limit ended it
	Failed    Status = "failed"    // a fault, a refusal or any other error
)

// Run is one run of a point. Strings are empty if there is no such thing.
type Run struct {
	Point  string // hash of all that determines the result, in hexadecimal
	Repeat int    // from 0; simulations are deterministic, so only times on real GPUs need repetitions

	Spec   string // hash of the specification; see Store.AddSpec
	Status Status
	Error  string // the message, unless Status is OK

	Algorithm, Scheduler string
	Kernel, KernelHash   string // the entry point that does the work, and the hash of its IR
	Graph, GraphHash     string // as the specification names it; hash of its arcs and weights, "" if it was not loaded
	Vertices, Arcs       int
	Device               string
	Machine              string // hash of a simulated machine; see Store.AddMachine
	Driver               string // of a real GPU
	Seed                 uint64
	Version              string // of weft: the commit
	Date                 time.Time
	Host                 string
	Command              string  // that does the run again
	Wall                 float64 // seconds on the host

	// Settings have the values of what a specification of this store wrote, in whatever run:
	// l2.latency = 132, param.block = 256. Defaults have those that all left out.
	Settings, Defaults map[string]string
	// Spellings are the settings as specifications wrote them. A point may have several, since one
	// that writes a default out is the same as one that leaves it out. Without any, the Settings are
	// what was written.
	Spellings   []map[string]string
	Metrics     []Metric
	Attachments map[string][]byte // "result": the JSON of weft run; "hang", "profile", ...
}

// Within is what the name of a metric has at its end that is half of the width of the interval of the metric without it. Runs that were
// simulated in part have it.
const Within = ".within"

// Metric is a number that a run measured, or a text that it found.
type Metric struct {
	Name    string // Nsight Compute's name if it has this counter; "cycles", "kernel_seconds"
	Unit    string
	Meaning string
	Value   float64
	Text    string // "" for a number
}

// Metric returns the value of a metric; ok is false if the run does not have it.
func (r *Run) Metric(name string) (value float64, ok bool) {
	for _, m := range r.Metrics {
		if m.Name == name && m.Text == "" {
			return m.Value, true
		}
	}
	return 0, false
}

// what names a run in messages.
func (r *Run) what() string {
	if r.Algorithm == "" {
		return r.Kernel
	}
	return r.Algorithm + " by " + r.Scheduler
}
