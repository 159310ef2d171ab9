package headlines

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/results"
)

// Point is an algorithm with a scheme on a graph. Times are in seconds, of all launches
// except those that prepare the run.
type Point struct {
	Algorithm, Scheduler, Params, Graph string
	Vertices, Arcs                      int
	Recorded                            []float64 // kernel times, a median for each record that has the point
	Simulated                           float64   // kernel time; 0 if it was not simulated
	// Solved are the algorithm times, until the host knows that the answer is complete on the device; records of single runs do not have them.
	Solved []Solved
}

// key identifies a point in all records, which call graphs by different names.
func (p *Point) key() string {
	return fmt.Sprint(p.Algorithm, " ", p.Scheduler, " ", p.Params, " ", p.Vertices, " ", p.Arcs)
}

// String returns "bfs by warp on wiki-Vote".
func (p *Point) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%s by %s on %s with %s", p.Algorithm, p.Scheduler, p.Graph, p.Params), " with ")
}

// Measured returns the median of the recorded times.
func (p *Point) Measured() float64 { return median(p.Recorded) }

// Ratio returns the simulated time divided by the measured one.
func (p *Point) Ratio() float64 { return p.Simulated / p.Measured() }

// PublishedSchemes are the schemes of the systems that Weft reproduces; the others are
// its own baselines.
var PublishedSchemes = []string{"atos", "hierq", "simdx", "union-find", "vwc", "warpseg", "wolf"}

// Published reports whether the point's scheme is that of a published system.
func (p *Point) Published() bool { return slices.Contains(PublishedSchemes, p.Scheduler) }

// runFiles are the records of "weft record --parts runs" of a single H200, below the
// root of the repository, and RepeatedFiles records of repeated runs.
var (
	runFiles      = []string{"results/hw/h200/runs.json", "results/hw/h200/algorithm-time/runs.json", "results/hw/h200/all-pairs/runs.json"}
	RepeatedFiles = []string{"results/pairs/h200.json", "results/pairs/2026-11-22/h200.json", "results/pairs/own-host/h200.json", "results/peers/h200.json"}
)

// recordedAgain are schemes whose kernels are not those of older records any more: only the first of RepeatedFiles has what they take today.
var recordedAgain = []string{"union-find"}

// Points returns all points that were recorded on one H200, with their simulated times
// where results/simulated has them.
func Points(root string) (points []*Point, simulated *comparison.TimeTable, err error) {
	index := map[string]*Point{}
	at := func(p Point) *Point {
		if index[p.key()] == nil {
			index[p.key()] = &p
			points = append(points, &p)
		}
		return index[p.key()]
	}
	records := make([]*results.Repeated, len(RepeatedFiles))
	for i, file := range RepeatedFiles {
		f, err := repeatedAt(root, file)
		if err != nil {
			return nil, nil, err
		}
		records[i] = f
		for _, r := range f.Rows {
			if i > 0 && slices.Contains(recordedAgain, r.Scheduler) {
				continue
			}
			if r.Error == "" && r.Chosen == nil && len(r.KernelSeconds) > 0 { // "auto" is one of the others
				p := at(Point{Algorithm: r.Algorithm, Scheduler: r.Scheduler, Params: r.Params, Graph: r.Graph, Vertices: r.Vertices, Arcs: r.Arcs})
				p.Recorded = append(p.Recorded, median(r.KernelSeconds))
				if len(r.Seconds) > 0 {
					p.Solved = append(p.Solved, Solved{Record: i, Seconds: median(r.Seconds), Kernels: median(r.KernelSeconds)})
				}
			}
		}
	}
	for _, file := range runFiles {
		var runs []results.Run
		if err := read(filepath.Join(root, file), &runs); err != nil {
			return nil, nil, err
		}
		for _, r := range runs {
			if r.Error == "" && r.Kernels.Median > 0 && !slices.Contains(recordedAgain, r.Scheduler) {
				name, _, _ := strings.Cut(r.Graph, ".")
				p := at(Point{Algorithm: r.Algorithm, Scheduler: r.Scheduler, Params: format.Assignments(r.Params), Graph: name, Vertices: r.Vertices, Arcs: r.Arcs})
				p.Recorded = append(p.Recorded, r.Kernels.Median)
			}
		}
	}
	simulated = &comparison.TimeTable{}
	if err := read(filepath.Join(root, "results/simulated/times.json"), simulated); err != nil {
		return nil, nil, err
	}
	for _, p := range points {
		i := slices.IndexFunc(simulated.Rows, func(r compare.TimeRow) bool {
			return r.Graph == p.Graph && r.Algorithm == p.Algorithm && r.Scheduler == p.Scheduler && format.Assignments(r.Params) == p.Params
		})
		if i >= 0 {
			p.Simulated = simulated.Rows[i].KernelsA
			if err := p.solve(records, simulated, &simulated.Rows[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	slices.SortStableFunc(points, func(a, b *Point) int {
		return cmp.Or(cmp.Compare(a.Algorithm, b.Algorithm), cmp.Compare(a.Scheduler, b.Scheduler), cmp.Compare(a.Arcs, b.Arcs))
	})
	return points, simulated, nil
}

// Simulated returns the points that were simulated.
func Simulated(points []*Point) (list []*Point) {
	for _, p := range points {
		if p.Simulated > 0 {
			list = append(list, p)
		}
	}
	return list
}

var repeatedRecords sync.Map // of *results.Repeated by path

// repeatedAt reads a record of repeated runs, once.
func repeatedAt(root, file string) (*results.Repeated, error) {
	at := filepath.Join(root, file)
	if f, ok := repeatedRecords.Load(at); ok {
		return f.(*results.Repeated), nil
	}
	text, err := os.ReadFile(at)
	if err != nil {
		return nil, err
	}
	f, err := results.ReadRepeated(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	repeatedRecords.Store(at, f)
	return f, nil
}

// read reads a JSON file.
func read(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	if len(s) == 0 {
		return 0
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// distinct returns the number of different values of a property of points.
func distinct(points []*Point, of func(p *Point) string) int {
	seen := map[string]bool{}
	for _, p := range points {
		seen[of(p)] = true
	}
	return len(slices.Collect(maps.Keys(seen)))
}
