package programs

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/sim/config"
)

var update = flag.Bool("update", false, "write the figures of results/cuda/README.md")

const folder = "../../../results/"

// beyond are the programs whose kernels do on the recorded GPU what a simulated one has no part for.
var beyond = map[string]string{
	"handshake": "memory of the host", "managed": "memory of the host", "queue": "memory of the host", "print": "printf", "grid": "a cooperative launch",
}

// line is the line through recorded against simulated times that most slopes and most points lie beside (Theil and Sen).
func line(x, y []float64) (constant, factor float64) {
	var slopes, rest []float64
	for i := range x {
		for j := range i {
			if x[i] != x[j] {
				slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
			}
		}
	}
	factor = median(slopes)
	for i := range x {
		rest = append(rest, y[i]-factor*x[i])
	}
	return median(rest), factor
}

// compared compares two files of results/cuda, which have the same kernels.
func compared(t *testing.T, simulated, recorded string) *Comparison {
	t.Helper()
	a, err := Read(folder + "cuda/" + simulated)
	require.NoError(t, err)
	b, err := Read(folder + "cuda/" + recorded)
	require.NoError(t, err)
	return same(t, a, b)
}

// same compares runs that have the same kernels.
func same(t *testing.T, a, b []*Run) *Comparison {
	t.Helper()
	c := Compare(a, b)
	require.Empty(t, c.Only)
	require.Empty(t, c.Failed)
	return c
}

// TestRecorded computes what results/cuda/README.md says of the recorded and the simulated times of our CUDA programs.
func TestRecorded(t *testing.T) {
	c := compared(t, "sim-h200.json", "h200.json")
	machine, err := config.Load("h200")
	require.NoError(t, err)

	var all, long, within [][2]float64
	var blocks, measured []float64
	for _, row := range c.Rows {
		pair := [2]float64{row.A, row.B}
		all = append(all, pair)
		if row.B >= Long {
			long = append(long, pair)
		}
		if beyond[row.Program] == "" {
			within = append(within, pair)
		}
		// The time in which blocks run is what the launch itself does not take.
		blocks = append(blocks, row.A*1e6-machine.Launch.Kernel)
		measured = append(measured, row.B*1e6)
	}
	constant, factor := line(blocks, measured)

	var micro []struct {
		Name   string
		Median float64
	}
	text, err := os.ReadFile(folder + "hw/h200/micro.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &micro))
	empty := math.NaN()
	for _, row := range micro {
		if row.Name == "empty kernel, alone" {
			empty = row.Median
		}
	}
	assert.InDelta(t, empty, constant, 0.3, "the constant is what an empty kernel takes")

	var out strings.Builder
	out.WriteString("\n| | kernels | mean error | median | worst factor |\n|---|---|---|---|---|\n")
	for _, part := range []struct {
		name  string
		pairs [][2]float64
	}{
		{"our programs, a launch in the mean", all},
		{fmt.Sprintf("of these, %.0f us or more on the H200", Long*1e6), long},
		{"without those with memory of the host, printf or a cooperative launch", within},
	} {
		s := compare.Summarize(part.pairs)
		fmt.Fprintf(&out, "| %s | %d | %.1f%% | %.1f%% | %.1f |\n", part.name, s.N, 100*s.Mean, 100*s.Median, s.Worst)
	}
	fmt.Fprintf(&out, "\nThe line through the medians is: recorded = %.2f us + %.2f * the time in which simulated blocks run. An empty kernel takes %.2f us on that H200\n(`empty kernel, alone` in `results/hw/h200/micro.json`), and `launch.kernel` of `sim:h200` is %.2f us.\n\n", constant, factor, empty, machine.Launch.Kernel)

	onPage(t, "recorded", "TestRecorded", out.String())
}

// onPage compares a part of results/cuda/README.md with what it should be, or writes it.
func onPage(t *testing.T, part, test, want string) {
	t.Helper()
	begin, end := fmt.Sprintf("<!-- %s, written by go test ./internal/measure/programs -run %s -update -->\n", part, test), "<!-- end of "+part+" -->"
	page, err := os.ReadFile(folder + "cuda/README.md")
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(page), begin)
	require.True(t, ok, begin)
	old, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	if *update {
		require.NoError(t, os.WriteFile(folder+"cuda/README.md", []byte(head+begin+want+end+tail), 0o644))
		return
	}
	assert.Equal(t, want, old, "go test ./internal/measure/programs -run %s -update", test)
}

// errorTable is a table of errors of simulated times, a line for each list of pairs of a simulated and a measured one.
type errorTable struct{ strings.Builder }

func newErrorTable() *errorTable {
	b := &errorTable{}
	b.WriteString("\n| | kernels | mean error | median | 90 of 100 | worst factor | simulated / measured, median |\n|---|---|---|---|---|---|---|\n")
	return b
}

func (b *errorTable) line(name string, pairs [][2]float64) {
	s := compare.Summarize(pairs)
	var ratios, errs []float64
	for _, p := range pairs {
		ratios, errs = append(ratios, p[0]/p[1]), append(errs, math.Abs(p[0]/p[1]-1))
	}
	slices.Sort(errs)
	fmt.Fprintf(b, "| %s | %d | %.1f%% | %.1f%% | %.1f%% | %.2f | %.2f |\n", name, s.N, 100*s.Mean, 100*s.Median, 100*errs[len(errs)*9/10], s.Worst, median(ratios))
}

// TestSuite computes what results/cuda/README.md says of sixty programs of a suite on an H100, whose times are in a table: measured twice.
func TestSuite(t *testing.T) {
	f, err := os.Open(folder + "cuda/indigo3-h100.csv")
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"program", "arguments", "kernel", "grid", "block", "launches_simulated", "launches_measured", "simulated_us", "measured_us", "measured_again_us"}, rows[0])
	var all, long, short, libcu, classic, again [][2]float64
	names := map[string]bool{}
	for _, r := range rows[1:] {
		var us [3]float64
		for i := range us {
			us[i], err = strconv.ParseFloat(r[7+i], 64)
			require.NoError(t, err)
		}
		names[r[0]] = true
		pair := [2]float64{us[0], us[1]}
		all, again = append(all, pair), append(again, [2]float64{us[2], us[1]})
		if us[1] < Long*1e6 {
			short = append(short, pair)
			continue
		}
		if long = append(long, pair); strings.Contains(r[0], "CudaAtomic") {
			libcu = append(libcu, pair)
		} else {
			classic = append(classic, pair)
		}
	}
	table := newErrorTable()
	table.line(fmt.Sprintf("%d programs on four graphs", len(names)), all)
	table.line("kernels of less than 10 us", short)
	table.line("kernels of 10 us or more", long)
	table.line("of these, with `cuda::atomic`", libcu)
	table.line("with classical atomics, or none", classic)
	table.line("measured again, beside measured", again)
	onPage(t, "suite", "TestSuite", table.String()+"\n")
}
