package results

import (
	"fmt"
	"math"
	"slices"
)

// Host is what the host of a record took beside the kernels, in microseconds. It is a property of that host and not of the GPU: two
// hosts of H200 differ by 37%.
type Host struct {
	// Each is the time of a launch with an answer and of the step of the host loop that follows, less that of the kernel.
	Each float64 `json:"each_us"`
	// Start is what a run takes in addition to its launches: a launch that prepares it, with its kernel, and what the first launches
	// take longer because the caches of the host hold the graph.
	Start float64 `json:"start_us"`
	From  string  `json:"from"` // what says so
}

// The names of the rows of "weft record --parts host" that measure a host by runs of a scheme on graphs that no record has.
const (
	HostEach  = "run of a scheme, each launch and answer, less the kernels"
	HostStart = "run of a scheme after 2 MiB were copied, the rest, less the kernels"
)

// The rows of a record that tell of its host: those of loops with one launch in each iteration, with up to mostLaunches of them. A host
// that waits longer than mostKernel for a kernel takes longer afterwards, which is left out, and fewer than leastRows say nothing.
const (
	mostLaunches = 200
	mostKernel   = 200e-6 // seconds
	leastRows    = 100
	leastApart   = 8 // launches by which two rows differ that give a slope
)

// Host returns the host of the record: by host rows that were recorded in the same session, or else by the rows that are not compared. An
// error says what it lacks.
func (f *Repeated) Host(compared func(*Row) bool) (*Host, error) {
	if h := hostOf(f.Sessions); h != nil {
		return h, nil
	}
	var at [][2]float64 // launches, microseconds beside the kernels
	graphs := map[string]bool{}
	for i := range f.Rows {
		r := &f.Rows[i]
		if len(r.Seconds) == 0 || len(r.KernelSeconds) == 0 || r.Error != "" || r.Launches == 0 || r.Launches > mostLaunches || r.Launches != r.Iterations || compared(r) {
			continue
		}
		kernels := SpreadOf(r.KernelSeconds).Median
		if kernels/float64(r.Launches) > mostKernel {
			continue
		}
		graphs[r.Graph] = true
		at = append(at, [2]float64{float64(r.Launches), (SpreadOf(r.Seconds).Median - kernels) * 1e6})
	}
	if len(at) < leastRows {
		return nil, fmt.Errorf("the record has no host rows, and only %d rows of host loops that are not compared (%d are needed)", len(at), leastRows)
	}
	each, start, ok := line(at)
	if !ok || each <= 0 {
		return nil, fmt.Errorf("the record has no host rows, and its %d rows of host loops that are not compared do not tell the time of a launch", len(at))
	}
	return &Host{each, start, fmt.Sprintf("%d rows of the record on %d graphs, none of which is compared", len(at), len(graphs))}, nil
}

// hostOf returns the host by the host rows of sessions, the median of these; nil if a session has none.
func hostOf(sessions []Meta) *Host {
	var each, start []float64
	for _, s := range sessions {
		n := len(each)
		for _, m := range s.Host {
			switch m.Name {
			case HostEach:
				each = append(each, m.Median)
			case HostStart:
				start = append(start, m.Median)
			}
		}
		if len(each) == n || len(start) != len(each) {
			return nil
		}
	}
	if len(each) == 0 {
		return nil
	}
	return &Host{SpreadOf(each).Median, SpreadOf(start).Median, fmt.Sprintf("host rows of the record's %d sessions", len(sessions))}
}

// line returns the line through points that half of all pairs of points lie above (Theil and Sen): a few runs that the host interrupted do not
// move it.
func line(at [][2]float64) (slope, from float64, ok bool) {
	var slopes []float64
	for i, p := range at {
		for _, q := range at[:i] {
			if d := p[0] - q[0]; math.Abs(d) >= leastApart {
				slopes = append(slopes, (p[1]-q[1])/d)
			}
		}
	}
	if len(slopes) == 0 {
		return 0, 0, false
	}
	slices.Sort(slopes)
	slope = slopes[len(slopes)/2]
	var rest []float64
	for _, p := range at {
		rest = append(rest, p[1]-slope*p[0])
	}
	slices.Sort(rest)
	return slope, rest[len(rest)/2], true
}
