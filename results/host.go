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
// sessions. A record to which rows were added later has several hosts: the one that counts is that of the commit that most rows were recorded with. begin is what the launch that prepares a run takes beside its kernel, in microseconds, and first what the launches of two kernels take
// longer that are the first ones, where rows do not tell. kernels returns how many kernels a row launches, 0 if that is not known. An
// error says what the record lacks.
func (f *Repeated) Host(begin, first float64, kernels func(*Row) int, compared func(*Row) bool) (*Host, error) {
	var runs []hostRun
	graphs := map[string]bool{}
	commit := f.commitOfMost()
	for i := range f.Rows {
		r := &f.Rows[i]
		if f.commitOf(r) != commit {
			continue
		}
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
		if h, ok := fitHost(runs, first/2); ok {
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

// commitOf returns the commit that a row was recorded with; empty if the record does not say.
func (f *Repeated) commitOf(r *Row) string {
	if r.Session >= len(f.Sessions) {
		return ""
	}
	return f.Sessions[r.Session].Commit
}

// commitOfMost returns the commit that most rows were recorded with, the first of several.
func (f *Repeated) commitOfMost() (most string) {
	rows := map[string]int{}
	for i := range f.Rows {
		rows[f.commitOf(&f.Rows[i])]++
	}
	for i := range f.Rows {
		if commit := f.commitOf(&f.Rows[i]); rows[commit] > rows[most] {
			most = commit
		}
	}
	return most
}

// hostRun is a run of a record: its launches, how many kernels they launch, the share of the host's caches that the graph takes, and the
// time beside kernels in microseconds.
type hostRun struct{ launches, kernels, share, beside float64 }

// fitHost returns the host by runs. Where most of these launch the same number of kernels, and on graphs that no cache holds, they do not tell the first launch of
// a kernel from that of a run, and one of the two would come out below 0: then the former takes first microseconds longer, and Host.First is 0.
func fitHost(runs []hostRun, first float64) (*Host, bool) {
	x, ok := leastErrors(runs, func(r hostRun) ([]float64, float64) { return []float64{r.launches, r.kernels, r.share}, r.beside })
	if ok && x[1] >= 0 && x[2] >= 0 {
		return &Host{Each: x[0], First: x[1], Cold: x[2]}, x[0] > 0
	}
	if x, ok = leastErrors(runs, func(r hostRun) ([]float64, float64) {
		return []float64{r.launches, r.share}, r.beside - first*r.kernels
	}); !ok {
		return nil, false
	}
	return &Host{Each: x[0], Cold: max(x[1], 0)}, x[0] > 0
}

// leastErrors returns the coefficients of a sum with the least sum of relative errors; row has the terms of a run and what they add up to. Runs that the host
// interrupted, by however long, move it as little as any other that is above the line. It is found by least squares with weights: each turn gives the rows weights by
// the errors of the turn before. If the rows do not differ enough, ok is false.
func leastErrors(runs []hostRun, row func(hostRun) (terms []float64, sum float64)) (x []float64, ok bool) {
	const turns, least = 50, 1e-3 // least is the relative error from which on a row has its full weight
	one, _ := row(runs[0])
	rows, want := mat.NewDense(len(runs), len(one), nil), mat.NewVecDense(len(runs), nil)
	var v mat.VecDense
	for turn := range turns {
		for i, r := range runs {
			terms, sum := row(r)
			weight := 1 / r.beside
			if turn > 0 {
				is := 0.0
				for k, term := range terms {
					is += v.AtVec(k) * term
				}
				weight /= math.Sqrt(max(math.Abs(is-sum)/r.beside, least))
			}
			for k := range terms {
				terms[k] *= weight
			}
			rows.SetRow(i, terms)
			want.SetVec(i, sum*weight)
		}
		if err := v.SolveVec(rows, want); err != nil {
			return nil, false
		}
	}
	return v.RawVector().Data, true
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
