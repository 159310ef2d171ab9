package programs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/service/cuda"
)

// Run is a run of a program on a device: what a comparison needs of a cuda.Result.
type Run struct {
	Device  string            `json:"device"`
	Program string            `json:"program"`
	Args    []string          `json:"arguments,omitempty"`
	Status  int               `json:"status"`
	Error   any               `json:"error,omitempty"`
	Times   []cuda.KernelTime `json:"kernel_times"`
	Costs   []cuda.LaunchCost `json:"launch_costs,omitempty"`
}

// name identifies a program on all machines.
func (r *Run) name() string {
	return strings.Join(append([]string{filepath.Base(r.Program)}, r.Args...), " ")
}

// Read reads the runs of a file, which has one or more JSON objects one after the other. Names of kernels as compilers mangle them, which earlier versions wrote, become those of today.
func Read(path string) (runs []*Run, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for d := json.NewDecoder(f); ; {
		r := &Run{}
		switch err := d.Decode(r); {
		case errors.Is(err, io.EOF):
			if len(runs) == 0 {
				return nil, fmt.Errorf("%s has no run of a CUDA program", path)
			}
			return runs, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case r.Program == "" || r.Device == "":
			return nil, fmt.Errorf("%s was not written by weft cuda run: object %d has no program or no device", path, len(runs)+1)
		}
		for i := range r.Times {
			r.Times[i].Kernel = readptx.Instance(r.Times[i].Kernel)
		}
		runs = append(runs, r)
	}
}

// Write writes runs as Read reads them, one on each line, without what no comparison needs. A run that failed is an error: it would have times of a part.
func Write(w io.Writer, runs []*Run) error {
	for _, r := range runs {
		if r.bad() != "" {
			return fmt.Errorf("%s failed%s", r.name(), r.bad())
		}
		kept := *r
		kept.Program = filepath.Base(r.Program)
		if err := format.JSONLine(w, kept); err != nil {
			return err
		}
	}
	return nil
}

// Row is a kernel of a program, launched in one shape, on both devices. A and B are seconds of one launch in the mean.
type Row struct {
	Program   string       `json:"program"`
	Kernel    string       `json:"kernel"`
	Grid      [3]int       `json:"grid"`
	Block     [3]int       `json:"block"`
	Shared    int          `json:"dynamic_shared_bytes,omitempty"`
	LaunchesA int          `json:"launches_a"`
	LaunchesB int          `json:"launches_b"`
	A         float64      `json:"a"`
	B         float64      `json:"b"`
	Error     compare.Part `json:"error"`
	// Launch is by how many seconds a launch of an empty kernel takes longer in the process of B than in that of A, and LaunchError the
	// error of A with them; nil if one of the two has no such launches.
	Launch      *float64      `json:"launch,omitempty"`
	LaunchError *compare.Part `json:"error_with_launch,omitempty"`
}

// WithLaunch returns A with the launch cost of B.
func (r *Row) WithLaunch() float64 { return r.A + *r.Launch }

// Comparison is that of all programs that both files have.
type Comparison struct {
	A        string          `json:"a"` // devices
	B        string          `json:"b"`
	Rows     []Row           `json:"rows"`
	Kernels  compare.Summary `json:"kernels"`  // over the rows
	Longer   compare.Summary `json:"longer"`   // over the rows of launches that take B at least Long
	Programs compare.Summary `json:"programs"` // over programs, the times of all their kernels
	// Those of kernels again, with the launch cost of B in A's times, over the rows that have it.
	KernelsWithLaunch *compare.Summary `json:"kernels_with_launch,omitempty"`
	LongerWithLaunch  *compare.Summary `json:"longer_with_launch,omitempty"`
	Only              []string         `json:"only_in_one,omitempty"`
	Failed            []string         `json:"failed,omitempty"` // programs that did not end well on a device
}

// Repeated returns the rows of kernels that were launched in one shape twice or more: those of one block that warm up are left out.
func (c *Comparison) Repeated() (rows []Row) {
	for _, row := range c.Rows {
		if row.LaunchesA >= 2 {
			rows = append(rows, row)
		}
	}
	return rows
}

// Long is from when on a launch counts as one that takes more than its start and end, in seconds.
const Long = 10e-6

// Compare compares the kernels of the programs that are in both. A program that is there several times counts with its last run.
func Compare(as, bs []*Run) *Comparison {
	c := &Comparison{A: as[0].Device, B: bs[0].Device}
	other := map[string]*Run{}
	for _, r := range bs {
		other[r.name()] = r
	}
	mine := map[string]*Run{}
	var order []string
	for _, r := range as {
		if mine[r.name()] == nil {
			order = append(order, r.name())
		}
		mine[r.name()] = r
	}
	var kernels, longer, programs, kernelsToo, longerToo [][2]float64
	for _, name := range order {
		a, b := mine[name], other[name]
		switch {
		case b == nil:
			c.Only = append(c.Only, name+" (on "+a.Device+")")
			continue
		case a.bad() != "" || b.bad() != "":
			c.Failed = append(c.Failed, name+a.bad()+b.bad())
			continue
		}
		var sum [2]float64
		launch := launchDifference(a, b)
		for _, x := range a.Times {
			y := b.like(&x)
			if y == nil || x.Launches == 0 || y.Launches == 0 {
				c.Only = append(c.Only, fmt.Sprintf("%s: %s %s (on %s)", name, x.Kernel, shape(x.Grid, x.Block), a.Device))
				continue
			}
			row := Row{Program: name, Kernel: x.Kernel, Grid: x.Grid, Block: x.Block, Shared: x.Shared, LaunchesA: x.Launches, LaunchesB: y.Launches,
				A: x.Seconds / float64(x.Launches), B: y.Seconds / float64(y.Launches)}
			row.Error = compare.Part(compare.Error(row.A, row.B))
			pair := [2]float64{row.A, row.B}
			kernels = append(kernels, pair)
			if row.B >= Long {
				longer = append(longer, pair)
			}
			if launch != nil {
				row.Launch = launch
				pair[0] = row.WithLaunch()
				e := compare.Part(compare.Error(pair[0], row.B))
				row.LaunchError = &e
				kernelsToo = append(kernelsToo, pair)
				if row.B >= Long {
					longerToo = append(longerToo, pair)
				}
			}
			c.Rows = append(c.Rows, row)
			sum[0] += x.Seconds
			sum[1] += y.Seconds
		}
		programs = append(programs, sum)
	}
	for _, r := range bs {
		if mine[r.name()] == nil {
			c.Only = append(c.Only, r.name()+" (on "+r.Device+")")
		}
	}
	c.Kernels, c.Longer, c.Programs = compare.Summarize(kernels), compare.Summarize(longer), compare.Summarize(programs)
	if len(kernelsToo) > 0 {
		k, l := compare.Summarize(kernelsToo), compare.Summarize(longerToo)
		c.KernelsWithLaunch, c.LongerWithLaunch = &k, &l
	}
	return c
}

// bad says that a run did not end well; "" if it did.
func (r *Run) bad() string {
	if r.Status == 0 && r.Error == nil {
		return ""
	}
	return fmt.Sprintf(" (exit code %d on %s)", r.Status, r.Device)
}

// like returns the launches of the same kernel in the same shape; nil if there are none.
func (r *Run) like(k *cuda.KernelTime) *cuda.KernelTime {
	for i := range r.Times {
		if t := &r.Times[i]; t.Kernel == k.Kernel && t.Grid == k.Grid && t.Block == k.Block && t.Shared == k.Shared {
			return t
		}
	}
	return nil
}

// shape returns a grid and a block as text: "4x1x1 of 256x1x1".
func shape(grid, block [3]int) string { return extents(grid) + " of " + extents(block) }

func extents(n [3]int) string {
	switch {
	case n[2] > 1:
		return fmt.Sprintf("%dx%dx%d", n[0], n[1], n[2])
	case n[1] > 1:
		return fmt.Sprintf("%dx%d", n[0], n[1])
	}
	return fmt.Sprint(n[0])
}

// Print prints the comparison as text.
func (c *Comparison) Print(w io.Writer) {
	rows, columns := [][]string{{"program", "kernel", "blocks of threads", "launches", c.A, c.B, "error"}}, "lllrrrr"
	if c.KernelsWithLaunch != nil {
		rows[0], columns = append(rows[0], "with launch cost"), columns+"r"
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		launches := format.Thousands(r.LaunchesA)
		if r.LaunchesA != r.LaunchesB {
			launches += ", " + format.Thousands(r.LaunchesB)
		}
		row := []string{r.Program, r.Kernel, shape(r.Grid, r.Block), launches, format.Seconds(r.A), format.Seconds(r.B), percent(float64(r.Error))}
		if r.LaunchError != nil {
			row = append(row, percent(float64(*r.LaunchError)))
		}
		rows = append(rows, row)
	}
	format.Table(w, "", columns, rows)
	fmt.Fprintln(w)
	summaries := [][]string{
		{"", "compared", "mean error", "median", "worst factor"},
		summary("kernels, a launch in the mean", c.Kernels),
		summary("those of 10 us or more on "+c.B, c.Longer),
		summary("programs, all their kernels", c.Programs),
	}
	if c.KernelsWithLaunch != nil {
		summaries = append(summaries, summary("kernels, with the launch cost of "+c.B, *c.KernelsWithLaunch), summary("those of 10 us or more", *c.LongerWithLaunch))
	}
	format.Table(w, "", "lrrrr", summaries)
	for _, list := range []struct {
		what  string
		names []string
	}{{"not compared, since it is in one file only", c.Only}, {"not compared, since it failed", c.Failed}} {
		for _, name := range list.names {
			fmt.Fprintf(w, "%s: %s\n", list.what, name)
		}
	}
}

func percent(e float64) string {
	if math.IsNaN(e) || math.IsInf(e, 0) {
		return ""
	}
	return fmt.Sprintf("%+.1f%%", 100*e)
}

func summary(what string, s compare.Summary) []string {
	if s.N == 0 {
		return []string{what, "0", "", "", ""}
	}
	return []string{what, format.Thousands(s.N), fmt.Sprintf("%.1f%%", 100*s.Mean), fmt.Sprintf("%.1f%%", 100*s.Median), fmt.Sprintf("x%.2f", s.Worst)}
}
