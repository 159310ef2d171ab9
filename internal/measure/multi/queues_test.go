package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/option"
)

// TestQueues checks that queues.csv has a row for each run of atos on several GPUs that the study plans, that its ratios are those of its times, and that the table of the page is made of it.
func TestQueues(t *testing.T) {
	f, err := os.Open(filepath.Join(results, "queues.csv"))
	require.NoError(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"algorithm", "graph", "gpus", "cut_percent", "queues_us", "iterations_us", "one_us", "one_by", "over_iterations", "over_one", "queues_bytes", "iterations_bytes"}, lines[0])
	var want, got []string
	s, err := spec.Load(t.Context(), filepath.Join("..", "..", "..", "experiments", "studies", "gpus-queues.yaml"), sweep.Check)
	require.NoError(t, err)
	for _, p := range s.Points {
		set := map[string]string{}
		for _, x := range p.Settings {
			set[x.Name] = x.Value
		}
		if _, gpus, several := strings.Cut(set[option.Device.Key], "x"); several && set["scheduler"] == "atos" {
			want = append(want, fmt.Sprint(set["algorithm"], " ", set[option.Graph.Key], " ", gpus))
		}
	}
	var table strings.Builder
	table.WriteString("| algorithm | graph | GPUs | cut arcs | queues us | iterations us | one GPU us | by | iterations / queues | one / queues | queues, bytes sent | iterations, bytes sent |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, l := range lines[1:] {
		number := func(i int) float64 {
			x, err := strconv.ParseFloat(l[i], 64)
			require.NoError(t, err)
			return x
		}
		got = append(got, strings.Join(l[:3], " "))
		require.InDelta(t, number(5)/number(4), number(8), 0.01, l)
		require.InDelta(t, number(6)/number(4), number(9), 0.01, l)
		l[3] += "%"
		fmt.Fprintf(&table, "| %s |\n", strings.Join(l, " | "))
	}
	require.ElementsMatch(t, want, got)
	page, err := os.ReadFile(filepath.Join(results, "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(page), "<!-- table queues -->\n\n"+table.String()+"\n<!-- end of table queues -->\n", "the table of results/multi/README.md is another one:\n%s", table.String())
}
