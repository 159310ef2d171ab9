// Command threads summarises reports of `weft bench sim --against-threads N --json`: of each run, over the graphs of all reports, how
// much faster the other number of threads is, and whether all output is equal. It writes a table of comma-separated values.
package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/weft-gpu/weft/internal/measure/bench"
)

func main() {
	if err := summarise(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "threads:", err)
		os.Exit(1)
	}
}

// of holds what all graphs say of a run.
type of struct {
	faster []float64
	equal  int
}

// summarise reads reports and writes the table.
func summarise(to io.Writer, files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("name the reports in JSON, of weft bench sim with several numbers of threads")
	}
	var order []string
	runs := map[string]*of{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var r bench.SimReport
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for i := range r.Runs {
			s := &r.Runs[i]
			if s.Against == nil {
				continue
			}
			name := s.Title()
			if runs[name] == nil {
				runs[name] = &of{}
				order = append(order, name)
			}
			runs[name].faster = append(runs[name].faster, s.Against.Faster)
			if s.Against.Equal {
				runs[name].equal++
			}
		}
	}
	out := csv.NewWriter(to)
	out.Write([]string{"run", "graphs", "faster, median", "least", "most", "equal output"}) // Flush has the error
	for _, name := range order {
		r := runs[name]
		n := len(r.faster)
		ratio := func(x float64) string { return fmt.Sprintf("%.2f", x) }
		out.Write([]string{name, fmt.Sprint(n), ratio(bench.Median(r.faster)), ratio(slices.Min(r.faster)), ratio(slices.Max(r.faster)), fmt.Sprintf("%d of %d", r.equal, n)})
	}
	out.Flush()
	return out.Error()
}
