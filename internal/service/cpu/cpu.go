package cpu

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/weft-gpu/weft/graph"
)

// Times are the times of a processor for a problem: host wall times, medians of several runs.
type Times struct {
	Processor  string `json:"processor"` // "" if the system does not say
	Cores      int    `json:"cores"`     // that this program may use
	Sequential Time   `json:"sequential"`
	// Parallel is the time of all cores; left out where there is no such code.
	Parallel *Time `json:"parallel,omitempty"`
}

// Time is the time of a code.
type Time struct {
	Code    string  `json:"code"`
	Seconds float64 `json:"wall_seconds"` // the median
	Runs    int     `json:"runs"`
}

// A code runs at least leastRuns times, and until enough time has passed.
const (
	leastRuns = 3
	enough    = 100 * time.Millisecond
	mostRuns  = 1000
)

// Measure measures the times for a problem of an algorithm that Has code. params are the parameters of the algorithm. It
// returns ctx's error if ctx is done.
func Measure(ctx context.Context, algorithm string, g *graph.CSR, source uint32, params map[string]string) (*Times, error) {
	c := byAlgorithm[algorithm]
	p, err := newProblem(ctx, g, source, params)
	if err != nil {
		return nil, err
	}
	t := &Times{Processor: processor(), Cores: runtime.GOMAXPROCS(0)}
	var want any
	first := ""
	time := func(x code) (Time, error) {
		answer, took, err := measure(ctx, x, p)
		if err != nil {
			return took, fmt.Errorf("%s on the CPU, %s: %w", algorithm, x.name, err)
		}
		if first == "" {
			want, first = answer, x.name
		} else if !c.same(want, answer) {
			return took, fmt.Errorf("%s on the CPU: %s and %s have different answers: this is an error of weft", algorithm, first, x.name)
		}
		return took, nil
	}
	for i, x := range c.sequential {
		took, err := time(x)
		if err != nil {
			return nil, err
		}
		if i == 0 || took.Seconds < t.Sequential.Seconds {
			t.Sequential = took
		}
	}
	if c.parallel == nil {
		return t, nil
	}
	p.workers = t.Cores
	took, err := time(*c.parallel)
	if err != nil {
		return nil, err
	}
	t.Parallel = &took
	return t, nil
}

// measure runs a code several times, and returns its answer and the median time.
func measure(ctx context.Context, x code, p *problem) (answer any, t Time, err error) {
	var times []float64
	for total := time.Duration(0); len(times) < leastRuns || total < enough && len(times) < mostRuns; {
		began := time.Now()
		if answer, err = x.run(ctx, p); err != nil {
			return nil, t, err
		}
		took := time.Since(began)
		total += took
		times = append(times, took.Seconds())
	}
	slices.Sort(times)
	return answer, Time{x.name, times[len(times)/2], len(times)}, nil
}

// processor returns the name of the processor; "" if the system does not say.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
