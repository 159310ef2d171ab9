package results

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Host is what the host of a record took beside the kernels, in microseconds. It is a property of that host and not of the GPU: two
// hosts of H200 differ by 37%.
type Host struct {
	// Each is the time of a launch with an answer and of the step of the host loop that follows, less that of the kernel.
	Each float64 `json:"each_us"`
	// First is what the first launch of a kernel in a run takes longer; 0 if the record does not tell.
	First float64 `json:"first_us,omitempty"`
	// Cold is what the first launch of a run takes longer, in addition, because the caches of the host hold the graph.
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

// The rows of a record that tell of its host: those with up to mostLaunches launches. A host that waits longer than mostKernel for a kernel
// takes longer afterwards, which is left out, and fewer than leastRows say nothing.
const (
	mostLaunches = 200
	mostKernel   = 200e-6 // seconds
	leastRows    = 100
)

// Host returns the host of the record: by its rows that are not compared, which were measured as those that are, or else by the host rows of its
// sessions. begin is what the launch that prepares a run takes beside its kernel, in microseconds, and first what the launches of two kernels take
// longer that are the first ones, for host rows, which do not tell. kernels returns how many kernels a row launches, 0 if that is not known. An
// error says what the record lacks.
func (f *Repeated) Host(begin, first float64, kernels func(*Row) int, compared func(*Row) bool) (*Host, error) {
	var runs []hostRun
	graphs := map[string]bool{}
	for i := range f.Rows {
		r := &f.Rows[i]
		if len(r.Seconds) == 0 || len(r.KernelSeconds) == 0 || r.Error != "" || r.Launches == 0 || r.Launches > mostLaunches || compared(r) {
			continue
		}
		took, n := SpreadOf(r.KernelSeconds).Median, kernels(r)
		beside := (SpreadOf(r.Seconds).Median-took)*1e6 - begin
		if took/float64(r.Launches) > mostKernel || n == 0 || beside <= 0 {
			continue
		}
		graphs[r.Graph] = true
		runs = append(runs, hostRun{float64(r.Launches), float64(n), min(4*float64(r.Vertices+r.Arcs)/HostCache, 1), beside})
	}
	why := fmt.Errorf("the record has only %d rows of runs that are not compared (%d are needed)", len(runs), leastRows)
	if len(runs) >= leastRows {
		if h, ok := fitHost(runs); ok {
			h.From = fmt.Sprintf("%d rows of the record on %d graphs, none of which is compared", len(runs), len(graphs))
			return h, nil
		}
		why = fmt.Errorf("%d rows of runs that are not compared do not tell the time of a launch", len(runs))
	}
	if h := hostOf(f.Sessions, begin+first); h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("%w, and no host rows", why)
}

// hostRun is a run of a record: its launches, how many kernels they launch, the share of the host's caches that the graph takes, and the
// time beside kernels in microseconds.
type hostRun struct{ launches, kernels, share, beside float64 }

// fitHost returns the host whose times beside the kernels have the least sum of relative errors. Runs that the host interrupted, by however
// long, move it as little as any other that is above the line. It is found by least squares with weights: each turn gives the rows weights by
// the errors of the turn before.
func fitHost(runs []hostRun) (*Host, bool) {
	const turns, least = 50, 1e-3 // least is the relative error from which on a row has its full weight
	rows, want := mat.NewDense(len(runs), 3, nil), mat.NewVecDense(len(runs), nil)
	var x mat.VecDense
	for turn := range turns {
		for i, r := range runs {
			weight := 1 / r.beside
			if turn > 0 {
				is := x.AtVec(0)*r.launches + x.AtVec(1)*r.kernels + x.AtVec(2)*r.share
				weight /= math.Sqrt(max(math.Abs(is/r.beside-1), least))
			}
			rows.SetRow(i, []float64{r.launches * weight, r.kernels * weight, r.share * weight})
			want.SetVec(i, r.beside*weight)
		}
		if err := x.SolveVec(rows, want); err != nil { // the rows do not differ enough
			return nil, false
		}
	}
	h := &Host{Each: x.AtVec(0), First: max(x.AtVec(1), 0), Cold: max(x.AtVec(2), 0)}
	return h, h.Each > 0
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
	return &Host{Each: SpreadOf(each).Median, Cold: max(SpreadOf(start).Median-begin, 0), From: fmt.Sprintf("host rows of the record's %d sessions", len(sessions))}
}
