package programs

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/sim/config"
)

var update = flag.Bool("update", false, "write the figures of results/cuda/README.md")

const results = "../../../results/"

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

func median(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// TestRecorded computes what results/cuda/README.md says of the recorded and the simulated times of our CUDA programs.
func TestRecorded(t *testing.T) {
	simulated, err := Read(results + "cuda/sim-h200.json")
	require.NoError(t, err)
	recorded, err := Read(results + "cuda/h200.json")
	require.NoError(t, err)
	c := Compare(simulated, recorded)
	require.Empty(t, c.Only)
	require.Empty(t, c.Failed)
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
	text, err := os.ReadFile(results + "hw/h200/micro.json")
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

	const begin, end = "<!-- recorded, written by go test ./internal/measure/programs -run TestRecorded -update -->\n", "<!-- end of recorded -->"
	page, err := os.ReadFile(results + "cuda/README.md")
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(page), begin)
	require.True(t, ok)
	old, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(results+"cuda/README.md", []byte(head+begin+out.String()+end+tail), 0o644))
		return
	}
	assert.Equal(t, out.String(), old, "go test ./internal/measure/programs -run TestRecorded -update")
}
