package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/infile"
)

// Times are recorded times of algorithms on a GPU.
type Times struct {
	GPU  string // "NVIDIA H200"
	Runs []TimedRun
}

// TimedRun is an algorithm with a scheme on a graph.
type TimedRun struct {
	Algorithm, Scheduler string
	Params               map[string]string // of the scheme, those that were set
	Settings             map[string]string // of the algorithm, all of them; nil if unknown
	Graph                string
	Vertices, Arcs       int
	// Seconds are medians by metric, of those that were measured: "kernel_seconds", "algorithm_seconds", "solve_seconds".
	Seconds map[string]float64
}

// TimeMetrics are the metrics of recorded times, as runs in a store have them.
var TimeMetrics = []string{"kernel_seconds", "algorithm_seconds", "solve_seconds"}

// mostTimes is the maximum size of a file of times. The largest of our own has 2 MiB.
const mostTimes = 256 << 20

// LoadTimes returns the times of a GPU that has a record ("h200"; see FromEnvironment), or those of a record of repeated runs ("weft
// results --record") or of the runs.json of a record. Runs that failed or gave a wrong answer are left out.
func LoadTimes(ctx context.Context, name string) (*Times, error) {
	records, err := FromEnvironment()
	if err != nil {
		return nil, err
	}
	if slices.Contains(records.GPUs(), name) {
		h, err := records.Load(name)
		if err != nil {
			return nil, err
		}
		return &Times{h.Meta.GPU, timesOf(h.Runs)}, nil
	}
	text, err := infile.ReadAll(ctx, name, mostTimes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no record and no file %q; there are records of %s", name, strings.Join(records.GPUs(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t, err := parseTimes(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// parseTimes parses either kind of file.
func parseTimes(text []byte) (*Times, error) {
	const what = `not a file of "weft results --record" or the runs.json of a record`
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		var runs []Run
		if err := json.Unmarshal(text, &runs); err != nil {
			return nil, fmt.Errorf(what+": %w", err)
		}
		return &Times{"a GPU", timesOf(runs)}, nil
	}
	var s Repeated
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf(what+": %w", err)
	}
	if len(s.Rows) == 0 {
		return nil, errors.New(what + ": it has no rows")
	}
	t := &Times{GPU: "a GPU"}
	if len(s.Sessions) > 0 {
		t.GPU = s.Sessions[0].GPU
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Error != "" || r.Checked == Unchecked {
			continue
		}
		run := TimedRun{Algorithm: r.Algorithm, Scheduler: r.Scheduler, Params: r.Values(), Settings: r.Settings, Graph: r.Graph,
			Vertices: r.Vertices, Arcs: r.Arcs, Seconds: map[string]float64{}}
		for name, times := range map[string][]float64{"kernel_seconds": r.KernelSeconds, "algorithm_seconds": r.WithCopy, "solve_seconds": r.Seconds} {
			run.time(name, NewTiming(times))
		}
		t.Runs = append(t.Runs, run)
	}
	return t, nil
}

// timesOf returns the times of a record.
func timesOf(runs []Run) (list []TimedRun) {
	for _, r := range runs {
		if r.Error != "" || !r.Verified {
			continue
		}
		t := TimedRun{Algorithm: r.Algorithm, Scheduler: r.Scheduler, Params: maps.Clone(r.Params), Graph: r.Graph, Vertices: r.Vertices, Arcs: r.Arcs, Seconds: map[string]float64{}}
		t.time("kernel_seconds", r.Kernels)
		t.time("algorithm_seconds", r.Whole)
		list = append(list, t)
	}
	return list
}

// time adds a time that was measured.
func (r *TimedRun) time(name string, t Timing) {
	if t.Runs > 0 && t.Median > 0 {
		r.Seconds[name] = t.Median
	}
}
