package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/spec"
)

// row is what was measured of a point.
type row struct {
	gpus, iterations float64
	kernel, seconds  float64 // in which a kernel runs on at least one GPU; of the whole algorithm
	perArc, cut      float64 // bytes sent per arc and iteration; percent
	remote, barriers float64 // bytes that passed links between GPUs, and of these for barriers
	ofGPUs, ofGrid   float64 // percent of the cycles of warps
}

// columns are those of the file, after the key.
var columns = []struct {
	name string
	of   func(*row) *float64
}{
	{"gpus", func(r *row) *float64 { return &r.gpus }},
	{"iterations", func(r *row) *float64 { return &r.iterations }},
	{"kernel_seconds", func(r *row) *float64 { return &r.kernel }},
	{"algorithm_seconds", func(r *row) *float64 { return &r.seconds }},
	{"bytes_per_arc", func(r *row) *float64 { return &r.perArc }},
	{"cut_arcs", func(r *row) *float64 { return &r.cut }},
	{"remote_bytes", func(r *row) *float64 { return &r.remote }},
	{"remote_barriers", func(r *row) *float64 { return &r.barriers }},
	{"in_barrier_of_gpus", func(r *row) *float64 { return &r.ofGPUs }},
	{"in_barrier_of_grid", func(r *row) *float64 { return &r.ofGrid }},
}

// read reads the file.
func read(file string) (map[key]row, error) {
	rows := map[key]row{}
	f, err := os.Open(file)
	if err != nil {
		return rows, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return rows, err
	}
	for _, line := range lines[1:] {
		if len(line) != 3+len(columns) {
			return rows, fmt.Errorf("%s: %d columns, not %d", file, len(line), 3+len(columns))
		}
		var r row
		for i, c := range columns {
			if *c.of(&r), err = strconv.ParseFloat(line[3+i], 64); err != nil {
				return rows, fmt.Errorf("%s: %w", file, err)
			}
		}
		rows[key{line[0], line[1], line[2]}] = r
	}
	return rows, nil
}

// write writes the rows, in the order of the points.
func write(file string, points []spec.Point, rows map[key]row) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	head := []string{"algorithm", "graph", "device"}
	for _, c := range columns {
		head = append(head, c.name)
	}
	list := [][]string{head}
	for _, p := range points {
		k := keyOf(p)
		r, ok := rows[k]
		if !ok {
			continue
		}
		line := []string{k.algorithm, k.graph, k.device}
		for _, c := range columns {
			line = append(line, strconv.FormatFloat(*c.of(&r), 'g', -1, 64))
		}
		list = append(list, line)
	}
	if err := w.WriteAll(list); err != nil {
		return err
	}
	return f.Close()
}

// table is that of the page. Speed-ups are those over one GPU by the same kernel. A point without a row has not been run.
func table(points []spec.Point, rows map[key]row) string {
	var s strings.Builder
	s.WriteString("| algorithm | graph | GPUs | iterations | kernel us | speed-up | with the host us | speed-up | cut arcs | bytes per arc and iteration | bytes over links | of these barriers | warps in barriers of GPUs | of the grid |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, p := range points {
		k := keyOf(p)
		device, gpus, _ := strings.Cut(k.device, "x")
		r, ok := rows[k]
		if !ok {
			fmt.Fprintf(&s, "| %s | %s | %s | not run yet |%s\n", k.algorithm, k.graph, cmp.Or(gpus, "1"), strings.Repeat(" |", 10))
			continue
		}
		one := rows[key{k.algorithm, k.graph, device}]
		fmt.Fprintf(&s, "| %s | %s | %.0f | %.0f | %.1f | %.2f | %.0f | %.2f | %.0f%% | %.2f | %.0f | %.0f%% | %.0f%% | %.0f%% |\n", k.algorithm, k.graph, r.gpus, r.iterations, 1e6*r.kernel, one.kernel/r.kernel,
			1e6*r.seconds, one.seconds/r.seconds, r.cut, r.perArc, r.remote, 100*r.barriers/max(r.remote, 1), r.ofGPUs, r.ofGrid)
	}
	return s.String()
}

// fill replaces the table of the page, which is between two comments.
func fill(page, table string) (string, error) {
	const begin, end = "<!-- table simulated -->\n", "<!-- end of table simulated -->\n"
	before, rest, ok := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("the page has no place for the table: %s%s", begin, end)
	}
	return before + begin + "\n" + table + "\n" + end + after, nil
}
