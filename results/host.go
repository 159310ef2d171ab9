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
	// Cold is what the first launch of a run takes longer because the caches of the host hold the graph.
	Cold float64 `json:"cold_us"`
	From string  `json:"from"` // what says so
}

// HostCache is how many bytes a host copies to the device until its caches hold nothing of what a launch needs. A copy
// passes through its processor twice: recorded runs begin as after 1 MiB on graphs from 0.8 MiB on, and on those of 0.5 MiB half way.
const HostCache = 1 << 20

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
	leastShare   = 0.3
)

// Host returns the host of the record: by its rows that are not compared, which were measured as those that are, or else by the host rows of its
// sessions. begin is what a run takes in addition to its launches where the caches of the host hold what it needs, in microseconds. An error says what the
// record lacks.
func (f *Repeated) Host(begin float64, compared func(*Row) bool) (*Host, error) {
	var at [][2]float64 // launches, microseconds beside the kernels
	var shares []float64
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
		shares = append(shares, min(4*float64(r.Vertices+r.Arcs)/HostCache, 1))
	}
	var why error
	if len(at) >= leastRows {
		if each, ok := slope(at); ok && each > 0 {
			if cold, ok := coldOf(at, shares, each, begin); ok {
				return &Host{each, cold, fmt.Sprintf("%d rows of the record on %d graphs, none of which is compared", len(at), len(graphs))}, nil
			}
		}
		why = fmt.Errorf("%d rows of host loops that are not compared do not tell the time of a launch", len(at))
	} else {
		why = fmt.Errorf("the record has only %d rows of host loops that are not compared (%d are needed)", len(at), leastRows)
	}
	if h := hostOf(f.Sessions, begin); h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("%w, and no host rows", why)
}

// hostOf returns the host by the host rows of sessions, the median of these; nil if a session has none.
func hostOf(sessions []Meta, begin float64) *Host {
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
	return &Host{SpreadOf(each).Median, max(SpreadOf(start).Median-begin, 0), fmt.Sprintf("host rows of the record's %d sessions", len(sessions))}
}

// slope returns the median of the slopes between all pairs of points (Theil and Sen): a few runs that the host interrupted do not move it.
func slope(at [][2]float64) (float64, bool) {
	var slopes []float64
	for i, p := range at {
		for _, q := range at[:i] {
			if d := p[0] - q[0]; math.Abs(d) >= leastApart {
				slopes = append(slopes, (p[1]-q[1])/d)
			}
		}
	}
	if len(slopes) == 0 {
		return 0, false
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2], true
}

// coldOf returns what starts take longer than begin, by the share of the host's caches that the graph took, the median over the rows
// whose share tells it.
func coldOf(at [][2]float64, shares []float64, each, begin float64) (float64, bool) {
	var list []float64
	for i, p := range at {
		if shares[i] >= leastShare {
			list = append(list, (p[1]-each*p[0]-begin)/shares[i])
		}
	}
	if len(list) == 0 {
		return 0, false
	}
	slices.Sort(list)
	return max(list[len(list)/2], 0), true
}
