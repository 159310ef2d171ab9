package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// TestKernelsOfGroups checks that each file of one kernel on each GPU has a verified row for each point of its study, and that the table of the page is made of
// it; with -update it writes the tables.
func TestKernelsOfGroups(t *testing.T) {
	file := filepath.Join(results, "README.md")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	text := string(page)
	for _, name := range []string{"searches", "components", "distances"} {
		rows := readStudy(t, name)
		var table strings.Builder
		table.WriteString("| graph | GPUs | kernels us | as fast as one | solve us | MB sent |\n|---|---|---|---|---|---|\n")
		for _, r := range rows {
			one := rows[slices.IndexFunc(rows, func(o studyRow) bool { return o.graph == r.graph && o.gpus == 1 })]
			fmt.Fprintf(&table, "| %s | %d | %.0f | %.2f | %.0f | %s |\n", r.graph, r.gpus, r.kernel*1e6, one.kernel/r.kernel, r.solve*1e6, r.megabytes())
		}
		text, err = place(text, name, table.String())
		require.NoError(t, err)
	}
	golden.Check(t, file, text)
}

// studyRow is a run of a study of one kernel on each GPU; times are in seconds.
type studyRow struct {
	graph         string
	gpus          int
	kernel, solve float64
	sent          string // bytes; empty on one GPU
}

func (r studyRow) megabytes() string {
	if r.sent == "" {
		return ""
	}
	n, err := strconv.ParseFloat(r.sent, 64)
	if err != nil {
		return r.sent
	}
	if n < 1e6 {
		return fmt.Sprintf("%.2f", n/1e6)
	}
	return fmt.Sprintf("%.1f", n/1e6)
}

// readStudy returns the rows of a file, by graph and number of GPUs. They are the points of the study, and verified.
func readStudy(t *testing.T, name string) []studyRow {
	t.Helper()
	f, err := os.Open(filepath.Join(results, name+".csv"))
	require.NoError(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"graph", "device", "kernel_seconds", "solve_seconds", "bytes_sent", "verified"}, lines[0])
	var rows []studyRow
	var want, got []string
	for _, l := range lines[1:] {
		require.Equal(t, "1", l[5], l)
		got = append(got, l[0]+" "+l[1])
		_, count, several := strings.Cut(l[1], "h200x")
		row := studyRow{graph: l[0], gpus: 1, sent: l[4]}
		if several {
			row.gpus, err = strconv.Atoi(count)
			require.NoError(t, err)
		}
		row.kernel, err = strconv.ParseFloat(l[2], 64)
		require.NoError(t, err)
		row.solve, err = strconv.ParseFloat(l[3], 64)
		require.NoError(t, err)
		rows = append(rows, row)
	}
	s, err := spec.Load(t.Context(), filepath.Join("..", "..", "..", "experiments", "studies", "gpus-"+name+".yaml"), sweep.Check)
	require.NoError(t, err)
	for _, p := range s.Points {
		set := map[string]string{}
		for _, x := range p.Settings {
			set[x.Name] = x.Value
		}
		want = append(want, set[option.Graph.Key]+" "+set[option.Device.Key])
	}
	require.ElementsMatch(t, want, got)
	slices.SortStableFunc(rows, func(a, b studyRow) int {
		if a.graph != b.graph {
			return strings.Compare(a.graph, b.graph)
		}
		return a.gpus - b.gpus
	})
	return rows
}
