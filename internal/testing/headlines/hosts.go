package headlines

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// Solved is an algorithm time of one record, in seconds, and what is simulated of it with the host of that record.
type Solved struct {
	Record           int // index of RepeatedFiles
	Seconds, Kernels float64
	Simulated        float64 // 0 if it was not simulated
}

// Host is the host of a record: what tells of it, and the machine with that host.
type Host struct {
	Of      *results.Host // nil if the record does not tell
	Why     error         // why it does not
	Machine *config.GPU
}

// hostKey is a record and a graph.
type hostKey struct {
	record *results.Repeated
	graph  string
}

var hosts sync.Map // of *Host by hostKey: a slope through a thousand points takes a moment

// HostOf returns the host of a record for the points on a graph, by the record's rows on all other graphs. Without such rows it is that of the preset.
func HostOf(record *results.Repeated, graph string, simulated *comparison.TimeTable) (*Host, error) {
	key := hostKey{record, graph}
	if h, ok := hosts.Load(key); ok {
		return h.(*Host), nil
	}
	preset, err := config.Load(strings.TrimPrefix(simulated.Device, "sim:"))
	if err != nil {
		return nil, err
	}
	h := &Host{Machine: preset}
	if simulated.Host == nil {
		h.Why = fmt.Errorf("results/simulated/times.json does not say what the host did; \"make simulated\" does")
	} else if h.Of, h.Why = comparison.HostOf(record, preset, comparison.Kernels(simulated.Rows), func(r *results.Row) bool { return r.Graph == graph }); h.Why == nil {
		h.Machine, _, err = comparison.WithHost(preset, h.Of, nil)
	}
	hosts.Store(key, h)
	return h, err
}

// solve sets the simulated algorithm times of a point: the simulated one, with the work of its host done by that of each record.
func (p *Point) solve(records []*results.Repeated, simulated *comparison.TimeTable, row *compare.TimeRow) error {
	preset, err := config.Load(strings.TrimPrefix(simulated.Device, "sim:"))
	if err != nil {
		return err
	}
	if simulated.Host != nil {
		if preset, err = comparison.With(preset, simulated.Host.Set); err != nil {
			return err
		}
	}
	for i := range p.Solved {
		s := &p.Solved[i]
		h, err := HostOf(records[s.Record], p.Graph, simulated)
		if err != nil {
			return err
		}
		s.Simulated = row.A + sim.HostSeconds(h.Machine, row.Host) - sim.HostSeconds(preset, row.Host)
	}
	return nil
}

// changedLoop is the scheme whose host makes one request less in each iteration than when an H200 was recorded (commit 498880be, one day
// after the last record), so that what is simulated is not the program that was measured.
const changedLoop = "balanced"

// recording is an algorithm time of one record and the simulated one.
type recording struct {
	*Point
	Solved
}

// recordings returns the algorithm times of points that were simulated, each recording by itself.
func recordings(points []*Point) (list []recording) {
	for _, p := range points {
		for _, s := range p.Solved {
			if s.Simulated > 0 {
				list = append(list, recording{p, s})
			}
		}
	}
	return list
}

// asPoints returns recordings as points with algorithm times in place of kernel times.
func asPoints(list []recording) (points []*Point) {
	for _, r := range list {
		p := *r.Point
		p.Recorded, p.Simulated = []float64{r.Seconds}, r.Solved.Simulated
		points = append(points, &p)
	}
	return points
}

// solvedTwice returns points that several records have, with all recorded algorithm times.
func solvedTwice(points []*Point) (list []*Point) {
	for _, p := range points {
		whole := *p
		whole.Recorded = nil
		for _, s := range p.Solved {
			whole.Recorded = append(whole.Recorded, s.Seconds)
		}
		list = append(list, &whole)
	}
	return list
}

// shares returns how much of the error of recordings is in the kernels and how much beside them, each as the mean of its size by the
// recorded algorithm time, and the geometric mean of the time beside kernels, simulated by recorded.
func shares(list []recording) (kernels, beside, ratio float64) {
	n, logs := 0, 0.0
	for _, r := range list {
		mine, theirs := r.Solved.Simulated-r.Point.Simulated, r.Seconds-r.Kernels
		kernels += math.Abs(r.Point.Simulated-r.Kernels) / r.Seconds
		beside += math.Abs(mine-theirs) / r.Seconds
		if mine > 0 && theirs > 0 {
			n++
			logs += math.Log(mine / theirs)
		}
	}
	of := float64(max(len(list), 1))
	return kernels / of, beside / of, math.Exp(logs / float64(max(n, 1)))
}

// split is a table of the errors of algorithm times by a property, and of their two parts, the smallest mean error first.
func split(head string, list []recording, of func(r recording) string) string {
	parts := map[string][]recording{}
	for _, r := range list {
		parts[of(r)] = append(parts[of(r)], r)
	}
	var names []string
	mean := map[string]float64{}
	for name, part := range parts {
		names, mean[name] = append(names, name), errorsOf(asPoints(part)).Mean
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(mean[a], mean[b]), cmp.Compare(a, b)) })
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n| %s | recordings | mean error | median | kernels' part | part beside them | simulated / measured, geometric mean | beside kernels | from | to |\n|---|---|---|---|---|---|---|---|---|---|\n", head)
	line := func(name string, part []recording) {
		e := errorsOf(asPoints(part))
		kernels, beside, ratio := shares(part)
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.2f | %.2f | %.2f | %.2f |\n", name, e.N, percent(e.Mean), percent(e.Median), percent(kernels), percent(beside), e.Bias, ratio, e.Least, e.Most)
	}
	for _, name := range names {
		line(name, parts[name])
	}
	line("all", list)
	return b.String() + "\n"
}

// algorithms adds the errors of algorithm times, each recording with the host of its record.
func algorithms(root string, all, points []*Point, simulated *comparison.TimeTable, f map[string]string) error {
	list := recordings(points)
	if len(list) == 0 {
		return fmt.Errorf("results/simulated/times.json has none of the recorded algorithm times")
	}
	summary("algorithm", errorsOf(asPoints(list)), f)
	summary("algorithm.same-loop", errorsOf(asPoints(slices.DeleteFunc(slices.Clone(list), func(r recording) bool { return r.Scheduler == changedLoop }))), f)
	agree, disagree := 0, 0
	var hosts strings.Builder
	hosts.WriteString("\n\n| record | a launch with an answer, us | first launch of a kernel, in addition, us | first launch of a run, in addition, us | by | recordings | mean error | kernels' part | part beside them | beside kernels, simulated / measured |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for i, file := range RepeatedFiles {
		var of []recording
		for _, r := range list {
			if r.Record == i {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			continue
		}
		o := orders(asPoints(of))
		agree, disagree = agree+o.Agree, disagree+o.Disagree
		record, err := repeatedAt(root, file)
		if err != nil {
			return err
		}
		var each, first, cold []float64
		var why error
		seen := map[string]bool{}
		for _, r := range of {
			h, err := HostOf(record, r.Graph, simulated)
			if err != nil {
				return err
			}
			if why = h.Why; why != nil || seen[r.Graph] {
				continue
			}
			seen[r.Graph] = true
			each, first, cold = append(each, h.Of.Each), append(first, h.Of.First), append(cold, h.Of.Cold)
		}
		between := func(list []float64) string {
			if len(list) == 0 {
				return ""
			}
			return fmt.Sprintf("%.1f to %.1f", slices.Min(list), slices.Max(list))
		}
		by := "the record's rows on other graphs"
		if why != nil {
			by = "the preset: " + why.Error()
		}
		kernels, beside, ratio := shares(of)
		fmt.Fprintf(&hosts, "| [%s](../%s) | %s | %s | %s | %s | %d | %s | %s | %s | %.2f |\n", strings.TrimPrefix(path.Dir(file), "results/"), strings.TrimPrefix(file, "results/"), between(each), between(first), between(cold), by, len(of),
			percent(errorsOf(asPoints(of)).Mean), percent(kernels), percent(beside), ratio)
	}
	f["algorithm.hosts"] = hosts.String() + "\n"
	f["algorithm.same"], f["algorithm.pairs"] = format.Thousands(agree), format.Thousands(agree+disagree)
	f["algorithm.by-scheme"] = split("scheme", list, func(r recording) string { return r.Scheduler })
	f["algorithm.by-graph"] = split("graph", list, func(r recording) string { return r.Graph })
	kernels, beside, ratio := shares(list)
	f["algorithm.kernels"], f["algorithm.beside"], f["algorithm.beside-ratio"] = percent(kernels), percent(beside), fmt.Sprintf("%.2f", ratio)
	r := repeated(solvedTwice(all))
	f["algorithm.repeated.points"], f["algorithm.repeated.mean"] = format.Thousands(r.N), percent(r.Mean)
	return nil
}
