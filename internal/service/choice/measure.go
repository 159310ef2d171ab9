package choice

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/results"
)

// Cell compares the choice for an algorithm on a graph with the record. Times are in seconds, of one and the same kind.
type Cell struct {
	Algorithm string            `json:"algorithm"`
	Graph     string            `json:"graph"`
	Rule      int               `json:"rule"`
	Scheme    string            `json:"chosen"`
	Params    map[string]string `json:"parameters,omitempty"`
	// Time is "algorithm" (from the first launch until the host has the answer) or, in records that lack it, "kernels".
	Time    string  `json:"time"`
	Seconds float64 `json:"seconds,omitempty"` // of the choice; 0 if it was not recorded
	// Best is the fastest recorded scheme, with its parameters and its time.
	Best        string            `json:"best"`
	BestParams  map[string]string `json:"best_parameters,omitempty"`
	BestSeconds float64           `json:"best_seconds"`
	// Ratio is Seconds divided by BestSeconds; 0 if the choice was not recorded.
	Ratio float64 `json:"ratio,omitempty"`
}

// Comparison compares the choices with a record.
type Comparison struct {
	Cells []Cell `json:"cells"`
	// Recorded is the number of cells whose choice was recorded, and Unrecorded that of the others. Mean is the geometric
	// mean of the ratios of the former, and Worst the index of the largest; -1 if there are none.
	Recorded   int     `json:"recorded"`
	Unrecorded int     `json:"not_recorded"`
	Mean       float64 `json:"geometric_mean"`
	Worst      int     `json:"worst"`
	// Unknown is the number of recorded pairs of an algorithm and a graph that are no cell, because no record has the facts
	// of the graph.
	Unknown int `json:"without_facts,omitempty"`
}

// Records returns the records of a GPU with the facts of their graphs, those of repeated runs first. Of the built-in ones, these are
// the runs beside other systems, the separate record of algorithm times, and that of most graphs.
func Records(from *results.Records, gpu string) ([]*results.Hardware, error) {
	all := from.All(gpu)
	if from.Folder == "" {
		names := []string{"peers/" + gpu + ".json", "hw/" + gpu + "/algorithm-time", "hw/" + gpu}
		all = slices.DeleteFunc(all, func(r *results.Record) bool { return !slices.Contains(names, r.Name) })
		slices.SortFunc(all, func(a, b *results.Record) int {
			return cmp.Compare(slices.Index(names, a.Name), slices.Index(names, b.Name))
		})
	}
	var repeated, others []*results.Hardware
	for _, r := range all {
		f, err := r.Repeats()
		if err != nil {
			return nil, err
		}
		if f != nil {
			repeated = append(repeated, timed(f))
			continue
		}
		h, err := r.Hardware()
		if err != nil {
			return nil, err
		}
		others = append(others, h)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w of GPU %q", results.ErrNoRecord, gpu)
	}
	return append(repeated, others...), nil
}

// timed returns the rows of a record of repeated runs. Their algorithm time is that until the answer is complete in device
// memory.
func timed(f *results.Repeated) *results.Hardware {
	h := &results.Hardware{Graphs: f.Graphs}
	for i := range f.Rows {
		row := &f.Rows[i]
		r := results.Run{Algorithm: row.Algorithm, Scheduler: row.Scheduler, Graph: row.Graph, Verified: row.Checked != results.Unchecked, Error: row.Error,
			Kernels: results.NewTiming(row.KernelSeconds), Whole: results.NewTiming(row.Seconds)}
		if params := row.Values(); len(params) > 0 {
			r.Params = params
		}
		if scheme, params, ok := row.Choice(); ok {
			r.Scheduler, r.Params = scheme, params
		}
		h.Runs = append(h.Runs, r)
	}
	return h
}

// Compare compares the choices with records: for each algorithm and graph with those of the first record that has the
// pair, by algorithm time if all runs have it. choose returns the choice for an algorithm on a graph. Runs that failed or
// gave a wrong answer do not count, and neither do those of graphs whose facts no record has.
func Compare(records []*results.Hardware, choose func(algorithm string, g results.Graph) (*Choice, error)) (*Comparison, error) {
	facts := map[string]results.Graph{}
	for _, h := range records {
		for _, g := range h.Graphs {
			facts[g.Name] = g
		}
	}
	type pair struct{ algorithm, graph string }
	c := &Comparison{Worst: -1}
	seen := map[pair]bool{}
	for _, h := range records {
		runs := map[pair][]results.Run{}
		var order []pair
		for _, r := range h.Runs {
			p := pair{r.Algorithm, r.Graph}
			if r.Error != "" || !r.Verified || seen[p] {
				continue
			}
			if runs[p] == nil {
				order = append(order, p)
			}
			runs[p] = append(runs[p], r)
		}
		for _, p := range order {
			seen[p] = true
			g, ok := facts[p.graph]
			if !ok {
				c.Unknown++
				continue
			}
			chosen, err := choose(p.algorithm, g)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", p.algorithm, p.graph, err)
			}
			c.Cells = append(c.Cells, cell(p.algorithm, p.graph, chosen, runs[p]))
		}
	}
	slices.SortStableFunc(c.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Algorithm, b.Algorithm), cmp.Compare(a.Graph, b.Graph))
	})
	c.summarize()
	return c, nil
}

// cell compares one choice with the runs of its algorithm on its graph.
func cell(algorithm, graph string, chosen *Choice, runs []results.Run) Cell {
	c := Cell{Algorithm: algorithm, Graph: graph, Rule: chosen.Rule, Scheme: chosen.Scheme, Params: chosen.Params, Time: "algorithm"}
	seconds := func(r results.Run) float64 { return r.Whole.Median }
	if slices.ContainsFunc(runs, func(r results.Run) bool { return r.Whole.Runs == 0 }) {
		c.Time, seconds = "kernels", func(r results.Run) float64 { return r.Kernels.Median }
	}
	for _, r := range runs {
		if s := seconds(r); c.Best == "" || s < c.BestSeconds {
			c.Best, c.BestParams, c.BestSeconds = r.Scheduler, r.Params, s
		}
		if r.Scheduler == c.Scheme && maps.Equal(r.Params, c.Params) {
			c.Seconds = seconds(r)
		}
	}
	if c.Seconds > 0 {
		c.Ratio = c.Seconds / c.BestSeconds
	}
	return c
}

// summarize computes the numbers over all cells.
func (c *Comparison) summarize() {
	logs := 0.0
	for i, x := range c.Cells {
		if x.Ratio == 0 {
			c.Unrecorded++
			continue
		}
		c.Recorded++
		logs += math.Log(x.Ratio)
		if c.Worst < 0 || x.Ratio > c.Cells[c.Worst].Ratio {
			c.Worst = i
		}
	}
	if c.Recorded > 0 {
		c.Mean = math.Exp(logs / float64(c.Recorded))
	}
}

// String returns the summary as a sentence or two.
func (c Comparison) String() string {
	text := "no choice was recorded"
	if c.Worst >= 0 {
		w := c.Cells[c.Worst]
		text = fmt.Sprintf("%d choices: %.2f times the best in the geometric mean, at worst %.2f (%s on %s)", c.Recorded, c.Mean, w.Ratio, w.Algorithm, w.Graph)
	}
	if c.Unrecorded > 0 {
		text += fmt.Sprintf("; %d more without a record", c.Unrecorded)
	}
	if c.Unknown > 0 {
		text += fmt.Sprintf("; %d on graphs of which the record has no facts", c.Unknown)
	}
	return text
}

// ShapeOf returns the shape of a recorded graph, or that of its symmetric closure.
func ShapeOf(g results.Graph, closure bool) graph.Shape {
	if closure && g.Closure != nil {
		return *g.Closure
	}
	return g.Shape
}
