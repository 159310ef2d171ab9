package roots

import (
	"archive/tar"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// report is what is read of a report; see docs/protocol.md. Times are in seconds.
type report struct {
	Algorithm string
	Scheduler string
	Graph     struct {
		Name           string
		Vertices, Arcs int
	}
	Trials  []struct{}
	Answers struct{ Verified, Wrong, Incomplete int }
	Kernel  spread `json:"kernel_seconds"`
	Solve   spread `json:"solve_seconds"`
	TEPS    *struct {
		Harmonic float64 `json:"harmonic_mean"` // edges per second
	} `json:"teps"`
}

// spread is how a quantity is distributed over the trials.
type spread struct {
	Min    float64
	First  float64 `json:"first_quartile"`
	Median float64
	Third  float64 `json:"third_quartile"`
	Max    float64
}

// Table reads a compressed archive (.tar.gz) of reports, and writes a table of comma-separated values, in the order of the archive. A
// report without a whole trial has no row.
func Table(to io.Writer, archive string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	out := csv.NewWriter(to)
	out.Write([]string{"algorithm", "graph", "vertices", "arcs", "scheme", "trials", "right answers", "solve time, us: least", "first quartile", "median", "third quartile", "most",
		"kernel time, us: median", "outside kernels, us", "billion edges/s, harmonic mean"}) // Flush has the error
	for files := tar.NewReader(packed); ; {
		entry, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
		var r report
		if err := json.NewDecoder(files).Decode(&r); err != nil {
			return fmt.Errorf("%s: %s: %w", archive, entry.Name, err)
		}
		if whole := len(r.Trials) - r.Answers.Incomplete; whole > 0 {
			out.Write(r.row(whole))
		}
	}
	out.Flush()
	return out.Error()
}

// row returns the row of a report with a number of whole trials.
func (r *report) row(trials int) []string {
	us := func(seconds float64) string { return fmt.Sprintf("%.0f", seconds*1e6) }
	row := []string{r.Algorithm, r.Graph.Name, fmt.Sprint(r.Graph.Vertices), fmt.Sprint(r.Graph.Arcs), r.Scheduler, fmt.Sprint(trials), fmt.Sprint(r.Answers.Verified),
		us(r.Solve.Min), us(r.Solve.First), us(r.Solve.Median), us(r.Solve.Third), us(r.Solve.Max), us(r.Kernel.Median), us(r.Solve.Median - r.Kernel.Median)}
	if r.TEPS == nil {
		return append(row, "")
	}
	return append(row, fmt.Sprintf("%.2f", r.TEPS.Harmonic/1e9))
}
