package comparison

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/results"
)

// Point is a recorded run, and the record that has it.
type Point struct {
	Record string            `json:"record"`
	Date   string            `json:"date"`
	Graph  string            `json:"graph"`
	Params map[string]string `json:"parameters,omitempty"`
	Runs   int               `json:"timed_runs"`
	Kernel float64           `json:"kernel_seconds"`              // median
	Whole  float64           `json:"algorithm_seconds,omitempty"` // median; 0 if it was not recorded
	run    *results.Run
}

// recorded are the runs of all records of a GPU, by algorithm and scheme, in the order of the records.
type recorded map[pair][]Point

// readRecorded reads the runs of a GPU.
func readRecorded(records *results.Records, gpu string) (recorded, error) {
	all := recorded{}
	for _, x := range records.All(gpu) {
		h, err := x.Hardware()
		if err != nil {
			return nil, fmt.Errorf("record %s of %s: %w", x.Name, records.Where(), err)
		}
		for i := range h.Runs {
			r := &h.Runs[i]
			p := pair{r.Algorithm, r.Scheduler}
			all[p] = append(all[p], Point{Record: x.Name, Date: x.Meta.Date, Graph: r.Graph, Params: r.Params, Runs: r.Kernels.Runs, Kernel: r.Kernels.Median, Whole: r.Whole.Median, run: r})
		}
	}
	return all, nil
}

// pair is an algorithm with a scheme.
type pair struct{ algorithm, scheduler string }

// find returns the runs of an entry with parameters on a graph, the best first: one with counters, then one with an algorithm time, then
// that with most timed runs, then the newest. Runs that failed come last.
func (r recorded) find(e catalog.Entry, params catalog.Parameters, g *graph.CSR, source uint32) []Point {
	var list []Point
	for _, p := range r[pair{e.Algorithm.Name, e.Scheduler.Name}] {
		if p.run.On(g.Vertices(), g.Arcs(), source) && sameParameters(e, params, p.Params) {
			list = append(list, p)
		}
	}
	better := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b Point) int {
		return cmp.Or(better(a.run.Error == "", b.run.Error == ""), better(a.run.Total() != nil, b.run.Total() != nil), better(a.Whole > 0, b.Whole > 0),
			cmp.Compare(b.Runs, a.Runs), strings.Compare(b.Date, a.Date))
	})
	return list
}

// sameParameters reports whether recorded parameters are those of a run: what a record does not name has its default.
func sameParameters(e catalog.Entry, params catalog.Parameters, written map[string]string) bool {
	e.Chosen = nil // whose parameters would be the defaults
	then, err := e.Parameters(written)
	if err != nil { // the scheme no longer has them
		return false
	}
	return maps.Equal(then.Algorithm, params.Algorithm) && maps.Equal(run.NotDefault(e.Scheduler, then.Scheduler), run.NotDefault(e.Scheduler, params.Scheduler))
}

// String returns "pairs/h200.json: bfs on karate with block=64, 1 timed run, kernels 0.0123 ms".
func (p Point) String() string {
	text := fmt.Sprintf("%s: %s", p.Record, p.Graph)
	if len(p.Params) > 0 {
		text += " with " + format.Assignments(p.Params)
	}
	if p.run.Error != "" {
		return text + ", failed: " + p.run.Error
	}
	text += fmt.Sprintf(", %s, kernels %s ms", timedRuns(p.Runs), milliseconds(p.Kernel))
	if p.Whole > 0 {
		text += fmt.Sprintf(", algorithm %s ms", milliseconds(p.Whole))
	}
	return text
}

// recordSide finds the record of the same run. It names the other records that have it, too.
func recordSide(q Request, c *Comparison, e catalog.Entry, params catalog.Parameters, g *graph.CSR, source uint32) (compare.Side, error) {
	all, err := readRecorded(q.Records, q.GPU)
	if err != nil {
		return compare.Side{}, err
	}
	list := all.find(e, params, g, source)
	if len(list) == 0 {
		return compare.Side{}, all.lacks(q, g, source)
	}
	best := list[0]
	if best.run.Error != "" {
		return compare.Side{}, fmt.Errorf("%s by %s on %s failed when the %s was recorded: %s", q.Algorithm, q.Scheduler, best.Graph, q.GPU, best.run.Error)
	}
	if !strings.HasPrefix(best.Graph, g.Name) {
		c.Notes = append(c.Notes, fmt.Sprintf("the record is of %s, which has as many vertices and arcs as %s", best.Graph, g.Name))
	}
	c.Record, c.OtherRecords = &best, list[1:]
	return compare.FromRecord(q.GPU, best.run), nil
}

// lacks says that no record has a run, and what the records have that is nearest to it.
func (r recorded) lacks(q Request, g *graph.CSR, source uint32) error {
	what := fmt.Sprintf("%s by %s", q.Algorithm, q.Scheduler)
	of := r[pair{q.Algorithm, q.Scheduler}]
	of = slices.DeleteFunc(slices.Clone(of), func(p Point) bool { return p.run.Error != "" })
	choose := fmt.Sprintf("choose a device by %s, such as %s", option.With, option.With.With("func").In(usage.CommandLine))
	if len(of) == 0 {
		var schemes []string
		for p := range r {
			if p.algorithm == q.Algorithm {
				schemes = append(schemes, p.scheduler)
			}
		}
		slices.Sort(schemes)
		if len(schemes) > 0 {
			choose = fmt.Sprintf("%s is recorded by %s; or %s", q.Algorithm, strings.Join(schemes, ", "), choose)
		}
		return usage.Errorf(choose, "the %s has no record of %s on any graph", q.GPU, what)
	}
	var here, graphs grouped // what was recorded on this graph, and on which graphs this was recorded
	for _, p := range of {
		with := format.Assignments(p.Params)
		if p.run.On(g.Vertices(), g.Arcs(), source) {
			here.add(cmp.Or(with, "the defaults"), p.Record)
		}
		name := strings.TrimSuffix(p.Graph, ".gz")
		if ext := path.Ext(name); slices.Contains([]string{".mtx", ".txt", ".gr", ".graph"}, ext) { // as other records call it
			name = strings.TrimSuffix(name, ext)
		}
		if with != "" {
			name += " with " + with
		}
		graphs.add(name, p.Record)
	}
	if len(here.names) > 0 {
		with := cmp.Or(format.Assignments(q.Params), "the defaults")
		return usage.Errorf(fmt.Sprintf("recorded there with: %s; or %s", here, choose), "the %s has no record of %s with %s on %s", q.GPU, what, with, g.Name)
	}
	return usage.Errorf(fmt.Sprintf("recorded on the %s: %s on %s, from the source of largest degree", q.GPU, what, graphs),
		"no record of %s on %s from vertex %d", what, g.Name, g.FileID(source))
}

// timedRuns returns "1 timed run", "5 timed runs".
func timedRuns(n int) string {
	if n == 1 {
		return "1 timed run"
	}
	return fmt.Sprintf("%d timed runs", n)
}

// grouped are names in their order, each with the records that have it.
type grouped struct {
	names   []string
	records map[string][]string
}

func (l *grouped) add(name, record string) {
	if l.records == nil {
		l.records = map[string][]string{}
	}
	if l.records[name] == nil {
		l.names = append(l.names, name)
	}
	if !slices.Contains(l.records[name], record) {
		l.records[name] = append(l.records[name], record)
	}
}

// mostNamed is how many names an error has of a longer list.
const mostNamed = 8

// String returns "karate (hw/h200, pairs/h200.json), wiki-Vote with block=64 (peers/h200.json)".
func (l grouped) String() string {
	var texts []string
	for i, name := range l.names {
		if i == mostNamed {
			texts = append(texts, fmt.Sprintf("and %d more", len(l.names)-i))
			break
		}
		texts = append(texts, fmt.Sprintf("%s (%s)", name, strings.Join(l.records[name], ", ")))
	}
	return strings.Join(texts, ", ")
}
