package peers

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/results"
)

// trials are those of a system on a graph in one run.
type trials struct {
	ms    []float64
	wrong int
}

// median returns the median time in ms.
func (c *trials) median() float64 { return results.SpreadOf(c.ms).Median }

// place names a cell.
type place struct{ problem, graph, system, run string }

// Our system, and how the row of the timer of another system itself is named, which leaves out what our solve time covers.
const (
	ours     = "weft"
	ownTimer = " (own timer)"
)

// laterRuns are runs of ours that have no other system beside them, the latest first; see now.
var laterRuns = []string{"run8", "run7", "run6", "run5"}

// now returns the times of ours in the latest run that has the problem; nil if none of the later runs has.
func now(cells map[place]*trials, problem, graph string) *trials {
	for _, run := range laterRuns {
		if c := cells[place{problem, graph, ours + " (" + run + ")", run}]; c != nil {
			return c
		}
	}
	return nil
}

// uncounted are problems whose times are of different work: PageRanks that stop at different errors.
var uncounted = map[string]bool{"pagerank": true}

// titles are the problems in the order of the page.
var titles = []struct{ problem, title string }{
	{"bfs", "BFS"}, {"sssp", "SSSP"}, {"cc", "Connected components"}, {"pagerank", "PageRank"}, {"bc", "Betweenness"}, {"tc", "Triangles"}, {"scc", "Strongly connected components"},
}

// Starts reads a compressed file of comma-separated values with a time for each trial of ours and of other systems, and writes a page of their medians.
// Ours is compared with each other system in the run of that, or in a run of ours on the same graph if that has none. Starts returns in how many
// of the counted cells ours is faster than every other system whose answers are right: in the runs beside these systems (won), and with later runs of ours (latest), beside which
// no other system ran.
func Starts(to io.Writer, file string) (won, latest, counted int, err error) {
	cells, graphs, err := readTrials(file)
	if err != nil {
		return 0, 0, 0, err
	}
	ratios := map[string][]float64{}
	var page strings.Builder
	for _, t := range titles {
		others := systemsOf(cells, t.problem)
		fmt.Fprintf(&page, "\n## %s\n\n| graph | %s | %s | ratio |\n|---|---|%s---|\n", t.title, ours, strings.Join(others, " | "), strings.Repeat("---|", len(others)))
		for _, g := range graphs[t.problem] {
			mine, worst, least := cells[find(cells, t.problem, g, ours, "run2")], 0.0, math.Inf(1)
			line := fmt.Sprintf("| %s | %s |", g, number(mine.median()))
			for _, other := range others {
				at := find(cells, t.problem, g, other, "run2")
				c := cells[at]
				switch {
				case c == nil:
					line += " |"
					continue
				case c.wrong > 0:
					line += fmt.Sprintf(" %s, %d of %d wrong |", number(c.median()), c.wrong, len(c.ms))
					continue
				}
				line += " " + number(c.median()) + " |"
				if strings.HasPrefix(other, ours) || strings.HasSuffix(other, ownTimer) {
					continue
				}
				ratio := cells[find(cells, t.problem, g, ours, at.run)].median() / c.median()
				worst, least = max(worst, ratio), min(least, c.median())
				if !uncounted[t.problem] {
					key := t.title + " beside " + other
					ratios[key] = append(ratios[key], ratio)
				}
			}
			if worst == 0 || uncounted[t.problem] {
				fmt.Fprintf(&page, "%s |\n", line)
				continue
			}
			counted++
			if worst < 1 {
				won++
			}
			if c := now(cells, t.problem, g); c != nil && c.median() < least || c == nil && worst < 1 {
				latest++
			}
			fmt.Fprintf(&page, "%s %.2f |\n", line, worst)
		}
	}
	fmt.Fprintf(to, "Ours is faster than the fastest other system with right answers in %d of %d cells, and in %d with those of our latest run that has the problem. Time of ours divided by that of each other in the same run, geometric mean of the graphs:\n\n| | ratio | graphs |\n|---|---|---|\n", won, counted, latest)
	for _, key := range slices.Sorted(maps.Keys(ratios)) {
		sum := 0.0
		for _, x := range ratios[key] {
			sum += math.Log(x)
		}
		fmt.Fprintf(to, "| %s | %.2f | %d |\n", key, math.Exp(sum/float64(len(ratios[key]))), len(ratios[key]))
	}
	_, err = io.WriteString(to, page.String())
	return won, latest, counted, err
}

// readTrials returns the cells, and the graphs of each problem in the order of the file.
func readTrials(file string) (cells map[place]*trials, graphs map[string][]string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	rows := csv.NewReader(packed)
	if _, err = rows.Read(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	cells, graphs = map[place]*trials{}, map[string][]string{}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return cells, graphs, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		time, err := strconv.ParseFloat(row[8], 64)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		at := place{problem: row[3], graph: row[4], system: row[1], run: row[0]}
		if cells[at] == nil {
			cells[at] = &trials{}
		}
		c := cells[at]
		c.ms = append(c.ms, time)
		if row[10] == "wrong" {
			c.wrong++
		}
		if !slices.Contains(graphs[at.problem], at.graph) {
			graphs[at.problem] = append(graphs[at.problem], at.graph)
		}
	}
}

// systemsOf returns the systems beside ours of which there are times for a problem, without runs that checked answers and candidates that were tried
// on some graphs.
func systemsOf(cells map[place]*trials, problem string) (list []string) {
	for at := range cells {
		if at.problem == problem && at.system != ours && !strings.Contains(at.system, "verified") && !strings.Contains(at.system, "candidate") && !slices.Contains(list, at.system) {
			list = append(list, at.system)
		}
	}
	slices.Sort(list)
	return list
}

// find returns the place of a system's cell in the wanted run, or else in the first other one that has it.
func find(cells map[place]*trials, problem, graph, system, run string) place {
	for _, r := range append([]string{run, "run2", "run3", "run1"}, laterRuns...) {
		if at := (place{problem, graph, system, r}); cells[at] != nil {
			return at
		}
	}
	return place{}
}
